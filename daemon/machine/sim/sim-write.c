/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One write of a whole value, as the kernel generation takes, rounds or refuses it. Gives the errno of the kernel: ENOENT no such file, EACCES
 * a file that nobody may write, EINVAL and ERANGE a value that it does not take.
 *
 * What follows a write:
 *   fraction       the limits of all lists are recomputed; not when the value is the one stored (percpu_pagelist_*_sysctl_handler())
 *   min_free       a floor for all later recomputes (user_min_free_kbytes); watermarks, and from 5.14 the lists
 *   scale factor   the same recompute, even with the value stored
 *   THP enabled    min_free again (start_stop_khugepaged(), set_recommended_min_free_kbytes())
 *   order          refused from 5.9 on; before, a new number of objects
 *   min_partial    5.10 stores 5..10
 *   cpu_partial    7.x takes 0 only */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "machine/sim/sim-private.h"

#define MIN_PARTIAL 5u /* mm/slub.c, as long as writes are clamped */
#define MAX_PARTIAL 10u
#define MAX_ORDER_DEFAULT 3u /* slub_max_order */

static void take_effect(const PlantKernel *k, SimConfig *c, SimEffect effect, bool changed) {
        switch (effect) {
        case SIM_EFFECT_NONE:
                return;
        case SIM_EFFECT_FRACTION:
                if (changed)
                        sim_recompute_lists(k, c, 0);
                return;
        case SIM_EFFECT_MIN_FREE:
                c->user_min_free_kb = c->min_free_kb;
                sim_recompute_watermarks(k, c);
                return;
        case SIM_EFFECT_WATERMARKS:
                sim_recompute_watermarks(k, c);
                return;
        case SIM_EFFECT_THP:
                sim_recompute_min_free(k, c, false);
                sim_recompute_watermarks(k, c);
                return;
        }
}

static int write_knob(const PlantKernel *k, SimConfig *c, const SimKnob *knob, Text value) {
        uint64_t *place = (uint64_t *) (void *) ((char *) c + knob->offset), number = 0;
        bool changed;
        int error;

        if (knob->words)
                error = sim_word(value, knob->words, &number);
        else if (knob->sysfs)
                /* khugepaged and the flags say EINVAL of anything they do not like */
                error = sim_number_sysfs(value, knob->ceiling, &number) != 0 || number < knob->floor
                                ? EINVAL
                                : 0;
        else
                error = sim_number_sysctl(value, knob->floor, knob->ceiling, &number);
        if (error)
                return error;
        if (knob->effect == SIM_EFFECT_FRACTION && number > 0 && number < PCP_FRACTION_FLOOR)
                return EINVAL;
        changed = *place != number;
        *place = number;
        take_effect(k, c, knob->effect, changed);
        return 0;
}

static int write_size(const PlantKernel *k, SimConfig *c, const SimFile *f, Text value) {
        uint64_t *place = f->attr == SIM_SIZE_ENABLED ? &c->size_enabled[f->index]
                                                      : &c->size_shmem[f->index];
        int error = sim_word(
                value, f->attr == SIM_SIZE_ENABLED ? sim_size_words : sim_size_shmem_words, place);

        if (error == 0 && f->attr == SIM_SIZE_ENABLED)
                take_effect(k, c, SIM_EFFECT_THP, true);
        return error;
}

static int write_order(SimSlab *slab, uint64_t size, uint64_t order) {
        uint64_t objects = (SIM_PAGE_BYTES << MIN(order, UINT64_C(10))) / MAX(size, UINT64_C(1));

        if (order > MAX_ORDER_DEFAULT || objects == 0)
                return EINVAL;
        slab->order = (unsigned) order;
        slab->objects = MIN(objects, (uint64_t) SLUB_MAX_OBJECTS);
        return 0;
}

static int write_slab(const Sim *s, SimConfig *c, const SimFile *f, Text value) {
        const PlantKernel *k = s->kernel;
        const char *name = sim_slab_attrs[f->attr].name;
        SimSlab *slab = &c->slab[f->index];
        uint64_t number = 0;
        int error;

        if (strcmp(name, "shrink") == 0) /* flushes and walks; nothing that the model keeps */
                return value.size > 0 && value.data[0] == '1' ? 0 : EINVAL;
        if (strcmp(name, "validate") == 0) /* 5.10 checks any cache, later kernels debug ones */
                return k->min_partial_clamped && value.size > 0 && value.data[0] == '1' ? 0
                                                                                        : EINVAL;
        if (strcmp(name, "min_partial") == 0)
                error = sim_number_sysfs(value, UINT64_MAX, &number);
        else
                error = sim_number_sysfs(value, UINT32_MAX, &number);
        if (error)
                return error;
        if (strcmp(name, "cpu_partial") == 0) {
                if (k->slab == PLANT_SLAB_SHEAVES && number != 0)
                        return EINVAL;
                slab->cpu_partial = number;
        } else if (strcmp(name, "min_partial") == 0) {
                slab->min_partial = k->min_partial_clamped
                                            ? MIN(MAX(number, (uint64_t) MIN_PARTIAL),
                                                  (uint64_t) MAX_PARTIAL)
                                            : number;
        } else if (strcmp(name, "remote_node_defrag_ratio") == 0) {
                if (number > 100)
                        return ERANGE;
                slab->remote_ratio = number;
        } else if (strcmp(name, "order") == 0) {
                return write_order(slab, s->spec->machine.caches[f->index].slab_size, number);
        }
        return 0; /* skip_kfence: nothing that the model keeps */
}

int sim_config_write(const Sim *s, SimConfig *c, const char *path, Text value) {
        size_t n;
        const SimKnob *knobs = sim_knobs(&n);
        SimFile f;

        if (!sim_file_find(s, path, &f))
                return ENOENT;
        if (!(f.mode & 0200))
                return EACCES;
        c->version++;
        switch (f.kind) {
        case SIM_FILE_KNOB:
                return write_knob(s->kernel, c, &knobs[f.index], value);
        case SIM_FILE_SIZE:
                return write_size(s->kernel, c, &f, value);
        case SIM_FILE_SLAB:
                return write_slab(s, c, &f, value);
        case SIM_FILE_CPU: {
                uint64_t number = 0;

                if (sim_word(value, (const char *const[]){ "0", "1", NULL }, &number) != 0)
                        return EINVAL;
                sim_cpu_set(s, c, f.index, number == 1);
                return 0;
        }
        case SIM_FILE_VMSTAT:
        case SIM_FILE_STAT:
        case SIM_FILE_PRESSURE:
        case SIM_FILE_MEMINFO:
        case SIM_FILE_LOCK_STAT:
        case SIM_FILE_ZONEINFO:
        case SIM_FILE_BUDDYINFO:
        case SIM_FILE_SLABINFO:
        case SIM_FILE_UPTIME:
        case SIM_FILE_VERSION:
        case SIM_FILE_RELEASE:
        case SIM_FILE_CMDLINE:
        case SIM_FILE_CPUINFO:
        case SIM_FILE_CONSTANT:
        case SIM_FILE_THP_COUNT:
        case SIM_FILE_CPUS:
        case SIM_FILE_NODE:
        case SIM_FILE_NODES:
        case SIM_FILE_EXTERNAL:
        case SIM_FILE_KMSG:
        case SIM_FILE_SIGNALS:
        case SIM_FILE_CAPTURE_JSON:
                break;
        }
        return EINVAL;
}
