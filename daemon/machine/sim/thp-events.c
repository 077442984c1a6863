/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One fault that may be served with a huge page, after mm/huge_memory.c of 5.10 to 7.3:
 *
 *   enabled  always: any map; madvise: marked maps; never: none              (hugepage_vma_check(), thp_vma_allowable_order())
 *   defrag   always: every fault may stall for compaction; defer: none; defer+madvise and madvise: marked maps; never: none
 *            (alloc_hugepage_direct_gfpmask(), vma_thp_gfp_mask())
 *
 * A map whose length is no multiple of 2 MiB has an aligned huge page inside only where the kernel aligns every map (6.7 to 6.11); it then no longer
 * merges with its neighbours, so that some of such maps ask for one more. Assumed, with no source that gives them: memory is as often hard to
 * compact (fragmentation) as compaction of it fails, and stalls are lognormal. */
#include <math.h>

#include "core/act/thp-alignment.h"
#include "machine/sim/plant-events.h"

double draw_uniform(Random *r) {
        return (random_u32(r) + 0.5) / 4294967296.0;
}

/* Box and Muller. */
double draw_normal(Random *r) {
        double u = draw_uniform(r), v = draw_uniform(r);

        return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static bool may_stall(PlantDefrag defrag, bool marked) {
        switch (defrag) {
        case PLANT_DEFRAG_ALWAYS:
                return true;
        case PLANT_DEFRAG_DEFER_MADVISE:
        case PLANT_DEFRAG_MADVISE:
                return marked;
        case PLANT_DEFRAG_DEFER:
        case PLANT_DEFRAG_NEVER:
                return false;
        }
        return false;
}

void thp_fault(const PlantMachine *machine, const PlantSettings *settings, bool marked, bool odd,
               Random *random, ThpFault *ret) {
        const PlantParams *p = &machine->params;

        *ret = (ThpFault){ 0 };
        if (!settings->thp_enabled || (!marked && !settings->thp_always))
                return;
        if (odd && machine->kernel->thp_alignment != THP_ALIGNMENT_ALWAYS)
                return;
        ret->asked = true;
        if (draw_uniform(random) >= p->fragmentation) {
                ret->got = true;
                return;
        }
        if (!may_stall(settings->defrag, marked))
                return;
        ret->stalled = true;
        ret->stall_ns = p->compact_stall_ms * 1e6 *
                        exp(p->compact_sigma > 0 ? p->compact_sigma * draw_normal(random) : 0);
        ret->failed = draw_uniform(random) < p->fragmentation;
        ret->got = !ret->failed;
}
