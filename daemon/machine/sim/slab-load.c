/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic for one slab cache: objects that one CPU allocates and another frees, through queues, in runs. That is what senders and receivers
 * of messages do; which CPU gets which queue changes with every run, as tasks that wake up anywhere do. */
#include <errno.h>
#include <math.h>

#include "base/macro.h"
#include "machine/sim/plant-events.h"

typedef struct Queue {
        uint32_t *slab;
        uint64_t first, n;
} Queue;

/* Lognormal, at least 1. */
static uint64_t length(double mu, double sigma, Random *r) {
        double n = exp(mu + (sigma > 0 ? sigma * draw_normal(r) : 0));

        return isfinite(n) && n < 65536 ? (uint64_t) fmax(1, round(n)) : 65536;
}

static void stats_since(const SlabStats *now, const SlabStats *then, SlabStats *ret) {
        const uint64_t *a = (const uint64_t *) now, *b = (const uint64_t *) then;
        uint64_t *d = (uint64_t *) ret;

        static_assert(sizeof(SlabStats) % sizeof(uint64_t) == 0, "SlabStats is counters only");
        for (size_t i = 0; i < sizeof(SlabStats) / sizeof(uint64_t); i++)
                d[i] = a[i] - b[i];
}

int slab_load_run(SlabPool *c, const SlabLoad *load, Random *random, Arena *arena, SlabStats *ret) {
        unsigned n_queues = MAX(load->queues, 1u), cpus = slab_pool_cpus(c);
        uint64_t depth = MAX(load->depth, UINT64_C(1)), done = 0;
        SlabStats half = { 0 };
        bool settled = false;
        double full = (double) n_queues * (double) depth;
        Queue *queue = ARENA_ARRAY(arena, Queue, n_queues);

        if (!queue)
                return -ENOMEM;
        for (unsigned i = 0; i < n_queues; i++) {
                queue[i].slab = ARENA_ARRAY(arena, uint32_t, depth);
                if (!queue[i].slab)
                        return -ENOMEM;
        }
        while (done < load->allocations) {
                unsigned cpu = random_below(random, cpus);
                uint64_t turn = length(load->turn_mu, load->turn_sigma, random);
                bool allocate = draw_uniform(random) >= (double) slab_pool_in_use(c) / full;

                for (unsigned stuck = 0;
                     turn > 0 && done < load->allocations && stuck < n_queues;) {
                        Queue *q = &queue[random_below(random, n_queues)];
                        uint64_t n = length(load->run_mu, load->run_sigma, random);

                        n = MIN(n, turn);
                        n = allocate ? MIN(n, depth - q->n) : MIN(n, q->n);
                        stuck = n > 0 ? 0 : stuck + 1;
                        turn -= MIN(n, turn);
                        for (; n > 0 && allocate && done < load->allocations; n--) {
                                uint32_t slab = slab_pool_alloc(c, cpu);

                                if (slab == UINT32_MAX) { /* more slabs than there is room for */
                                        turn = 0;
                                        done++;
                                        break;
                                }
                                q->slab[(q->first + q->n++) % depth] = slab;
                                if (++done >= load->allocations / 2 && !settled) {
                                        half = *slab_pool_stats(c);
                                        settled = true;
                                }
                        }
                        for (; n > 0 && !allocate; n--, q->n--) {
                                if (!slab_pool_free(c, cpu, q->slab[q->first]))
                                        return -EIO;
                                q->first = (q->first + 1) % depth;
                        }
                }
        }
        stats_since(slab_pool_stats(c), &half, ret);
        return 0;
}
