/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines of any size and either model: files are read without an issue, and what belongs together fits. */
#include <math.h>

#include "sim-world.h"

static const struct {
        unsigned cpus, possible, nodes;
        uint64_t gib;
} sizes[] = {
        { 1, 1, 1, 1 },  { 1, 8, 1, 4 },       { 2, 2, 64, 64 }, /* most nodes have no CPU */
        { 7, 7, 3, 10 }, { 192, 192, 4, 768 }, { 1024, 2048, 64, 4096 }, { 16, 4, 2, 3 },
};

TEST(machines_of_any_size_are_read_without_an_issue) {
        static const char *const kernels[] = { "5.10", "6.1", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(sizes) * ELEMENTSOF(kernels); i++) {
                const unsigned size = i % ELEMENTSOF(sizes);
                MachineFacts facts;
                const Snapshot *s;
                uint64_t managed = 0, blocks = 0, freed = 0;

                world_spec(kernels[i / ELEMENTSOF(sizes)]);
                spec.machine.cpus = sizes[size].cpus;
                spec.machine.possible = sizes[size].possible;
                spec.machine.nodes = sizes[size].nodes;
                spec.machine.memory_bytes = sizes[size].gib << 30;
                spec.machine.lock_stat = true;
                world_open();
                world_run(20, 10);
                s = world_take();
                ASSERT_OK(sample_facts(world, &world_arena, &facts, &world_log));
                ASSERT_EQ_U(world_log.n_issues, 0);
                ASSERT_EQ_U(facts.topology.n_online, sizes[size].cpus);
                ASSERT_EQ_U(facts.topology.n_nodes, sizes[size].nodes);
                ASSERT_EQ_U(facts.topology.n_possible, MAX(sizes[size].possible, sizes[size].cpus));
                for (size_t z = 0; z < s->zoneinfo->n; z++) {
                        const Zone *zone = &s->zoneinfo->zones[z];

                        managed += zone->managed.value;
                        freed += zone->free.value;
                        ASSERT_LE_U(zone->free.value, zone->managed.value);
                        ASSERT_TRUE(zone->n_pagesets == 0 || zone->n_pagesets == sizes[size].cpus);
                        ASSERT_TRUE(zone->min.value <= zone->low.value &&
                                    zone->low.value <= zone->high.value);
                }
                ASSERT_EQ_U(s->meminfo->value[MEM_MEM_TOTAL].value, managed * 4096);
                ASSERT_EQ_U(s->vmstat->value[VM_NR_FREE_PAGES].value, freed);
                ASSERT_EQ_U(s->meminfo->value[MEM_MEM_FREE].value, freed * 4096);
                for (size_t z = 0; z < s->buddyinfo->n; z++)
                        blocks += buddy_zone_free_pages(&s->buddyinfo->zones[z], 0).value;
                ASSERT_EQ_U(blocks, freed);
                ASSERT_TRUE(managed <= spec.machine.memory_bytes / 4096 &&
                            managed > spec.machine.memory_bytes / 4096 / 20 * 19);
                world_close();
        }
}

TEST(machines_that_cannot_be_are_refused_with_a_reason) {
        for (unsigned i = 0; i < 9; i++) {
                world_spec("6.1");
                if (i == 0)
                        spec.machine.kernel = NULL;
                else if (i == 1)
                        spec.machine.cpus = 0;
                else if (i == 2)
                        spec.machine.nodes = 65;
                else if (i == 3)
                        spec.machine.nodes = 0;
                else if (i == 4)
                        spec.machine.memory_bytes = 1 << 20;
                else if (i == 5)
                        spec.n_phases = 0;
                else if (i == 6)
                        spec.machine.hertz_tick = 0;
                else if (i == 7)
                        (void) text_copy(spec.machine.caches[0].name, 48, TEXT("../x"));
                else
                        spec.machine.caches[0].slab_size = 0;
                ASSERT_EQ_I(sim_machine_new(&spec, &world, world_why, sizeof(world_why)), -EINVAL);
                ASSERT_TRUE(world_why[0] != '\0');
        }
}

TEST(a_file_that_is_too_large_for_the_caller_is_refused) {
        Text text;

        world_begin("7.3");
        ASSERT_EQ_I(machine_read(world, "proc/zoneinfo", 1000, &world_arena, &text),
                    MACHINE_E_TOO_LARGE);
        ASSERT_EQ_I(machine_read(world, "proc/nothing", 1000, &world_arena, &text),
                    MACHINE_E_ABSENT);
        world_close();
}

/* Every file that a folder lists can be read and has a mode; folders can be listed. */
static void walk(const char *dir, unsigned *n_files) {
        DirEntry *entries;
        size_t n;

        ASSERT_OK(machine_list(world, dir, &world_arena, &entries, &n));
        for (size_t i = 0; i < n; i++) {
                char path[400];
                unsigned mode;
                Text text;

                ASSERT_TRUE(i == 0 || strcmp(entries[i - 1].name, entries[i].name) < 0);
                ASSERT_TRUE(text_format(path, sizeof(path), "%s/%s", dir, entries[i].name));
                if (strcmp(path, "sys/devices/system/cpu/cpu0/online") == 0)
                        continue;
                if (entries[i].is_dir) {
                        if (!strstr(path, "/topology") && !strstr(path, "/stats"))
                                walk(path, n_files);
                        continue;
                }
                if (machine_read(world, path, 1 << 24, &world_arena, &text) != 0)
                        printf("# %s\n", path);
                ASSERT_OK(machine_read(world, path, 1 << 24, &world_arena, &text));
                ASSERT_OK(machine_mode(world, path, &mode));
                ASSERT_TRUE(mode & 0400);
                (*n_files)++;
        }
}

TEST(folders_list_what_can_be_read) {
        static const char *const kernels[] = { "4.18", "6.1", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                unsigned n = 0;

                world_begin(kernels[i]);
                walk("proc", &n);
                walk("sys", &n);
                printf("# %s: %u files\n", kernels[i], n);
                ASSERT_TRUE(n > 150);
                world_close();
        }
}

/* The event model behind the same files: counters are its rates. */
TEST(a_machine_runs_on_the_event_model) {
        uint64_t before;
        SimTruth t;

        world_spec("6.1");
        spec.events_plant = true;
        world_open();
        world_run(5, 1);
        before = vmstat_pgalloc(world_take()->vmstat).value;
        world_run(20, 1);
        sim_truth(world, &t);
        ASSERT_TRUE(t.rates.pages > 1000 && t.cost_ns > 0);
        ASSERT_TRUE(fabs((double) (vmstat_pgalloc(world_take()->vmstat).value - before) /
                                 (t.rates.pages * 20) -
                         1) < 0.05);
        world_close();
}

TEST_MAIN()
