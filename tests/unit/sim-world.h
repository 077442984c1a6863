/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"
#include "machine/memory.h"
#include "machine/sample.h"
#include "machine/sim/sim.h"
#include "test.h"

/* A simulated machine for tests: 8 CPUs, 2 nodes, 2 GiB as the guests of the captures (or another), with a few caches and one phase of page
 * faults with slab traffic. Change `spec` between world_spec() and world_open(). */
static SimSpec spec;
static Machine *world;
static Arena world_arena;
static ParseLog world_log;
static char world_why[256];

_unused_ static void world_cache(const char *name, uint64_t size, double share) {
        PlantCacheSpec *c = &spec.machine.caches[spec.machine.n_caches++];

        *c = (PlantCacheSpec){ .object_size = size, .slab_size = size, .share = share };
        (void) text_copy(c->name, sizeof(c->name), text_from(name));
}

_unused_ static void world_spec(const char *kernel) {
        spec = (SimSpec){ .n_phases = 1, .noise = SIM_NOISE_NONE, .seed = 1 };
        spec.machine.kernel = plant_kernel_find(kernel);
        ASSERT_TRUE(spec.machine.kernel);
        spec.machine.cpus = spec.machine.possible = 8;
        spec.machine.nodes = spec.machine.packages = 2;
        spec.machine.memory_bytes = UINT64_C(2) << 30;
        spec.machine.hertz_tick = 100;
        spec.machine.psi = true;
        plant_params_init(&spec.machine.params);
        plant_workload_init(&spec.phase[0]);
        world_cache("kmalloc-512", 512, 0.5);
        world_cache("dentry", 192, 0.3);
        world_cache("kmalloc-8", 8, 0);
        world_cache("kmalloc-2k", 2048, 0.2);
}

_unused_ static void world_event(usec_t at, SimEventKind kind, unsigned index, const char *path,
                                 const char *text) {
        SimEvent *e = &spec.event[spec.n_events++];

        *e = (SimEvent){ .at_usec = at, .kind = kind, .index = index };
        (void) text_copy(e->path, sizeof(e->path), text_from(path));
        (void) text_copy(e->text, sizeof(e->text), text_from(text));
}

_unused_ static void world_initial(const char *path, const char *text) {
        (void) text_copy(spec.initial[spec.n_initial].path, sizeof(spec.initial[0].path),
                         text_from(path));
        (void) text_copy(spec.initial[spec.n_initial++].text, sizeof(spec.initial[0].text),
                         text_from(text));
}

_unused_ static void world_close(void) {
        world = machine_free(world);
        arena_unmap(&world_arena);
}

_unused_ static void world_open(void) {
        world_close();
        world_log = (ParseLog){ 0 };
        ASSERT_OK(arena_map(&world_arena, (size_t) 256 << 20));
        int r = sim_machine_new(&spec, &world, world_why, sizeof(world_why));
        if (r != 0)
                printf("# %s\n", world_why);
        ASSERT_OK(r);
}

_unused_ static void world_begin(const char *kernel) {
        world_spec(kernel);
        world_open();
}

/* The text of a file, NUL-terminated. */
_unused_ static const char *world_read(const char *path) {
        Text text;

        ASSERT_OK(machine_read(world, path, (size_t) 64 << 20, &world_arena, &text));
        return text.data;
}

/* The errno of a write; 0. */
_unused_ static int world_write(const char *path, const char *text) {
        int r = machine_write(world, path, text_from(text));

        ASSERT_TRUE(r >= 0);
        if (r == MACHINE_E_ABSENT)
                ASSERT_EQ_I(world->error, ENOENT);
        return r == 0 ? 0 : world->error;
}

_unused_ static const Snapshot *world_take(void) {
        Snapshot *s = arena_alloc(&world_arena, sizeof(*s), _Alignof(Snapshot));

        ASSERT_OK(sample_take(world, &world_arena, SENSE_ALL, s, &world_log));
        return s;
}

_unused_ static void world_run(double seconds, double tick) {
        usec_t end = machine_now(world) + (usec_t) (seconds * 1e6);

        while (machine_now(world) < end)
                ASSERT_OK(machine_advance(world,
                                          MIN(end, machine_now(world) + (usec_t) (tick * 1e6))));
}
