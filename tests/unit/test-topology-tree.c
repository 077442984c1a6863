/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs and nodes as files of a tree tell them, and as libnuma does. */
#include "machine/read.h"
#include "tree.h"

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"

static Topology topology;

static const Topology *read_topology(void) {
        Machine *m = tree_open();

        ASSERT_OK(topology_from_sysfs(m, &tree_arena, &topology, &tree_log));
        m = machine_free(m);
        return &topology;
}

static void put_node(unsigned id, const char *cpus, const char *kb, const char *distance) {
        char path[128], text[256];

        ASSERT_TRUE(text_format(path, sizeof(path), NODE "node%u/cpulist", id));
        ASSERT_TRUE(text_format(text, sizeof(text), "%s\n", cpus));
        tree_put(path, text);
        if (kb) {
                ASSERT_TRUE(text_format(path, sizeof(path), NODE "node%u/meminfo", id));
                ASSERT_TRUE(text_format(text, sizeof(text),
                                        "Node %u MemTotal:       %s kB\nNode %u MemFree: 0 kB\n",
                                        id, kb, id));
                tree_put(path, text);
        }
        if (distance) {
                ASSERT_TRUE(text_format(path, sizeof(path), NODE "node%u/distance", id));
                ASSERT_TRUE(text_format(text, sizeof(text), "%s\n", distance));
                tree_put(path, text);
        }
}

TEST(sparse_nodes_without_cpus_or_memory_are_kept_apart) {
        const Topology *t;

        tree_begin();
        tree_put("proc/stat", "");
        tree_put(CPU "possible", "0-11\n");
        tree_put(CPU "present", "0-9\n");
        tree_put(CPU "online", "0-6,8\n");
        tree_put(NODE "online", "0,4,9\n");
        put_node(0, "0-3", "1048576", "10 20 40");
        put_node(4, "4-6,8", "0", "20 10 40");  /* CPUs, no memory */
        put_node(9, "", "2097152", "40 40 10"); /* memory, no CPU */
        t = read_topology();
        ASSERT_STR(tree_issues(&tree_log), "");
        ASSERT_EQ_U(t->n_possible, 12);
        ASSERT_EQ_U(t->n_present, 10);
        ASSERT_EQ_U(t->n_online, 8);
        ASSERT_FALSE(idset_has(&t->online, 7));
        ASSERT_EQ_U(t->n_nodes, 3);
        ASSERT_EQ_U(t->nodes[0].id, 0);
        ASSERT_EQ_U(t->nodes[1].id, 4);
        ASSERT_EQ_U(t->nodes[2].id, 9);
        ASSERT_EQ_U(t->nodes[0].memory_bytes.value, (uint64_t) 1 << 30);
        ASSERT_TRUE(t->nodes[1].memory_bytes.known);
        ASSERT_EQ_U(t->nodes[1].memory_bytes.value, 0);
        ASSERT_EQ_U(t->nodes[2].memory_bytes.value, (uint64_t) 2 << 30);
        ASSERT_EQ_U(t->nodes[1].n_online, 4);
        ASSERT_EQ_U(t->nodes[2].n_online, 0);
        ASSERT_EQ_U(topology_local_cpus(t, 4), 4);
        ASSERT_EQ_U(topology_local_cpus(t, 9), 8); /* all of them: what the kernel divides by */
        ASSERT_EQ_U(t->nodes[1].distance[0], 20);
        ASSERT_EQ_U(t->nodes[1].distance[1], 10);
        ASSERT_EQ_U(t->nodes[2].distance[0], 40);
        ASSERT_EQ_U(t->n_packages, 0);
        tree_end();
}

TEST(ten_nodes_are_ordered_by_number_not_by_name) {
        const Topology *t;

        tree_begin();
        tree_put(CPU "online", "0-10\n");
        for (unsigned i = 0; i < 11; i++) {
                char cpu[16];

                ASSERT_TRUE(text_format(cpu, sizeof(cpu), "%u", i));
                put_node(i, cpu, NULL, NULL);
        }
        t = read_topology();
        ASSERT_EQ_U(t->n_nodes, 11);
        for (unsigned i = 0; i < 11; i++) {
                ASSERT_EQ_U(t->nodes[i].id, i);
                ASSERT_TRUE(idset_has(&t->nodes[i].cpus, i));
                ASSERT_FALSE(t->nodes[i].memory_bytes.known);
                ASSERT_TRUE(t->nodes[i].distance == NULL);
        }
        /* what the tree lacks follows from what it has */
        ASSERT_EQ_U(t->n_present, 11);
        ASSERT_EQ_U(t->n_possible, 11);
        tree_end();
}

TEST(a_thousand_cpus_on_64_nodes) {
        const Topology *t;
        char distance[64 * 3 + 1] = "";

        tree_begin();
        tree_put(CPU "possible", "0-1023\n");
        tree_put(CPU "present", "0-1023\n");
        tree_put(CPU "online", "0-1022\n");
        for (unsigned i = 0; i < 64; i++)
                memcpy(distance + 3 * i, "20 ", 4);
        for (unsigned i = 0; i < 64; i++) {
                char cpus[32];

                ASSERT_TRUE(text_format(cpus, sizeof(cpus), "%u-%u", i * 16, i * 16 + 15));
                put_node(i, cpus, "16777216", distance);
        }
        t = read_topology();
        ASSERT_STR(tree_issues(&tree_log), "");
        ASSERT_EQ_U(t->n_online, 1023);
        ASSERT_EQ_U(t->n_nodes, 64);
        ASSERT_EQ_U(topology_local_cpus(t, 0), 16);
        ASSERT_EQ_U(topology_local_cpus(t, 63), 15);
        ASSERT_EQ_U(t->nodes[63].distance[63], 20);
        tree_end();
}

TEST(broken_lists_are_named_and_the_rest_is_used) {
        const Topology *t;

        tree_begin();
        tree_put(CPU "online", "0-3,x,6\n");
        put_node(0, "0-3", "99999999999999999999999", "x 10");
        tree_put(NODE "nodeX/cpulist", "0\n");
        tree_put(NODE "node4294967296/cpulist", "0\n");
        t = read_topology();
        ASSERT_EQ_U(t->n_online, 5);
        ASSERT_EQ_U(t->n_nodes, 1);
        ASSERT_FALSE(t->nodes[0].memory_bytes.known);
        ASSERT_TRUE(t->nodes[0].distance == NULL);
        ASSERT_HAS(tree_issues(&tree_log), CPU "online:1: ");
        ASSERT_HAS(tree_issues(&tree_log), NODE "node0/meminfo:1: ");
        ASSERT_HAS(tree_issues(&tree_log), NODE "node0/distance:1: ");
        tree_end();
}

TEST(a_node_whose_list_is_missing_or_broken_has_unknown_cpus) {
        static const struct {
                const char *list;
                unsigned local;
        } cases[] = { { "4-7\n", 4 }, { "\n", 8 },    { NULL, 0 },
                      { "", 0 },      { "4-x\n", 0 }, { "4-9999\n", 0 } };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                const Topology *t;

                tree_begin();
                tree_put(CPU "online", "0-7\n");
                put_node(0, "0-3", "1", "10 20");
                put_node(1, "4-7", "1", "20 10");
                if (cases[i].list)
                        tree_put(NODE "node1/cpulist", cases[i].list);
                else
                        ASSERT_EQ_I(unlink(tree_path(NODE "node1/cpulist")), 0);
                t = read_topology();
                ASSERT_EQ_U(topology_local_cpus(t, 0), 4);
                ASSERT_EQ_U(topology_local_cpus(t, 1), cases[i].local);
                tree_end();
        }
}

TEST(without_sysfs_cpus_come_from_stat_and_nodes_from_zoneinfo) {
        const Topology *t;

        tree_begin();
        tree_put("proc/stat", "cpu  4 0 4 4 0 0 0 0 0 0\ncpu0 1 0 1 1 0 0 0 0 0 0\n"
                              "cpu1 1 0 1 1 0 0 0 0 0 0\ncpu5 2 0 2 2 0 0 0 0 0 0\nctxt 1\n");
        tree_put("proc/zoneinfo",
                 "Node 0, zone      DMA\n  pages free     1\nNode 2, zone   Normal\n"
                 "  pages free     1\n");
        t = read_topology();
        ASSERT_EQ_U(t->n_online, 3);
        ASSERT_TRUE(idset_has(&t->online, 5));
        ASSERT_EQ_U(t->n_nodes, 2);
        ASSERT_EQ_U(t->nodes[1].id, 2);
        ASSERT_EQ_U(t->nodes[1].n_online, 0);
        ASSERT_EQ_U(topology_local_cpus(t, 0), 0);
        ASSERT_EQ_U(topology_local_cpus(t, 2), 0);
        ASSERT_HAS(tree_issues(&tree_log), "CPUs are taken from proc/stat");
        ASSERT_HAS(tree_issues(&tree_log), "the CPUs of the nodes are unknown");
        tree_end();
}

TEST(an_only_node_has_all_cpus) {
        const Topology *t;

        tree_begin();
        tree_put("proc/stat", "cpu  2 0 2 2 0 0 0 0 0 0\ncpu0 1 0 1 1 0 0 0 0 0 0\n"
                              "cpu1 1 0 1 1 0 0 0 0 0 0\n");
        tree_put("proc/zoneinfo", "Node 0, zone   Normal\n  pages free     1\n");
        t = read_topology();
        ASSERT_EQ_U(t->n_nodes, 1);
        ASSERT_EQ_U(t->nodes[0].n_online, 2);
        ASSERT_EQ_U(topology_local_cpus(t, 0), 2);
        tree_end();
}

TEST(nothing_at_all_is_nothing_known) {
        const Topology *t;

        tree_begin();
        tree_mkdirs("proc/");
        t = read_topology();
        ASSERT_EQ_U(t->n_possible + t->n_present + t->n_online + t->n_nodes, 0);
        ASSERT_EQ_U(topology_local_cpus(t, 0), 0);
        tree_end();
}

TEST(packages_are_counted_only_if_every_online_cpu_names_one) {
        const Topology *t;

        tree_begin();
        tree_put(CPU "online", "0-2\n");
        tree_put(CPU "cpu0/topology/physical_package_id", "0\n");
        tree_put(CPU "cpu1/topology/physical_package_id", "7\n");
        t = read_topology();
        ASSERT_EQ_U(t->n_packages, 0);
        tree_put(CPU "cpu2/topology/physical_package_id", "0\n");
        t = read_topology();
        ASSERT_EQ_U(t->n_packages, 2);
        tree_end();
}

TEST(libnuma_and_sysfs_agree_on_the_live_machine) {
        Topology numa, sysfs;
        Machine *m;
        int r;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        r = topology_from_numa(m, &tree_arena, &numa, &tree_log);
        if (r == MACHINE_E_ABSENT) {
                m = machine_free(m);
                tree_end();
                SKIP("no NUMA support here");
        }
        ASSERT_OK(r);
        ASSERT_OK(topology_from_sysfs(m, &tree_arena, &sysfs, &tree_log));
        ASSERT_TRUE(memcmp(&numa.online, &sysfs.online, sizeof(numa.online)) == 0);
        ASSERT_TRUE(memcmp(&numa.possible, &sysfs.possible, sizeof(numa.possible)) == 0);
        ASSERT_EQ_U(numa.n_online, sysconf(_SC_NPROCESSORS_ONLN));
        ASSERT_EQ_U(numa.n_nodes, sysfs.n_nodes);
        for (unsigned i = 0; i < numa.n_nodes; i++) {
                const Node *a = &numa.nodes[i], *b = &sysfs.nodes[i];

                ASSERT_EQ_U(a->id, b->id);
                ASSERT_EQ_U(a->n_online, b->n_online);
                ASSERT_TRUE(memcmp(&a->cpus, &b->cpus, sizeof(a->cpus)) == 0);
                ASSERT_TRUE(a->memory_bytes.known && b->memory_bytes.known);
                ASSERT_EQ_U(a->memory_bytes.value, b->memory_bytes.value);
                ASSERT_TRUE(a->distance && b->distance);
                for (unsigned k = 0; k < numa.n_nodes; k++)
                        ASSERT_EQ_U(a->distance[k], b->distance[k]);
        }
        m = machine_free(m);
        tree_end();
}

TEST_MAIN()
