/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/topology.h"

#include "test.h"

/* Three nodes with a hole: 8 CPUs on nodes 0 and 4, node 9 has memory only. */
static Node *nodes(Topology *t) {
        static Node n[3];

        n[0] = (Node){ .id = 0, .n_online = 6 };
        n[1] = (Node){ .id = 4, .n_online = 2 };
        n[2] = (Node){ .id = 9, .n_online = 0 };
        *t = (Topology){ .nodes = n, .n_nodes = 3, .n_online = 8 };
        return n;
}

TEST(nodes_are_found_by_id_not_by_place) {
        Topology t;
        const Node *n = nodes(&t);

        ASSERT_TRUE(topology_node(&t, 0) == &n[0]);
        ASSERT_TRUE(topology_node(&t, 4) == &n[1]);
        ASSERT_TRUE(topology_node(&t, 9) == &n[2]);
        ASSERT_TRUE(!topology_node(&t, 1));
        ASSERT_TRUE(!topology_node(&t, 10));
}

TEST(a_node_without_cpus_divides_by_all_of_them) {
        Topology t;

        (void) nodes(&t);
        ASSERT_EQ_U(topology_local_cpus(&t, 0), 6);
        ASSERT_EQ_U(topology_local_cpus(&t, 4), 2);
        ASSERT_EQ_U(topology_local_cpus(&t, 9), 8);
        ASSERT_EQ_U(topology_local_cpus(&t, 3), 8);
}

/* Unknown is not "none": dividing by all CPUs would promise lists of the wrong size. */
TEST(a_node_with_unknown_cpus_divides_by_nothing_known) {
        Topology t;

        nodes(&t)[1].cpus_unknown = true;
        ASSERT_EQ_U(topology_local_cpus(&t, 0), 6);
        ASSERT_EQ_U(topology_local_cpus(&t, 4), 0);
        t.n_nodes = 1; /* an only node has them all */
        t.nodes[0].cpus_unknown = true;
        ASSERT_EQ_U(topology_local_cpus(&t, 0), 8);
}

TEST(nothing_known_is_zero) {
        Topology t = {};

        ASSERT_TRUE(!topology_node(&t, 0));
        ASSERT_EQ_U(topology_local_cpus(&t, 0), 0);
}

TEST_MAIN()
