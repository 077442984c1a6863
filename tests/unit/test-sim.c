/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated machine as the program sees it: its files are read by the parsers without an issue, and give the knobs
 * and models that the real captures of the same kernels give. */
#include "sim-world.h"

static const char *const kernels[] = { "4.18", "5.10", "6.1", "6.7", "6.12", "6.18", "7.2", "7.3" };

static const char *issues(void) {
        static char text[4096];

        text[0] = '\0';
        for (size_t i = 0; i < world_log.n_issues; i++)
                (void) text_format(text + strlen(text), sizeof(text) - strlen(text), "%s:%u: %s\n",
                                   world_log.issue[i].path, world_log.issue[i].line,
                                   world_log.issue[i].what);
        return text;
}

static const Knob *knob(const KnobSet *set, const char *name, const char *scope) {
        Scope s = { 0 };
        const Knob *k;

        (void) text_copy(s.name, sizeof(s.name), text_from(scope));
        k = knob_set_find(set, name, &s);
        if (!k)
                printf("# no row %s %s\n", name, scope);
        ASSERT_TRUE(k);
        return k;
}

static MachineFacts facts;
static KnobInput input;

static KnobSet build(void) {
        KnobFile *files;
        KnobSet set;

        ASSERT_OK(sample_facts(world, &world_arena, &facts, &world_log));
        input = (KnobInput){ .facts = &facts, .last = world_take(), .may_write = true };
        ASSERT_OK(sample_knob_files(world, &world_arena, &files, &input.n_files, &world_log));
        input.files = files;
        ASSERT_OK(knobs_build(&world_arena, &input, &set));
        return set;
}

TEST(every_kernel_is_read_without_an_issue) {
        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                const Snapshot *s;

                world_spec(kernels[i]);
                spec.machine.lock_stat = true;
                world_open();
                world_run(3, 1);
                s = world_take();
                for (size_t f = 0; f < _SENSE_FILE_MAX; f++)
                        ASSERT_EQ_I(s->state[f], SENSE_OK);
                ASSERT_OK(sample_facts(world, &world_arena, &facts, &world_log));
                ASSERT_STR(issues(), "");
                ASSERT_STR(facts.release, spec.machine.kernel->release);
                ASSERT_EQ_U(facts.topology.n_online, 8);
                ASSERT_EQ_U(facts.topology.n_nodes, 2);
                ASSERT_EQ_U(facts.topology.n_packages, 2);
                ASSERT_EQ_U(facts.topology.nodes[1].n_online, 4);
                ASSERT_EQ_U(facts.page_bytes.value, 4096);
                ASSERT_EQ_U(facts.clk_tck.value, 100);
                ASSERT_EQ_U(facts.hpage_pmd_bytes.value, 2097152);
                ASSERT_TRUE(s->vmstat->n_keys > 60);
                ASSERT_TRUE(s->meminfo->n_keys > 20);
                ASSERT_EQ_U(s->slab->n, 4);
                ASSERT_TRUE(s->lock_stat->collecting);
                world_close();
        }
}

/* Of the generation that runs, found from behaviour: as the captures of these kernels are told apart. */
TEST(the_models_find_the_generation_that_is_simulated) {
        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                PcpModel pcp;
                SlubModel slub;

                world_begin(kernels[i]);
                world_run(10, 1);
                (void) build();
                knob_pcp_model(&input, &pcp);
                knob_slub_model(&input, &slub);
                ASSERT_EQ_I(pcp.gen, spec.machine.kernel->pcp);
                ASSERT_EQ_I(slub.per_cpu,
                            spec.machine.kernel->slab == PLANT_SLAB_OBJECTS ? SLUB_PER_CPU_OBJECTS
                            : spec.machine.kernel->slab == PLANT_SLAB_SLABS ? SLUB_PER_CPU_SLABS
                                                                            : SLUB_PER_CPU_SHEAVES);
                ASSERT_EQ_U(slub.n_explained, 4);
                world_close();
        }
}

/* The states of the same knobs on captures of these kernels (test-knob-build.c). */
TEST(knobs_have_the_states_of_the_captures) {
        static const struct {
                const char *kernel, *knob, *scope, *state;
        } rows[] = {
                { "5.10", "pcp-high-fraction", "system", "live" },
                { "6.1", "pcp-high-fraction", "system", "live" },
                { "6.12", "pcp-high-fraction", "system", "kernel" },
                { "7.3", "pcp-high-fraction", "system", "kernel" },
                { "5.10", "slab-order", "cache:dentry", "boot" },
                { "6.1", "slab-order", "cache:dentry", "boot" },
                { "6.1", "slab-cpu-partial", "cache:dentry", "live" },
                { "6.12", "slab-cpu-partial", "cache:dentry", "live" },
                { "7.2", "slab-cpu-partial", "cache:dentry", "removed" },
                { "7.3", "slab-cpu-partial", "cache:dentry", "removed" },
                { "7.3", "slab-min-partial", "cache:dentry", "live" },
                { "7.3", "thp-defrag", "system", "live" },
                { "5.10", "thp-enabled", "system", "live" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                KnobSet set;

                world_begin(rows[i].kernel);
                world_run(5, 1);
                set = build();
                printf("# %s %s\n", rows[i].kernel, rows[i].knob);
                ASSERT_STR(knob_state_to_string(knob(&set, rows[i].knob, rows[i].scope)->state),
                           rows[i].state);
                world_close();
        }
}

TEST_MAIN()
