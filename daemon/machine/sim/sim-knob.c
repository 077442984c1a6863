/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that hold one number or one word: which there are, and which texts a kernel takes.
 *
 *   sysctl  proc_dointvec_minmax() (kernel/sysctl.c): white space in front, one number with a sign, white space behind it; what follows is
 *           not looked at ("8 9" is 8); outside the limits, or nothing at all: EINVAL
 *   sysfs   kstrtoul() (lib/kstrtox.c): digits, one plus in front, one LF behind, nothing else; ERANGE when too large
 *   words   sysfs_streq(): one of the words, LF or not; EINVAL
 *
 * Files of vm/ that only show (lowmem_reserve_ratio) or that no part of the model has are constant texts in sim-files.c. */
#include <errno.h>

#include "base/number.h"
#include "machine/sim/sim-private.h"

#define VM "proc/sys/vm/"
#define THP "sys/kernel/mm/transparent_hugepage/"
#define AT(member) offsetof(SimConfig, member)
#define INT_MAXIMUM UINT64_C(2147483647)
#define U32_MAXIMUM UINT64_C(4294967295)

static const char *const words_enabled[] = { "always", "madvise", "never", NULL };
static const char *const words_defrag[] = { "always",  "defer", "defer+madvise",
                                            "madvise", "never", NULL };
static const char *const words_shmem[] = { "always", "within_size", "advise", "never",
                                           "deny",   "force",       NULL };
static const char *const words_size[] = { "always", "inherit", "madvise", "never", NULL };
static const char *const words_size_shmem[] = { "always", "inherit", "within_size",
                                                "advise", "never",   NULL };

static_assert(PLANT_DEFRAG_ALWAYS == 0 && PLANT_DEFRAG_DEFER == 1 &&
                      PLANT_DEFRAG_DEFER_MADVISE == 2 && PLANT_DEFRAG_MADVISE == 3 &&
                      PLANT_DEFRAG_NEVER == 4,
              "words_defrag in the order of PlantDefrag");

#define SYSCTL(name, member, floor, ceiling, effect, need) \
        { VM name, NULL, AT(member), floor, ceiling, effect, need, false }
#define WORDS(name, words, member, effect) \
        { THP name, words, AT(member), 0, 0, effect, 0, true }
#define SYSFS(name, member, floor, ceiling, need) \
        { THP name, NULL, AT(member), floor, ceiling, SIM_EFFECT_NONE, need, true }

/* Limits: 1..3000 of the scale factor since 5.17 (1000 before, not told apart). */
static const SimKnob knobs[] = {
        SYSCTL("compaction_proactiveness", proactiveness, 0, 100, SIM_EFFECT_NONE, 0),
        SYSCTL("extfrag_threshold", extfrag, 0, 1000, SIM_EFFECT_NONE, 0),
        SYSCTL("min_free_kbytes", min_free_kb, 0, INT_MAXIMUM, SIM_EFFECT_MIN_FREE, 0),
        SYSCTL("numa_stat", numa_stat, 0, 1, SIM_EFFECT_NONE, 0),
        SYSCTL("percpu_pagelist_fraction", fraction, 0, INT_MAXIMUM, SIM_EFFECT_FRACTION,
               SIM_NEED_FRACTION),
        SYSCTL("percpu_pagelist_high_fraction", fraction, 0, INT_MAXIMUM, SIM_EFFECT_FRACTION,
               SIM_NEED_HIGH_FRACTION),
        SYSCTL("stat_interval", stat_interval, 0, INT_MAXIMUM, SIM_EFFECT_NONE, 0),
        SYSCTL("watermark_boost_factor", boost_factor, 0, INT_MAXIMUM, SIM_EFFECT_NONE, 0),
        SYSCTL("watermark_scale_factor", scale_factor, 1, 3000, SIM_EFFECT_WATERMARKS, 0),
        SYSCTL("zone_reclaim_mode", zone_reclaim, 0, INT_MAXIMUM, SIM_EFFECT_NONE, 0),
        WORDS("defrag", words_defrag, thp_defrag, SIM_EFFECT_NONE),
        WORDS("enabled", words_enabled, thp_enabled, SIM_EFFECT_THP),
        SYSFS("khugepaged/alloc_sleep_millisecs", khugepaged[0], 0, U32_MAXIMUM, 0),
        SYSFS("khugepaged/defrag", khugepaged[1], 0, 1, 0),
        SYSFS("khugepaged/max_ptes_none", khugepaged[2], 0, 511, 0),
        SYSFS("khugepaged/max_ptes_shared", khugepaged[6], 0, 511, 0),
        SYSFS("khugepaged/max_ptes_swap", khugepaged[3], 0, 511, 0),
        SYSFS("khugepaged/pages_to_scan", khugepaged[4], 1, U32_MAXIMUM, 0),
        SYSFS("khugepaged/scan_sleep_millisecs", khugepaged[5], 0, U32_MAXIMUM, 0),
        WORDS("shmem_enabled", words_shmem, shmem_enabled, SIM_EFFECT_NONE),
        SYSFS("shrink_underused", shrink_underused, 0, 1, SIM_NEED_SIZES),
        SYSFS("use_zero_page", zero_page, 0, 1, 0),
};

const char *const *const sim_size_words = words_size, *const *const sim_size_shmem_words =
                                                              words_size_shmem;

const SimKnob *sim_knobs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(knobs);
        return knobs;
}

bool sim_knob_exists(const PlantKernel *k, const SimKnob *knob) {
        bool old = k->pcp == PCP_GEN_FRACTION;

        return !((knob->need & SIM_NEED_FRACTION) && !old) &&
               !((knob->need & SIM_NEED_HIGH_FRACTION) && old) &&
               !((knob->need & SIM_NEED_SIZES) && !k->thp_sizes);
}

/* 16 to 2048 kB, the last that of a PMD. (7.x has 8 kB too, for shared memory alone: left out.) */
uint64_t sim_size_kb(unsigned i) {
        return i < SIM_SIZES ? SIM_PMD_KB >> (SIM_SIZES - 1 - i) : 0;
}

static bool is_space(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
}

int sim_number_sysctl(Text text, uint64_t floor, uint64_t ceiling, uint64_t *ret) {
        size_t begin = 0, end;
        uint64_t value;

        while (begin < text.size && is_space(text.data[begin]))
                begin++;
        if (begin < text.size && text.data[begin] == '+')
                begin++;
        for (end = begin; end < text.size && text.data[end] >= '0' && text.data[end] <= '9';)
                end++;
        if (end < text.size && text.data[end] != '\0' && !is_space(text.data[end]))
                return EINVAL;
        if (number_parse_u64(text.data + begin, end - begin, &value) != 0 || value < floor ||
            value > ceiling)
                return EINVAL;
        *ret = value;
        return 0;
}

int sim_number_sysfs(Text text, uint64_t ceiling, uint64_t *ret) {
        uint64_t value;
        int r;

        if (text.size > 0 && text.data[text.size - 1] == '\n')
                text.size--;
        if (text.size > 0 && text.data[0] == '+') {
                text.data++;
                text.size--;
        }
        r = number_parse_u64(text.data, text.size, &value);
        if (r == NUMBER_E_OVERFLOW)
                return ERANGE;
        if (r != 0)
                return EINVAL;
        if (value > ceiling)
                return ERANGE;
        *ret = value;
        return 0;
}

int sim_word(Text text, const char *const *words, uint64_t *ret) {
        if (text.size > 0 && text.data[text.size - 1] == '\n')
                text.size--;
        for (uint64_t i = 0; words[i]; i++)
                if (text_is(text, words[i])) {
                        *ret = i;
                        return 0;
                }
        return EINVAL;
}
