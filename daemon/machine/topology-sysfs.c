/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs and nodes as files tell them. A sosreport may lack sysfs: then proc/stat lists the CPUs that are
 * online and proc/zoneinfo the nodes that have memory. */
#include <errno.h>
#include <string.h>

#include "core/sense/lists.h"
#include "machine/read.h"

#define SMALL_BYTES_MAX ((size_t) 1 << 20)
#define NODE_DIR "sys/devices/system/node"
#define CPU_DIR "sys/devices/system/cpu"

typedef struct Builder {
        Machine *m;
        Arena *arena;
        Topology *t;
        ParseLog *log;
        int error;
} Builder;

static bool get(Builder *b, const char *path, Text *ret_text) {
        if (b->error < 0)
                return false;
        arena_reset(&b->m->scratch);
        return read_text(b->m, path, SMALL_BYTES_MAX, ret_text, b->log, &b->error) == SENSE_OK &&
               b->error == 0;
}

static unsigned get_list(Builder *b, const char *path, IdSet *ret) {
        Text text;

        if (!get(b, path, &text))
                return 0;
        b->error = idlist_parse(text, path, ret, b->log);
        return idset_count(ret);
}

static int compare_nodes(unsigned a, unsigned b) {
        return a < b ? -1 : a > b;
}

/* Nodes by their folders: ids are sparse. */
static void get_nodes(Builder *b) {
        DirEntry *entries;
        size_t n;
        IdSet online = { 0 };
        bool have_online = get_list(b, NODE_DIR "/online", &online) > 0;
        int r = b->error < 0 ? b->error : machine_list(b->m, NODE_DIR, b->arena, &entries, &n);

        if (r != 0) {
                b->error = r < 0 ? r : b->error;
                return;
        }
        b->t->nodes = ARENA_ARRAY(b->arena, Node, MIN(n, (size_t) NODES_MAX) + 1);
        if (!b->t->nodes) {
                b->error = -ENOMEM;
                return;
        }
        for (size_t i = 0; i < n && b->t->n_nodes < NODES_MAX; i++) {
                uint64_t id;
                unsigned at = b->t->n_nodes;

                if (strncmp(entries[i].name, "node", 4) != 0 ||
                    number_parse_u64(entries[i].name + 4, strlen(entries[i].name + 4), &id) != 0 ||
                    id >= NODES_MAX)
                        continue;
                if (have_online && !idset_has(&online, (unsigned) id))
                        continue;
                while (at > 0 && compare_nodes(b->t->nodes[at - 1].id, (unsigned) id) > 0) {
                        b->t->nodes[at] = b->t->nodes[at - 1];
                        at--;
                }
                b->t->nodes[at] = (Node){ .id = (unsigned) id };
                b->t->n_nodes++;
        }
}

static void fill_node(Builder *b, Node *node) {
        char dir[64];
        const char *path;
        unsigned n_issues;
        Text text;

        (void) text_format(dir, sizeof(dir), NODE_DIR "/node%u", node->id);
        path = read_path(b->arena, dir, "cpulist");
        n_issues = b->log->n_issues + b->log->n_more;
        node->cpus_unknown = true;
        if (get(b, path, &text)) {
                b->error = idlist_parse(text, path, &node->cpus, b->log);
                /* a node without CPUs has an empty line */
                node->cpus_unknown = text.size == 0 ||
                                     b->log->n_issues + b->log->n_more != n_issues;
        }
        node->n_online = idset_count_both(&node->cpus, &b->t->online);
        path = read_path(b->arena, dir, "meminfo");
        if (get(b, path, &text)) {
                MemInfo info = { 0 };

                b->error = meminfo_parse(text, path, &info, b->log);
                node->memory_bytes = info.value[MEM_MEM_TOTAL];
        }
        path = read_path(b->arena, dir, "distance");
        if (get(b, path, &text)) {
                uint16_t *distance = ARENA_ARRAY(b->arena, uint16_t, NODES_MAX);

                if (!distance)
                        b->error = -ENOMEM;
                else if (distances_parse(text, path, distance, NODES_MAX, b->log) == b->t->n_nodes)
                        node->distance = distance;
        }
}

/* Without sysfs. All CPUs are put on the only node, or on none. */
static void guess(Builder *b) {
        Text text;

        if (b->t->n_online == 0 && get(b, "proc/stat", &text)) {
                CpuStat *stat = ARENA_NEW(b->arena, CpuStat);

                if (!stat ||
                    cpustat_parse(b->arena, text, "proc/stat", stat, &(ParseLog){ 0 }) < 0) {
                        b->error = -ENOMEM;
                        return;
                }
                for (unsigned i = 0; i < stat->n_cpus && stat->cpus; i++)
                        (void) idset_add(&b->t->online, stat->cpus[i].cpu);
                b->t->n_online = idset_count(&b->t->online);
                if (b->t->n_online > 0)
                        parse_log_add(b->log, CPU_DIR, 0, "absent: CPUs are taken from proc/stat",
                                      TEXT_NULL);
        }
        if (b->t->n_nodes > 0 || !get(b, "proc/zoneinfo", &text))
                return;
        {
                ZoneInfo info = { 0 };

                b->error = zoneinfo_parse(b->arena, text, "proc/zoneinfo", &info, &(ParseLog){ 0 });
                b->t->nodes = ARENA_ARRAY(b->arena, Node, info.n + 1);
                if (!b->t->nodes || b->error < 0) {
                        b->error = -ENOMEM;
                        return;
                }
                for (size_t i = 0; i < info.n; i++)
                        if (info.zones[i].node < NODES_MAX &&
                            (b->t->n_nodes == 0 ||
                             b->t->nodes[b->t->n_nodes - 1].id < info.zones[i].node))
                                b->t->nodes[b->t->n_nodes++] = (Node){ .id = info.zones[i].node };
                if (b->t->n_nodes == 1) {
                        b->t->nodes[0].cpus = b->t->present.word[0] ? b->t->present : b->t->online;
                        b->t->nodes[0].n_online = b->t->n_online;
                } else if (b->t->n_nodes > 1) {
                        for (unsigned i = 0; i < b->t->n_nodes; i++)
                                b->t->nodes[i].cpus_unknown = true;
                        parse_log_add(b->log, NODE_DIR, 0,
                                      "absent: the CPUs of the nodes are unknown", TEXT_NULL);
                }
        }
}

static void count_packages(Builder *b) {
        IdSet seen = { 0 };

        IDSET_FOREACH(cpu, &b->t->online) {
                char path[96];
                Text text;
                uint64_t id;
                int r;

                (void) text_format(path, sizeof(path),
                                   CPU_DIR "/cpu%u/topology/physical_package_id", cpu);
                if (b->error < 0)
                        return;
                arena_reset(&b->m->scratch);
                r = machine_read(b->m, path, SMALL_BYTES_MAX, &b->m->scratch, &text);
                if (r < 0)
                        b->error = r;
                if (r != 0)
                        return; /* one missing: the number would be wrong */
                text = text_strip(text);
                if (number_parse_u64(text.data, text.size, &id) != 0 || id >= IDSET_MAX)
                        return;
                (void) idset_add(&seen, (unsigned) id);
        }
        b->t->n_packages = idset_count(&seen);
}

int topology_from_sysfs(Machine *m, Arena *arena, Topology *ret, ParseLog *log) {
        Builder b = { .m = m, .arena = arena, .t = ret, .log = log };

        *ret = (Topology){ 0 };
        ret->n_possible = get_list(&b, CPU_DIR "/possible", &ret->possible);
        ret->n_present = get_list(&b, CPU_DIR "/present", &ret->present);
        ret->n_online = get_list(&b, CPU_DIR "/online", &ret->online);
        get_nodes(&b);
        for (unsigned i = 0; i < ret->n_nodes && b.error == 0; i++)
                fill_node(&b, &ret->nodes[i]);
        if (b.error == 0)
                guess(&b);
        if (b.error == 0)
                count_packages(&b);
        /* Older trees lack one or the other list: a CPU that is online is present, and so on. */
        if (ret->n_present == 0 && ret->n_online > 0) {
                ret->present = ret->online;
                ret->n_present = ret->n_online;
        }
        if (ret->n_possible == 0 && ret->n_present > 0) {
                ret->possible = ret->present;
                ret->n_possible = ret->n_present;
        }
        return b.error;
}
