/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines and workloads of published rows, run through plant_analytic(). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "base/text.h"
#include "sim/calibration.h"

#define GIB (1024.0 * 1024 * 1024)

const SweepMachine sweep_machines[SWEEP_MACHINES] = {
        /* clang-format off */
        { "Skylake-EX (4 sockets)",   "skylake-ex",         4, 48, 0.3, 0.9, 0.4, 0.9, 3.2, 6.6 },
        { "Broadwell-EX (4 sockets)", "broadwell-ex",       4, 48, 0.8, 1.4, 1.4, 2.8, 4.7, 8.1 },
        { "Skylake-EP (2 sockets)",   "skylake-ep",         2, 56, 0.6, 1.1, 2.2, 2.9, 6.0, 13.4 },
        { "Broadwell-EP (2 sockets)", "broadwell-ep",       2, 44, 0.3, 1.5, 0.6, 1.8, 2.3, 3.2 },
        { "Haswell-EP (2 sockets)",   "haswell-ep",         2, 36, 0.2, 0.4, 0.3, 0.7, 0.7, 2.0 },
        { "Westmere-EP (2 sockets)",  "westmere-ep",        2, 12, 0.4, 0.7, 0.6, 1.1, 0.6, 1.0 },
        { "Skylake-Desktop",          "desktop",    1, 8,  0.5, 0.9, 0.5, 0.9, 0.8, 1.7 },
        { "Haswell-Desktop",          "haswell-desktop",    1, 8,  0.5, 0.9, 0.5, 0.9, 0.8, 1.7 },
        { "Sandybridge-Desktop",      "sandybridge-desktop", 1, 4, 0.5, 0.9, 0.5, 0.9, 0.8, 1.7 },
        /* clang-format on */
};

const char *const sweep_params[SWEEP_PARAMS] = { "zone_handover_ns", "zone_page_ns", "lru_ns",
                                                 "think_ns", "memory_ns" };
const char *const list_params[LIST_PARAMS] = {
        "list_ns", "think_ns", "smt_slowdown", "socket_factor", "list_exponent", "list_order_factor"
};
const char *const build_params[BUILD_PARAMS] = { "run_mu", "run_sigma", "think_ns" };

static void machine_init(PlantMachine *m, const char *kernel, unsigned cpus, unsigned nodes,
                         double memory_of_node) {
        memset(m, 0, sizeof(*m));
        plant_params_init(&m->params);
        m->kernel = plant_kernel_find(kernel);
        m->cpus = m->possible = cpus;
        m->nodes = m->packages = nodes;
        m->memory_bytes = (uint64_t) (memory_of_node * nodes);
        m->hertz_tick = 100;
}

static void settings_init(PlantSettings *s, const PlantMachine *m, double batch, double high) {
        memset(s, 0, sizeof(*s));
        s->pcp_batch = (uint64_t) batch;
        s->pcp_high = s->pcp_default_high = (uint64_t) high;
        s->online = m->cpus;
        s->defrag = PLANT_DEFRAG_MADVISE;
}

/* A cache as the kernel makes it when `cpus` of them are counted. */
static void cache_add(PlantMachine *m, PlantSettings *s, const char *name, uint64_t size,
                      double share, double turnover, unsigned cpus) {
        SlubPerCpu per = m->kernel->slab == PLANT_SLAB_OBJECTS ? SLUB_PER_CPU_OBJECTS
                                                               : SLUB_PER_CPU_SLABS;
        size_t i = m->n_caches++;
        SlubOrder order = { 0 };
        uint64_t partial = 0;

        (void) text_format(m->caches[i].name, sizeof(m->caches[i].name), "%s", name);
        m->caches[i].object_size = m->caches[i].slab_size = size;
        m->caches[i].share = share;
        m->caches[i].turnover = turnover;
        if (!slub_compute_order(m->kernel->slab_loop, size, slub_wanted_objects(cpus), 0, 3, 4096,
                                &order) ||
            !slub_cpu_partial_default(per, size, 4096, false, &partial))
                fprintf(stderr, "%s: no order\n", name);
        s->cache[i].order = s->cache[i].order_default = order.order;
        s->cache[i].objects = order.objects;
        s->cache[i].cpu_partial = s->cache[i].cpu_partial_default = partial;
        s->cache[i].min_partial = s->cache[i].min_partial_default = slub_min_partial_default(size);
}

static PlantMachine machine;
static PlantSettings settings;
static PlantWorkload workload;
static PlantRates rates;

void sweep_predict(const SweepMachine *m, const double params[static SWEEP_PARAMS], double batch,
                   SweepPoint *ret) {
        unsigned cpus = m->nodes * m->cpus_of_node;

        machine_init(&machine, "4.18", cpus, m->nodes, 64 * GIB);
        for (unsigned i = 0; i < SWEEP_PARAMS; i++)
                *(double *) (void *) ((char *) &machine.params +
                                      plant_param_find(sweep_params[i])->offset) = params[i];
        settings_init(&settings, &machine, batch, 6 * batch);
        plant_workload_init(&workload);
        plant_analytic(&machine, &workload, &settings, &rates);
        *ret = (SweepPoint){ .work = rates.work,
                             .zone_share = 100 * rates.zone_wait / cpus,
                             .lru_share = 100 * rates.lru_wait / cpus };
}

/* mmap1 maps and unmaps: about two objects of 256 bytes an operation (a vma and a node of the maple tree; assumed: only its product
 * with list_ns matters). The quarter load is taken to sit on one socket. */
#define MMAP1_OBJECTS 2.0

void list_predict(const double params[static LIST_PARAMS], double load, double k, unsigned order,
                  unsigned min_partial, double *ret_each, double *ret_share) {
        bool one_socket = load <= 0.25;
        unsigned cpus = one_socket ? 112 : 224;
        double processes = load * 224;

        machine_init(&machine, "6.1", 224, one_socket ? 1 : 2, 128 * GIB);
        for (unsigned i = 0; i < LIST_PARAMS; i++)
                *(double *) (void *) ((char *) &machine.params +
                                      plant_param_find(list_params[i])->offset) = params[i];
        settings_init(&settings, &machine, 63, BUILD_HIGH_BASE);
        settings.online = cpus; /* orders go by the 224 of the machine */
        cache_add(&machine, &settings, "maple_node", 256, 1, 0, 224);
        settings.cache[0].cpu_partial = (uint64_t) (k * (double) settings.cache[0].cpu_partial);
        settings.cache[0].order += order;
        settings.cache[0].objects <<= order;
        if (min_partial > 0)
                settings.cache[0].min_partial = min_partial;
        plant_workload_init(&workload);
        workload.pages = 0;
        workload.list_factor = MMAP1_OBJECTS * 256 / 4096;
        workload.busy = processes / cpus;
        plant_analytic(&machine, &workload, &settings, &rates);
        *ret_each = rates.work / processes;
        *ret_share = 100 * rates.list_wait / processes;
}

void hackbench_80(double objects, SlabLoad *ret, PlantWorkload *ret_workload) {
        double bytes = 768 + 1024 * objects;

        *ret = (SlabLoad){ "5.10",
                           80,
                           2,
                           { { "kmalloc-512", 512, 512 / bytes, 0, 0 },
                             { "skbuff_head_cache", 256, 256 / bytes, 0, 0 },
                             { "kmalloc-1k", 1024, 1024 * objects / bytes, 1, 0 } } };
        plant_workload_init(ret_workload);
        ret_workload->list_factor = bytes / 4096;
}

const SlabLoad hackbench_arm64 = { "5.10",
                                   224,
                                   2,
                                   { { "kmalloc-512", 512, 2.0 / 3, 0, 0 },
                                     { "skbuff_head_cache", 256, 1.0 / 3, 0, 0 } } };
/* Accounting by objects, by slabs with the old default, by slabs with the new one. */
const SlabLoad guest_objects = { "5.10", 8, 1, { { "skbuff_head_cache", 256, 1, 0, 0 } } };
const SlabLoad guest_slabs_13 = { "6.1", 8, 1, { { "skbuff_head_cache", 256, 1, 0, 13 } } };
const SlabLoad guest_slabs_52 = { "6.1", 8, 1, { { "skbuff_head_cache", 256, 1, 0, 52 } } };

void slab_predict(const SlabLoad *l, const PlantParams *p, const PlantWorkload *w,
                  unsigned boot_cpus, PlantRates *ret) {
        machine_init(&machine, l->kernel, l->cpus, l->nodes, 64 * GIB);
        machine.params = *p;
        settings_init(&settings, &machine, 63, 378);
        for (size_t i = 0; i < ELEMENTSOF(l->cache) && l->cache[i].name; i++) {
                cache_add(&machine, &settings, l->cache[i].name, l->cache[i].size,
                          l->cache[i].share, l->cache[i].turnover,
                          boot_cpus > 0 ? boot_cpus : l->cpus);
                if (l->cache[i].cpu_partial > 0)
                        settings.cache[i].cpu_partial = l->cache[i].cpu_partial;
        }
        plant_analytic(&machine, w, &settings, ret);
}

void build_predict(const double params[static BUILD_PARAMS], double page_ns, double handover_ns,
                   double high, SweepPoint *ret, double *ret_passing) {
        machine_init(&machine, high > BUILD_HIGH_BASE ? "6.7" : "6.1", 224, 2, 128 * GIB);
        for (unsigned i = 0; i < BUILD_PARAMS; i++)
                *(double *) (void *) ((char *) &machine.params +
                                      plant_param_find(build_params[i])->offset) = params[i];
        machine.params.zone_page_ns = page_ns;
        machine.params.zone_handover_ns = handover_ns;
        settings_init(&settings, &machine, 63, high);
        plant_workload_init(&workload);
        workload.lru_factor = 0; /* no row says what its lru lock does */
        plant_analytic(&machine, &workload, &settings, &rates);
        *ret = (SweepPoint){ .work = rates.work,
                             .zone_share = 100 * rates.zone_wait / 224,
                             .lru_share = 100 * rates.lru_wait / 224 };
        *ret_passing = rates.refill_pages / rates.work;
}
