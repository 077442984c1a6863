/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated machine beside real captures of the same kernel (8 CPUs, 2 nodes, 2 GiB both): every knob has the same state, default and legal
 * range, the models find the same, zones have the same marks within what the firmware keeps. */
#include "captures.h"
#include "sense.h"
#include "sim-world.h"

static const struct {
        const char *kernel, *capture;
} pairs[] = {
        { "5.10", "5.10-std-fault" }, { "6.1", "6.1-std-idle" }, { "6.12", "6.12-std-idle" },
        { "7.2", "7.2-std-idle" },    { "7.3", "7.3-std-idle" },
};

static const CaptureSnapshot *capture(const char *name) {
        const Captures *c = captures();

        for (unsigned i = 0; i < c->n; i++)
                if (strcmp(c->snapshots[i]->name, name) == 0)
                        return c->snapshots[i];
        test_fail(__FILE__, __LINE__, "no capture %s", name);
}

static KnobInput real, simulated;
static KnobSet real_set, simulated_set;

/* Of the caches of the capture those that are simulated with their sizes. */
static void open_both(const char *kernel, const char *name) {
        static MachineFacts facts;
        const CaptureSnapshot *c = capture(name);
        KnobFile *files;
        double share = 1;

        world_spec(kernel);
        spec.machine.n_caches = 0;
        for (size_t i = 0; i < c->snapshot.slab->n; i++) {
                const SlabCache *slab = &c->snapshot.slab->caches[i];

                if (!slab->slab_size.known || slab->slab_size.value == 0)
                        continue;
                world_cache(slab->dir, slab->slab_size.value, share);
                spec.machine.caches[spec.machine.n_caches - 1].object_size =
                        slab->object_size.value;
                share = 0;
        }
        world_open();
        world_run(5, 1);
        ASSERT_OK(sample_facts(world, &world_arena, &facts, &world_log));
        simulated = (KnobInput){ .facts = &facts, .last = world_take(), .may_write = true };
        ASSERT_OK(sample_knob_files(world, &world_arena, &files, &simulated.n_files, &world_log));
        simulated.files = files;
        real = captures_input(c);
        ASSERT_OK(knobs_build(&world_arena, &simulated, &simulated_set));
        ASSERT_OK(knobs_build(&world_arena, &real, &real_set));
}

TEST(every_knob_has_the_state_of_the_capture) {
        for (size_t i = 0; i < ELEMENTSOF(pairs); i++) {
                size_t n = 0, n_slab = 0;

                open_both(pairs[i].kernel, pairs[i].capture);
                for (size_t k = 0; k < real_set.n; k++) {
                        const Knob *a = &real_set.knobs[k];
                        const Knob *b = knob_set_find(&simulated_set, a->name, &a->scope);

                        if (!b)
                                printf("# %s: no %s %s\n", pairs[i].kernel, a->name, a->scope.name);
                        ASSERT_TRUE(b);
                        if (a->state != b->state)
                                printf("# %s: %s %s is %s, here %s (%s)\n", pairs[i].kernel,
                                       a->name, a->scope.name, knob_state_to_string(a->state),
                                       knob_state_to_string(b->state), b->reason);
                        ASSERT_EQ_I(b->state, a->state);
                        n++;
                        n_slab += text_starts(text_from(a->scope.name), "cache:");
                }
                printf("# %s: %zu knobs, %zu of caches\n", pairs[i].kernel, n, n_slab);
                ASSERT_TRUE(n > 300 && n_slab > 250);
                world_close();
        }
}

/* Orders, objects, cpu_partial, min_partial and capacities of all caches with their sizes; caches that ask for special treatment are few. */
TEST(values_of_caches_are_those_of_the_capture) {
        for (size_t i = 0; i < ELEMENTSOF(pairs); i++) {
                unsigned n = 0, n_other = 0;

                open_both(pairs[i].kernel, pairs[i].capture);
                for (size_t k = 0; k < real_set.n; k++) {
                        const Knob *a = &real_set.knobs[k];
                        const Knob *b = knob_set_find(&simulated_set, a->name, &a->scope);

                        if (!b || !text_starts(text_from(a->scope.name), "cache:"))
                                continue;
                        n++;
                        if (strcmp(a->value, b->value) != 0) {
                                n_other++;
                                if (n_other <= 5)
                                        printf("# %s: %s %s is %s, here %s\n", pairs[i].kernel,
                                               a->name, a->scope.name, a->value, b->value);
                        }
                }
                printf("# %s: %u of %u values differ\n", pairs[i].kernel, n_other, n);
                ASSERT_TRUE(n > 250 && n_other * 20 < n);
                world_close();
        }
}

TEST(models_are_those_of_the_capture) {
        for (size_t i = 0; i < ELEMENTSOF(pairs); i++) {
                PcpModel a, b;
                SlubModel c, d;

                open_both(pairs[i].kernel, pairs[i].capture);
                knob_pcp_model(&real, &a);
                knob_pcp_model(&simulated, &b);
                ASSERT_EQ_I(b.gen, a.gen);
                knob_slub_model(&real, &c);
                knob_slub_model(&simulated, &d);
                ASSERT_EQ_I(d.per_cpu, c.per_cpu);
                ASSERT_EQ_I(d.loop, c.loop);
                ASSERT_EQ_U(d.min_objects, c.min_objects);
                ASSERT_EQ_I(d.knows_slab_names, c.knows_slab_names);
                world_close();
        }
}

/* Marks and limits of the busy zones: managed memory differs by what the kernel image and firmware keep (up to 4.5 % in the captures). */
TEST(zones_are_those_of_the_capture) {
        for (size_t i = 0; i < ELEMENTSOF(pairs); i++) {
                open_both(pairs[i].kernel, pairs[i].capture);
                for (unsigned node = 0; node < 2; node++) {
                        const Zone *a = zoneinfo_find(real.last->zoneinfo, node, "DMA32");
                        const Zone *b = zoneinfo_find(simulated.last->zoneinfo, node, "DMA32");
                        double part[4];

                        ASSERT_TRUE(a && b && a->n_pagesets == b->n_pagesets);
                        part[0] = (double) b->managed.value / (double) a->managed.value;
                        part[1] = (double) b->min.value / (double) a->min.value;
                        part[2] = (double) b->low.value / (double) a->low.value;
                        part[3] = (double) b->high.value / (double) a->high.value;
                        for (unsigned k = 0; k < 4; k++) {
                                if (part[k] < 0.95 || part[k] > 1.06)
                                        printf("# %s node %u: %u: %.3f\n", pairs[i].kernel, node, k,
                                               part[k]);
                                ASSERT_TRUE(part[k] > 0.95 && part[k] < 1.06);
                        }
                        ASSERT_EQ_U(b->pagesets[0].batch, a->pagesets[0].batch);
                        ASSERT_EQ_U(b->start_pfn.value, a->start_pfn.value);
                }
                world_close();
        }
}

/* A line without its digits; numbers of meminfo end in the same column whatever they are. */
static void shape(char *buffer, size_t size, Text line) {
        size_t n = 0;

        for (size_t i = 0; i < line.size && n + 1 < size; i++)
                if (line.data[i] < '0' || line.data[i] > '9' || i < text_find(line, ' '))
                        if (line.data[i] != ' ')
                                buffer[n++] = line.data[i];
        buffer[n] = '\0';
}

TEST(vmstat_and_meminfo_have_the_lines_of_the_capture_in_their_order) {
        static const char *const names[] = { "vmstat", "meminfo" };

        for (size_t i = 0; i < ELEMENTSOF(pairs); i++)
                for (size_t f = 0; f < ELEMENTSOF(names); f++) {
                        Text file = sense_file(pairs[i].kernel, names[f]), a = file, b, x, y;
                        char path[32], one[128], two[128];
                        unsigned n = 0;

                        world_begin(pairs[i].kernel);
                        ASSERT_TRUE(text_format(path, sizeof(path), "proc/%s", names[f]));
                        b = text_from(world_read(path));
                        while (text_next_line(&a, &x)) {
                                ASSERT_TRUE(text_next_line(&b, &y));
                                shape(one, sizeof(one), x);
                                shape(two, sizeof(two), y);
                                ASSERT_STR(two, one);
                                if (f == 1)
                                        ASSERT_EQ_U(y.size, x.size); /* the column */
                                n++;
                        }
                        ASSERT_FALSE(text_next_line(&b, &y));
                        ASSERT_TRUE(n > 50);
                        sense_free(file);
                        world_close();
                }
}

TEST(zoneinfo_has_the_zones_of_the_capture) {
        for (size_t i = 0; i < ELEMENTSOF(pairs); i++) {
                open_both(pairs[i].kernel, pairs[i].capture);
                ASSERT_EQ_U(simulated.last->zoneinfo->n, real.last->zoneinfo->n);
                ASSERT_EQ_U(simulated.last->zoneinfo->has_high_minmax,
                            real.last->zoneinfo->has_high_minmax);
                for (size_t z = 0; z < real.last->zoneinfo->n; z++) {
                        ASSERT_STR(simulated.last->zoneinfo->zones[z].name,
                                   real.last->zoneinfo->zones[z].name);
                        ASSERT_EQ_U(simulated.last->zoneinfo->zones[z].n_pagesets,
                                    real.last->zoneinfo->zones[z].n_pagesets);
                }
                world_close();
        }
}

TEST_MAIN()
