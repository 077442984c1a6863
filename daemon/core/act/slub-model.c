/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/act/slub.h"

/* Which rules this kernel's SLUB follows, found by fitting them to the caches. See slub.c. */

#define FITTED_FLS_MAX 14u /* 8,192 CPUs */

static uint64_t page_bytes_of(const SlubInput *input) {
        return input->page_bytes.known && input->page_bytes.value > 0 ? input->page_bytes.value
                                                                      : 4096;
}

/* Untouched caches show the default of their size: more of them fit the right unit. */
static SlubPerCpu find_per_cpu(const SlabTree *slab, uint64_t page_bytes) {
        size_t n_objects = 0, n_slabs = 0, n_sheaves = 0, n_used = 0;

        for (size_t i = 0; slab && i < slab->n; i++) {
                const SlabCache *c = &slab->caches[i];
                uint64_t objects = 0, slabs = 0;

                n_sheaves += c->sheaf_capacity.known && c->sheaf_capacity.value > 0;
                if (!c->cpu_partial.known || !c->slab_size.known || slab_cache_is_debug(c))
                        continue;
                n_used += c->cpu_partial.value > 0;
                if (slub_cpu_partial_default(SLUB_PER_CPU_OBJECTS, c->slab_size.value, page_bytes,
                                             false, &objects))
                        n_objects += c->cpu_partial.value == objects;
                if (slub_cpu_partial_default(SLUB_PER_CPU_SLABS, c->slab_size.value, page_bytes,
                                             false, &slabs))
                        n_slabs += c->cpu_partial.value == slabs;
        }
        if (n_used == 0)
                return n_sheaves > 0 ? SLUB_PER_CPU_SHEAVES : SLUB_PER_CPU_UNKNOWN;
        if (n_objects == n_slabs)
                return SLUB_PER_CPU_UNKNOWN;
        return n_objects > n_slabs ? SLUB_PER_CPU_OBJECTS : SLUB_PER_CPU_SLABS;
}

static bool shows_sheaves(const SlabTree *slab) {
        for (size_t i = 0; slab && i < slab->n; i++)
                if (slab->caches[i].sheaf_capacity.known)
                        return true;
        return false;
}

/* nr_cpu_ids: the highest possible id + 1. */
static unsigned possible_ids(const Topology *t) {
        unsigned n = 0;

        IDSET_FOREACH(id, &t->possible)
                n = id + 1;
        return n;
}

static unsigned rule_cpus(const Topology *t, SlubCpus rule) {
        if (!t)
                return 0;

        unsigned present = t->n_present > 0 ? t->n_present : t->n_online;
        unsigned possible = t->n_possible > 0 ? possible_ids(t) : present;

        return rule == SLUB_CPUS_POSSIBLE || present <= 1 ? MAX(possible, present) : present;
}

static bool shows_order(const SlabCache *c) {
        return c->slab_size.known && c->order.known && c->objs_per_slab.known;
}

static size_t count_explained(const SlabTree *slab, const SlubModel *m) {
        size_t n = 0;

        for (size_t i = 0; slab && i < slab->n; i++) {
                const SlabCache *c = &slab->caches[i];
                SlubOrder o;

                if (shows_order(c) && slub_predict_order(m, c->slab_size.value, 0, &o))
                        n += o.order == c->order.value && o.objects == c->objs_per_slab.value;
        }
        return n;
}

/* Takes the candidate if it explains more caches than the best one so far. */
static void try_rule(const SlabTree *slab, SlubModel candidate, SlubModel *best, unsigned *n_best) {
        candidate.n_explained = count_explained(slab, &candidate);
        if (*n_best == 0 || candidate.n_explained > best->n_explained) {
                *best = candidate;
                *n_best = 1;
        } else if (candidate.n_explained == best->n_explained &&
                   (candidate.loop != best->loop || candidate.min_objects != best->min_objects))
                (*n_best)++;
}

static void try_both_loops(const SlabTree *slab, SlubModel candidate, SlubModel *best,
                           unsigned *n_best) {
        /* The one that goes with the other signs first: it wins a tie. */
        candidate.loop = candidate.knows_slab_names ? SLUB_LOOP_HALF : SLUB_LOOP_FEWER;
        try_rule(slab, candidate, best, n_best);
        candidate.loop = candidate.knows_slab_names ? SLUB_LOOP_FEWER : SLUB_LOOP_HALF;
        try_rule(slab, candidate, best, n_best);
}

static void try_cpus(const SlabTree *slab, SlubModel m, SlubCpus cpus, unsigned n, SlubModel *best,
                     unsigned *n_best) {
        m.cpus = cpus;
        m.n_cpus = n;
        m.min_objects = slub_wanted_objects(n);
        try_both_loops(slab, m, best, n_best);
}

void slub_model_find(const SlubInput *input, SlubModel *ret) {
        assert(input);
        assert(ret);

        SlubModel m = { .page_bytes = page_bytes_of(input) }, best = m;
        unsigned n_best = 0;

        m.per_cpu = find_per_cpu(input->slab, m.page_bytes);
        m.knows_slab_names = input->has_thp_sizes || shows_sheaves(input->slab);
        slub_params_parse(input->cmdline, input->cmdline_known, m.knows_slab_names, &m.params);
        for (size_t i = 0; input->slab && i < input->slab->n; i++)
                m.n_caches += shows_order(&input->slab->caches[i]);

        if (m.params.min_objects > 0) {
                m.cpus = SLUB_CPUS_BOOT;
                m.min_objects = m.params.min_objects;
                try_both_loops(input->slab, m, &best, &n_best);
        } else {
                /* Objects went with nr_cpu_ids (up to 5.10, but for 5.11 to 5.15). */
                SlubCpus first = m.per_cpu == SLUB_PER_CPU_OBJECTS ? SLUB_CPUS_POSSIBLE
                                                                   : SLUB_CPUS_PRESENT;
                SlubCpus second = first == SLUB_CPUS_PRESENT ? SLUB_CPUS_POSSIBLE
                                                             : SLUB_CPUS_PRESENT;

                try_cpus(input->slab, m, first, rule_cpus(input->topology, first), &best, &n_best);
                try_cpus(input->slab, m, second, rule_cpus(input->topology, second), &best,
                         &n_best);

                /* From many to few CPUs: of two numbers that fit, the larger finds less to
                 * complain about. */
                if (best.n_explained < m.n_caches && !m.params.unusable)
                        for (unsigned fls = FITTED_FLS_MAX; fls >= 1; fls--)
                                try_cpus(input->slab, m, SLUB_CPUS_FITTED, 1u << (fls - 1), &best,
                                         &n_best);
        }
        best.inferred = n_best != 1 || best.n_explained < m.n_caches || m.n_caches == 0;
        *ret = best;
}
