/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/topology.h"

/* Nodes of the machine. Ids are sparse (a machine may have nodes 0, 1 and 8), so a node is
 * looked up by its id; the array ascends. */

const Node *topology_node(const Topology *t, unsigned id) {
        size_t low = 0, high = t->n_nodes;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (t->nodes[middle].id == id)
                        return &t->nodes[middle];
                if (t->nodes[middle].id < id)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

/* mm/page_alloc.c zone_highsize(): nr_split_cpus =
 * cpumask_weight(cpumask_of_node(zone_to_nid(zone))) plus a CPU that comes online just now;
 * num_online_cpus() if that is 0. cpumask_of_node() holds online CPUs. */
unsigned topology_local_cpus(const Topology *t, unsigned node_id) {
        const Node *node = topology_node(t, node_id);

        if (node && node->cpus_unknown)
                return t->n_nodes == 1 ? t->n_online : 0;
        if (node && node->n_online > 0)
                return node->n_online;
        return t->n_online;
}
