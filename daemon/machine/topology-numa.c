/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live machine's nodes through libnuma. CPU lists (possible, present, online) come from sysfs: the
 * library knows only configured ones. */
#include <errno.h>
#include <numa.h>

#include "machine/read.h"

/* libnuma prints to stderr and may exit; the caller hears of trouble by what is missing. */
void numa_warn(int number, char *where, ...);
void numa_warn(int number _unused_, char *where _unused_, ...) {
}
void numa_error(char *where);
void numa_error(char *where _unused_) {
}

static int fill_distances(Arena *arena, Topology *t) {
        for (unsigned i = 0; i < t->n_nodes; i++) {
                uint16_t *distance = ARENA_ARRAY(arena, uint16_t, t->n_nodes);
                bool known = true;

                if (!distance)
                        return -ENOMEM;
                for (unsigned k = 0; k < t->n_nodes; k++) {
                        int d = numa_distance((int) t->nodes[i].id, (int) t->nodes[k].id);

                        known = known && d > 0 && d <= UINT16_MAX;
                        distance[k] = known ? (uint16_t) d : 0;
                }
                t->nodes[i].distance = known ? distance : NULL;
        }
        return 0;
}

int topology_from_numa(Machine *m, Arena *arena, Topology *ret, ParseLog *log) {
        struct bitmask *cpus;
        int max, r;

        r = topology_from_sysfs(m, arena, ret, log);
        if (r < 0)
                return r;
        if (numa_available() < 0)
                return MACHINE_E_ABSENT; /* no NUMA support: sysfs has said all there is */
        max = numa_max_node();
        if (max < 0 || max >= (int) NODES_MAX)
                return MACHINE_E_ABSENT;
        cpus = numa_allocate_cpumask();
        if (!cpus)
                return -ENOMEM;
        ret->nodes = ARENA_ARRAY(arena, Node, (size_t) max + 1);
        ret->n_nodes = 0;
        for (int id = 0; ret->nodes && id <= max; id++) {
                Node *node = &ret->nodes[ret->n_nodes];
                long long size;

                if (!numa_bitmask_isbitset(numa_nodes_ptr, (unsigned) id))
                        continue; /* ids are sparse */
                *node = (Node){ .id = (unsigned) id };
                size = numa_node_size64(id, NULL);
                if (size >= 0)
                        node->memory_bytes = KNOWN((uint64_t) size);
                if (numa_node_to_cpus(id, cpus) == 0)
                        for (unsigned cpu = 0; cpu < cpus->size && cpu < IDSET_MAX; cpu++)
                                if (numa_bitmask_isbitset(cpus, cpu))
                                        (void) idset_add(&node->cpus, cpu);
                node->n_online = idset_count_both(&node->cpus, &ret->online);
                ret->n_nodes++;
        }
        numa_free_cpumask(cpus);
        return ret->nodes ? fill_distances(arena, ret) : -ENOMEM;
}
