/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of kernels, parameters and causes: each row is found by its name, each number has its own place, and what the rows say
 * of kernels fits what the kernels' own rules say elsewhere. */
#include "core/act/thp-alignment.h"
#include "machine/sim/plant.h"
#include "test.h"

TEST(every_kernel_is_found_by_its_name_and_no_other) {
        size_t n;
        const PlantKernel *k = plant_kernels(&n);

        ASSERT_TRUE(n >= 7);
        for (size_t i = 0; i < n; i++) {
                ASSERT_TRUE(plant_kernel_find(k[i].name) == &k[i]);
                ASSERT_TRUE(text_starts(text_from(k[i].release), k[i].name));
        }
        ASSERT_TRUE(plant_kernel_find("6.1") != plant_kernel_find("6.12"));
        ASSERT_TRUE(plant_kernel_find("6.13") == NULL);
        ASSERT_TRUE(plant_kernel_find("") == NULL);
        ASSERT_TRUE(plant_kernel_find(NULL) == NULL);
}

/* The release alone tells how mappings are aligned: the adviser's own rule, made from other sources. */
TEST(the_alignment_of_a_kernel_is_that_of_its_release) {
        size_t n;
        const PlantKernel *k = plant_kernels(&n);

        for (size_t i = 0; i < n; i++)
                ASSERT_EQ_U(k[i].thp_alignment,
                            (unsigned) thp_alignment_from_release(text_from(k[i].release)));
}

TEST(generations_come_in_order) {
        size_t n;
        const PlantKernel *k = plant_kernels(&n);

        for (size_t i = 1; i < n; i++) {
                ASSERT_TRUE(k[i].pcp >= k[i - 1].pcp);
                ASSERT_TRUE(k[i].slab >= k[i - 1].slab);
                ASSERT_TRUE(k[i].slab_loop >= k[i - 1].slab_loop);
                ASSERT_TRUE(k[i].order_writable <= k[i - 1].order_writable);
                ASSERT_TRUE(k[i].pcp_shown >= k[i - 1].pcp_shown);
                ASSERT_TRUE(k[i].thp_sizes >= k[i - 1].thp_sizes);
                ASSERT_TRUE(k[i].batch_scale_max >= k[i - 1].batch_scale_max);
        }
        for (size_t i = 0; i < n; i++) {
                ASSERT_TRUE(k[i].pcp_shown == (k[i].pcp == PCP_GEN_AUTO_SHOWN));
                ASSERT_TRUE((k[i].batch_scale_max > 0) == pcp_gen_tunes(k[i].pcp));
        }
}

#define CHECK_TABLE(type, specs, find, init, object_type)                                      \
        do {                                                                                   \
                size_t n_rows;                                                                 \
                const type *rows = specs(&n_rows);                                             \
                object_type object;                                                            \
                                                                                               \
                init(&object);                                                                 \
                for (size_t i = 0; i < n_rows; i++) {                                          \
                        const double *at = (const void *) ((char *) &object + rows[i].offset); \
                                                                                               \
                        ASSERT_TRUE(find(rows[i].name) == &rows[i]);                           \
                        ASSERT_TRUE(rows[i].offset + sizeof(double) <= sizeof(object));        \
                        ASSERT_TRUE(rows[i].floor <= rows[i].def &&                            \
                                    rows[i].def <= rows[i].ceiling);                           \
                        ASSERT_TRUE(*at == rows[i].def);                                       \
                        ASSERT_TRUE(rows[i].help[0] && rows[i].unit);                          \
                        for (size_t k = 0; k < i; k++)                                         \
                                ASSERT_NE_U(rows[k].offset, rows[i].offset);                   \
                }                                                                              \
                ASSERT_TRUE(find("nothing") == NULL);                                          \
                ASSERT_TRUE(find(NULL) == NULL);                                               \
        } while (0)

TEST(parameters_have_names_places_and_defaults_within_limits) {
        size_t n;

        CHECK_TABLE(PlantParamSpec, plant_param_specs, plant_param_find, plant_params_init,
                    PlantParams);
        (void) plant_param_specs(&n);
        ASSERT_EQ_U(n * sizeof(double), sizeof(PlantParams)); /* none is missing */
}

TEST(causes_have_names_places_and_defaults_within_limits) {
        size_t n;

        CHECK_TABLE(PlantWorkloadSpec, plant_workload_specs, plant_workload_find,
                    plant_workload_init, PlantWorkload);
        (void) plant_workload_specs(&n);
        ASSERT_EQ_U(n * sizeof(double), sizeof(PlantWorkload) - offsetof(PlantWorkload, busy));
}

TEST_MAIN()
