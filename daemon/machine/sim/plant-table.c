/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of machines and causes of workloads as tables: name, default, limits, unit, what it is. Files of machines and scenarios,
 * sweeps and the tests that change every parameter by 30 % either way go by these rows; nothing else knows the names.
 *
 * Defaults of a machine are those of a four-socket Skylake-EX as fitted to a published batch sweep (page faults of 192 processes, batches
 * 31 to 511), and for slabs those fitted to published series
 * of slab orders, cpu_partial and slab statistics (tests/sim/calibrate.c); where no published row pins a value the help says "assumed". */
#include <stddef.h>

#include "base/text.h"
#include "machine/sim/plant.h"

#define PARAM(member) #member, offsetof(PlantParams, member)
#define CAUSE(member) #member, offsetof(PlantWorkload, member)

static const PlantParamSpec params[] = {
        { PARAM(zone_handover_ns), 3265, 0, 1e6, "ns",
          "handing over zone->lock for one batch, allocation and free together" },
        { PARAM(zone_page_ns), 156, 0, 1e5, "ns", "list work per page under zone->lock" },
        { PARAM(lru_ns), 221, 0, 1e5, "ns", "lru lock, per page" },
        { PARAM(think_ns), 2621, 0, 1e7, "ns",
          "everything else, per page of the reference workload" },
        { PARAM(memory_ns), 0, 0, 1e5, "ns", "memory bandwidth, per page" },
        { PARAM(list_ns), 636, 0, 1e5, "ns", "node list lock of slabs, per page of slab traffic" },
        { PARAM(list_exponent), 0.437, 0, 4, "",
          "list demand falls with cpu_partial to this power" },
        { PARAM(list_order_factor), 0.7, 0.05, 4, "", "list demand of slabs one order larger" },
        { PARAM(smt_slowdown), 1, 1, 4, "", "slowdown when both threads of a core are busy" },
        { PARAM(socket_factor), 1, 1, 4, "", "slowdown of locks when several sockets take part" },
        { PARAM(run_mu), 0, 0, 20, "ln pages", "median length of a run of allocations" },
        { PARAM(run_sigma), 0, 0, 5, "ln pages", "its spread; 0: every page reaches the zone" },
        { PARAM(cold_ns), 0, 0, 1e5, "ns", "a page that left the cache while parked (assumed)" },
        { PARAM(llc_bytes), 33554432, 0, 1e12, "bytes", "last level cache of a node (assumed)" },
        { PARAM(slab_run_mu), -1.386, -20, 20, "ln pages",
          "median length of a run of slab allocations" },
        { PARAM(slab_run_sigma), 0.8, 0.01, 5, "ln pages", "its spread (assumed)" },
        { PARAM(slab_page_ns), 500, 0, 1e6, "ns",
          "making and freeing a slab beyond zone->lock (assumed)" },
        { PARAM(zero_bytes_per_ns), 2, 0.01, 1000, "bytes/ns", "clearing huge pages" },
        { PARAM(compact_stall_ms), 5, 0, 1e5, "ms", "median stall of direct compaction (assumed)" },
        { PARAM(compact_sigma), 1, 0, 5, "ln", "its spread (assumed)" },
        { PARAM(fragmentation), 0.1, 0, 1, "",
          "probability that a huge page needs compaction (assumed)" },
        { PARAM(merge_loss), 0.5, 0, 1, "",
          "share of odd maps that no longer merge when aligned (assumed)" },
        { PARAM(tlb_gain), 0.1, 0, 0.9, "", "think time saved on pages in huge pages (assumed)" },
};

static const PlantWorkloadSpec causes[] = {
        { CAUSE(busy), 1, 0, 1, "share", "online CPUs that run it" },
        { CAUSE(pages), 1, 0, 1000, "pages", "page allocations per unit of work" },
        { CAUSE(think_factor), 1, 0, 1e6, "", "times think_ns of the machine" },
        { CAUSE(user_share), 0.3, 0, 1, "share", "think time that is user time" },
        { CAUSE(lru_factor), 1, 0, 1000, "", "times lru_ns" },
        { CAUSE(memory_factor), 1, 0, 1000, "", "times memory_ns" },
        { CAUSE(list_factor), 0, 0, 1000, "", "times list_ns; 0: no slab traffic" },
        { CAUSE(app_spin), 0, 0, 1, "share", "CPUs that spin on a lock of the application" },
        { CAUSE(run_factor), 1, 0, 1e6, "", "times the machine's run length" },
        { CAUSE(high_order), 0, 0, 1, "share", "pages taken as orders 1 to 3" },
        { CAUSE(free_remote), 0, 0, 1, "share", "pages freed on another CPU" },
        { CAUSE(thp_faults), 0, 0, 1000, "faults", "huge page faults wanted per 1,000 pages" },
        { CAUSE(thp_marked), 0, 0, 1, "share", "of them in madvised regions" },
        { CAUSE(odd_maps), 0, 0, 1, "share", "maps of 2 MiB or more that are no multiple" },
        { CAUSE(footprint), 0.3, 0, 1, "share", "memory in use" },
        { CAUSE(pressure), 0, 0, 1, "share", "time in which memory is reclaimed" },
        { CAUSE(leak_bytes_per_s), 0, 0, 1e12, "bytes/s", "unreclaimable slab growth" },
};

const PlantParamSpec *plant_param_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(params);
        return params;
}

const PlantParamSpec *plant_param_find(const char *name) {
        for (size_t i = 0; name && i < ELEMENTSOF(params); i++)
                if (text_is(text_from(name), params[i].name))
                        return &params[i];
        return NULL;
}

void plant_params_init(PlantParams *ret) {
        *ret = (PlantParams){ 0 };
        for (size_t i = 0; i < ELEMENTSOF(params); i++)
                *(double *) (void *) ((char *) ret + params[i].offset) = params[i].def;
}

const PlantWorkloadSpec *plant_workload_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(causes);
        return causes;
}

const PlantWorkloadSpec *plant_workload_find(const char *name) {
        for (size_t i = 0; name && i < ELEMENTSOF(causes); i++)
                if (text_is(text_from(name), causes[i].name))
                        return &causes[i];
        return NULL;
}

void plant_workload_init(PlantWorkload *ret) {
        *ret = (PlantWorkload){ 0 };
        for (size_t i = 0; i < ELEMENTSOF(causes); i++)
                *(double *) (void *) ((char *) ret + causes[i].offset) = causes[i].def;
}
