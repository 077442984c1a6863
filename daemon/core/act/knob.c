/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/knob.h"

#include <string.h>

#include "core/sense/thp.h"

const char *knob_state_to_string(KnobState s) {
        switch (s) {
        case KNOB_LIVE:
                return "live";
        case KNOB_BOOT:
                return "boot";
        case KNOB_KERNEL:
                return "kernel";
        case KNOB_FIXED:
                return "fixed";
        case KNOB_REMOVED:
                return "removed";
        case KNOB_ABSENT:
                return "absent";
        case KNOB_DENIED:
                return "denied";
        case KNOB_YIELDED:
                return "yielded";
        case KNOB_PAUSED:
                return "paused";
        case _KNOB_STATE_MAX:
                break;
        }
        return "unknown";
}

const char *knob_owner_to_string(KnobOwner o) {
        switch (o) {
        case OWNER_KERNEL:
                return "kernel";
        case OWNER_ADMIN:
                return "admin";
        case OWNER_ALLOCTUNED:
                return "alloctuned";
        case OWNER_UNKNOWN:
        case _OWNER_MAX:
                break;
        }
        return "unknown";
}

/* "thp-size-64-enabled" stands for the row of all sizes. */
static bool is_size_name(Text name) {
        Text middle = name;

        if (!text_starts(name, "thp-size-") || !text_ends(name, "-enabled"))
                return false;
        middle.data += strlen("thp-size-");
        if (name.size <= strlen("thp-size-") + strlen("-enabled"))
                return false;
        middle.size = name.size - strlen("thp-size-") - strlen("-enabled");
        for (size_t i = 0; i < middle.size; i++)
                if (middle.data[i] < '0' || middle.data[i] > '9')
                        return false;
        return true;
}

const KnobSpec *knob_spec_find(Text name) {
        size_t n = 0;
        const KnobSpec *specs = knob_specs(&n);
        bool size_name = is_size_name(name);

        for (size_t i = 0; i < n; i++)
                if (text_is(name, specs[i].name) ||
                    (size_name && strcmp(specs[i].name, KNOB_SIZE_NAME) == 0))
                        return &specs[i];
        return NULL;
}

static int compare_row(const Knob *k, const char *name, const char *scope) {
        int r = strcmp(k->name, name);

        return r != 0 ? r : strcmp(k->scope.name, scope);
}

const Knob *knob_set_find(const KnobSet *set, const char *name, const Scope *scope) {
        const char *wanted = scope ? scope->name : "system";
        size_t first = 0, end = set->n;

        while (first < end) {
                size_t middle = first + (end - first) / 2;
                int r = compare_row(&set->knobs[middle], name, wanted);

                if (r == 0)
                        return &set->knobs[middle];
                if (r < 0)
                        first = middle + 1;
                else
                        end = middle;
        }
        return NULL;
}

const KnobFile *knob_file_find(const KnobInput *input, const char *path) {
        for (size_t i = 0; i < input->n_files; i++)
                if (strcmp(input->files[i].path, path) == 0)
                        return &input->files[i];
        return NULL;
}

/* Sorted. A test compares it with the table: every path of a system-scope row, and the older
 * name of the fraction. */
static const char *const paths[] = {
        "proc/sys/vm/compaction_proactiveness",
        "proc/sys/vm/min_free_kbytes",
        "proc/sys/vm/percpu_pagelist_fraction",
        "proc/sys/vm/percpu_pagelist_high_fraction",
        "proc/sys/vm/watermark_scale_factor",
        "proc/sys/vm/zone_reclaim_mode",
        "sys/kernel/mm/transparent_hugepage/defrag",
        "sys/kernel/mm/transparent_hugepage/enabled",
        "sys/kernel/mm/transparent_hugepage/khugepaged/alloc_sleep_millisecs",
        "sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
        "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none",
        "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_shared",
        "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_swap",
        "sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan",
        "sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs",
        "sys/kernel/mm/transparent_hugepage/shmem_enabled",
        "sys/kernel/mm/transparent_hugepage/shrink_underused",
};

const char *const *knob_paths(size_t *ret_n) {
        *ret_n = ELEMENTSOF(paths);
        return paths;
}
