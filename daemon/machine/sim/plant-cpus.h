/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/sim/plant-events.h"

/* The CPUs of one node as they run against each other: inside of plant_events(). */

typedef struct EventLock {
        double free_at_ns; /* when the last of the queue lets go */
        double wait_ns, hold_ns;
        uint64_t holds;
} EventLock;

typedef enum EventStage {
        EVENT_THINK,  /* everything that takes no lock */
        EVENT_MEMORY, /* the memory bus */
        EVENT_LRU,
        EVENT_PAGES,  /* pages from and to the list of the CPU */
        EVENT_REFILL, /* zone->lock, to take pages */
        EVENT_PIECE,  /* zone->lock, to give pages back */
        EVENT_SLABS,  /* zone->lock and list locks of slab caches */
        EVENT_LIST,   /* the list lock of one cache */
        EVENT_HUGE,   /* a huge page from the list of the CPU */
        EVENT_CLEAR,  /* its share of the memory bus */
} EventStage;

typedef struct EventCpu {
        PcpList list;
        double at_ns, tick_at_ns;
        EventStage stage, after; /* after: where to go on when the pieces are given */
        bool freeing;            /* a run is first allocated, then freed */
        double left, run;        /* pages of this half of the run; of the whole */
        double pending;          /* pages that the partner left to free */
        double units;            /* of work, in this step */
        double credit, odd;      /* pages to move in this step; of them in blocks of order 1 to 3 */
        double list_debt, slab_debt, huge_debt;
        unsigned refill_order;
        unsigned cache; /* whose list lock is wanted */
        uint64_t pieces, piece_blocks;
        uint64_t huge_held;
        bool slab_freeing;
} EventCpu;

/* Per unit of work, of the machine and workload: filled once. */
typedef struct EventDemand {
        double think_ns, user_ns;
        double pages, odd;
        double lru_ns, memory_ns,
                page_memory_ns; /* per page moved; per page allocated; the same for huge pages */
        double zone_handover_ns, zone_block_ns; /* per hold and per block, of one direction */
        double huge, huge_clear_ns;
        double list, list_refills,
                slabs; /* visits of list locks; of those that take slabs; slabs made */
        double run_mu, run_sigma, remote;
        double free_pages; /* of the node, with empty lists */
} EventDemand;

typedef struct EventSums {
        double units, pages, huge_pages, slab_pages, user_ns, idle_ns, stall_ns;
        double duty, parked; /* integrals over time */
        double covered_ns;   /* of duty, parked */
        double parked_max;
        double huge_got, huge_missed, stalls, fails;
        uint64_t events;
} EventSums;

#define EVENT_HOLD_BINS 512u

typedef struct EventNode {
        const PlantMachine *machine;
        const PlantWorkload *workload;
        const PlantSettings *settings;
        EventDemand demand;
        Random random;
        EventCpu *cpu;
        unsigned *heap; /* CPUs by time */
        unsigned n;
        EventLock zone, lru, memory, *list;
        SlabDemand *slab;                  /* by cache */
        double *visits_until, *made_until; /* sums of slab, to draw a cache */
        size_t n_caches;
        double now_ns, from_ns, until_ns; /* counted from from_ns on */
        double parked;                    /* pages in all lists */
        uint64_t hold_bins[EVENT_HOLD_BINS];
        PcpStats zone_pages; /* since from_ns */
        EventSums sums;
} EventNode;

/* Lets the node run until until_ns. */
void event_node_run(EventNode *node);
/* The share of time in which memory is reclaimed: the workload's, and more when lists hold most of what is free. */
_pure_ double event_node_duty(const EventNode *node);
/* Upper edge of the bin that holds the share of zone->lock holds, ns; 0: no holds. */
_pure_ double event_node_hold_ns(const EventNode *node, double share);
/* Pages of a run; draws. */
double event_run_pages(EventNode *node);
