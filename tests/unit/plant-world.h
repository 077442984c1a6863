/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <math.h>

#include "base/arena.h"
#include "machine/sim/plant-events.h"
#include "test.h"

/* A machine, a workload and settings to run the event model on. */
static uint8_t memory[48u << 20];

typedef struct World {
        PlantMachine machine;
        PlantWorkload workload;
        PlantSettings settings;
        PlantEvents events;
        PlantRates analytic;
} World;

static World world;

/* Page faults on one node of 48 CPUs and 64 GiB with the default parameters (a fitted Skylake-EX). */
static World *world_new(const char *kernel) {
        world = (World){ 0 };
        plant_params_init(&world.machine.params);
        plant_workload_init(&world.workload);
        world.machine.kernel = plant_kernel_find(kernel);
        ASSERT_TRUE(world.machine.kernel);
        world.machine.cpus = world.machine.possible = world.settings.online = 48;
        world.machine.nodes = world.machine.packages = 1;
        world.machine.memory_bytes = UINT64_C(64) << 30;
        world.settings.pcp_batch = 63;
        world.settings.pcp_high = world.settings.pcp_high_min = world.settings.pcp_high_max = 378;
        world.settings.thp_enabled = true;
        return &world;
}

_unused_ static void set_high(World *w, uint64_t high) {
        w->settings.pcp_high = w->settings.pcp_high_min = w->settings.pcp_high_max = high;
}

_unused_ static void add_cache(World *w, uint64_t cpu_partial, uint64_t sheaf) {
        PlantCacheSpec *c = &w->machine.caches[w->machine.n_caches];
        /* 256 bytes, 32 objects in a slab of order 1: what 48 CPUs get (4 * (fls(48) + 1) = 28 wanted) */
        c->object_size = c->slab_size = 256;
        c->share = 1;
        w->settings.cache[w->machine.n_caches].cpu_partial = cpu_partial;
        w->settings.cache[w->machine.n_caches].cpu_partial_default = 52;
        w->settings.cache[w->machine.n_caches].min_partial = 5;
        w->settings.cache[w->machine.n_caches].order = 1;
        w->settings.cache[w->machine.n_caches].objects = 32;
        w->settings.cache[w->machine.n_caches].sheaf = sheaf;
        w->machine.n_caches++;
}

_unused_ static const PlantRates *run(World *w, double seconds, uint64_t seed) {
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        a.dirty_bytes = sizeof(memory);
        ASSERT_OK(plant_events(&w->machine, &w->workload, &w->settings, seconds, seed, &a,
                               &w->events));
        ASSERT_EQ_U(a.used_bytes, 0);
        return &w->events.rates;
}

#define ASSERT_BETWEEN(x, low, high)                                                             \
        do {                                                                                     \
                double _x = (x), _low = (low), _high = (high);                                   \
                test_state.n_asserts++;                                                          \
                if (!(_x >= _low && _x <= _high))                                                \
                        test_fail(__FILE__, __LINE__, "%s is %g, not in %g to %g", #x, _x, _low, \
                                  _high);                                                        \
        } while (0)
#define ASSERT_RATIO(x, y, band) ASSERT_BETWEEN((x) / (y), 1 - (band), 1 + (band))

_unused_ static void run_both(World *w, double seconds) {
        run(w, seconds, 3);
        plant_analytic(&w->machine, &w->workload, &w->settings, &w->analytic);
}
