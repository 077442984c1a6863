/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/idset.h"
#include "core/sense/parse.h"

/* CPUs and nodes of the machine, however they were found (libnuma or sysfs). Node ids are sparse: a
 * node is found by topology_node(), never by its index. A node may have no CPU or no memory. */
#define NODES_MAX 1024u

typedef struct Node {
        unsigned id;
        IdSet cpus;            /* present CPUs of the node, online or not */
        unsigned n_online;     /* of them online */
        bool cpus_unknown;     /* no list, or a broken one: not a node without CPUs */
        MaybeU64 memory_bytes; /* MemTotal of the node; 0 known: a memory-less node */
        uint16_t *distance;    /* n_nodes entries in order of the nodes array; NULL: not known */
} Node;

typedef struct Topology {
        IdSet possible, present, online;
        unsigned n_possible, n_present, n_online; /* n_* of 0: the file was absent */
        Node *nodes;                              /* ascending id */
        unsigned n_nodes;
        unsigned n_packages; /* 0: not known */
} Topology;

_pure_ const Node *topology_node(const Topology *t, unsigned id);
/* Online CPUs local to a node; if there are none, all online CPUs: the divisor the kernel uses
 * (mm/page_alloc.c zone_highsize(), 6.1 to 7.3). 0: not known. */
_pure_ unsigned topology_local_cpus(const Topology *t, unsigned node_id);
