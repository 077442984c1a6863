/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/slub.h"

#include "base/number.h"
#include "core/sense/lists.h"

/* Arithmetic of SLUB.
 *
 * Sources, mm/slub.c of 5.10, 6.1, 6.12, 7.2 and 7.3:
 *
 * calculate_order(), slab_order(), calc_slab_order(): wanted objects = slub_min_objects, or
 *   4 x (fls(n) + 1), at most what max_order holds; the first order whose tail waste is at most
 *       1/16 of the slab, then 1/8, then 1/4. Up to 6.6 the search is repeated with one object
 *       fewer; later the waste may reach 1/2 instead. If nothing fits: the order of one object.
 *       n is nr_cpu_ids in 5.10, the present CPUs later (possible ones where that is 1 or less).
 *       The size is s->size, which the attribute slab_size shows.
 * set_cpu_partial(), slub_set_cpu_partial(), kmem_cache_has_cpu_partial(), set_min_partial(),
 *   calculate_sheaf_capacity(): the defaults.
 * setup_slub_min_order(), setup_slub_max_order(), setup_slub_min_objects(): boot parameters,
 * with
 *   slab_* as a second name since 6.8.
 *
 * Distribution kernels carry these changes in any mixture, and a machine may have made its
 * caches before all CPUs were there, so the rule is the one that explains the orders which the
 * caches show. Where two rules explain them equally they predict the same for this machine: the
 * choice does not matter, and is called inferred. */

#define MIN_PARTIAL 5u /* floor and ceiling of the default */
#define MAX_PARTIAL 10u

const char *slub_per_cpu_to_string(SlubPerCpu p) {
        switch (p) {
        case SLUB_PER_CPU_UNKNOWN:
                return "unknown";
        case SLUB_PER_CPU_OBJECTS:
                return "partial slabs, counted in objects";
        case SLUB_PER_CPU_SLABS:
                return "partial slabs, counted in slabs";
        case SLUB_PER_CPU_SHEAVES:
                return "sheaves of objects";
        }
        return "unknown";
}

const char *slub_param_name(const SlubModel *m, SlubParam p) {
        static const char *const names[][2] = {
                [SLUB_PARAM_MIN_OBJECTS] = { "slub_min_objects", "slab_min_objects" },
                [SLUB_PARAM_MAX_ORDER] = { "slub_max_order", "slab_max_order" },
                [SLUB_PARAM_MIN_ORDER] = { "slub_min_order", "slab_min_order" },
        };

        return names[p][m->knows_slab_names ? 1 : 0];
}

uint32_t slub_wanted_objects(unsigned n_cpus) {
        return n_cpus == 0 ? 0 : 4 * (u64_fls(n_cpus) + 1);
}

/* --- order --- */

static unsigned order_of(uint64_t bytes, uint64_t page_bytes) {
        unsigned order = 0;

        while (order < 40 && (page_bytes << order) < bytes)
                order++;
        return order;
}

static bool waste_is_at_most(uint64_t slab_bytes, uint64_t size, unsigned fraction) {
        return slab_bytes % size <= slab_bytes / fraction;
}

/* The first order from `order` on with a waste of at most 1/fraction; max_order + 1 if there is
 * none. */
static unsigned first_fitting(uint64_t size, unsigned order, unsigned max_order,
                              uint64_t page_bytes, unsigned fraction) {
        for (; order <= max_order; order++)
                if (waste_is_at_most(page_bytes << order, size, fraction))
                        return order;
        return max_order + 1;
}

static bool too_many_objects(uint64_t size, unsigned order, uint64_t page_bytes) {
        return (page_bytes << order) / size > SLUB_MAX_OBJECTS;
}

static bool order_fewer(uint64_t size, uint32_t min_objects, uint32_t min_order, uint32_t max_order,
                        uint64_t page_bytes, unsigned *ret_order) {
        uint64_t wanted = MIN((uint64_t) min_objects, (page_bytes << max_order) / size);

        if (too_many_objects(size, min_order, page_bytes)) {
                unsigned order = order_of(size * SLUB_MAX_OBJECTS, page_bytes);

                *ret_order = order - 1;
                return order > 0;
        }
        /* With min_order above max_order no order is ever accepted before the last resort. */
        for (; wanted > 1 && min_order <= max_order; wanted--)
                for (unsigned fraction = 16; fraction >= 4; fraction /= 2) {
                        unsigned first = MAX(min_order, order_of(wanted * size, page_bytes));
                        unsigned order = first_fitting(size, first, max_order, page_bytes,
                                                       fraction);

                        if (order <= max_order) {
                                *ret_order = order;
                                return true;
                        }
                }
        *ret_order = MAX(min_order, order_of(size, page_bytes));
        return *ret_order <= SLUB_MAX_ORDER;
}

static bool order_half(uint64_t size, uint32_t min_objects, uint32_t min_order, uint32_t max_order,
                       uint64_t page_bytes, unsigned *ret_order) {
        uint64_t most = MAX((page_bytes << max_order) / size, UINT64_C(1));
        uint64_t wanted = MIN((uint64_t) min_objects, most);
        unsigned first = MAX(min_order, order_of(wanted * size, page_bytes));

        if (too_many_objects(size, first, page_bytes)) {
                unsigned order = order_of(size * SLUB_MAX_OBJECTS, page_bytes);

                *ret_order = order - 1;
                return order > 0;
        }
        for (unsigned fraction = 16; fraction > 1; fraction /= 2) {
                unsigned order = first_fitting(size, first, max_order, page_bytes, fraction);

                if (order <= max_order) {
                        *ret_order = order;
                        return true;
                }
        }
        *ret_order = order_of(size, page_bytes);
        return *ret_order <= SLUB_MAX_ORDER;
}

bool slub_compute_order(SlubLoop loop, uint64_t slab_size, uint32_t min_objects, uint32_t min_order,
                        uint32_t max_order, uint64_t page_bytes, SlubOrder *ret) {
        unsigned order = 0;
        bool ok = false;

        assert(ret);

        if (slab_size == 0 || slab_size > UINT32_MAX || min_objects == 0 ||
            min_order > SLUB_MAX_ORDER || max_order > SLUB_MAX_ORDER || page_bytes < 1024 ||
            page_bytes > UINT64_C(1) << 20)
                return false;

        switch (loop) {
        case SLUB_LOOP_FEWER:
                ok = order_fewer(slab_size, min_objects, min_order, max_order, page_bytes, &order);
                break;
        case SLUB_LOOP_HALF:
                ok = order_half(slab_size, min_objects, min_order, max_order, page_bytes, &order);
                break;
        }
        if (!ok)
                return false;

        *ret = (SlubOrder){ .order = order,
                            .objects = (uint32_t) ((page_bytes << order) / slab_size) };
        return true;
}

bool slub_predict_order(const SlubModel *m, uint64_t slab_size, uint32_t min_objects,
                        SlubOrder *ret) {
        assert(m);

        if (m->params.unusable)
                return false;
        return slub_compute_order(m->loop, slab_size, min_objects ? min_objects : m->min_objects,
                                  m->params.min_order, m->params.max_order, m->page_bytes, ret);
}

/* --- boot parameters --- */

/* Numbers as the kernel takes them: decimal, 0x and 0 for hexadecimal and octal. What
 * get_option() and kstrtouint() take differently ("8k", "-1") counts as unusable. */
static bool parse_param(Text value, uint32_t *ret) {
        uint64_t base = 10, number = 0;
        size_t i = 0;

        if (value.size > 2 && value.data[0] == '0' &&
            (value.data[1] == 'x' || value.data[1] == 'X')) {
                base = 16;
                i = 2;
        } else if (value.size > 1 && value.data[0] == '0') {
                base = 8;
                i = 1;
        }
        if (i == value.size)
                return false;
        for (; i < value.size; i++) {
                char c = value.data[i];
                uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t) (c - '0')
                                 : c >= 'a' && c <= 'f' ? (uint64_t) (c - 'a' + 10)
                                 : c >= 'A' && c <= 'F' ? (uint64_t) (c - 'A' + 10)
                                                        : 99;

                if (digit >= base)
                        return false;
                number = number * base + digit;
                if (number > UINT32_MAX)
                        return false;
        }
        *ret = (uint32_t) number;
        return true;
}

void slub_params_parse(Text cmdline, bool cmdline_known, bool knows_slab_names, SlubParams *ret) {
        SlubParams p = { .known = cmdline_known, .max_order = 3 }; /* PAGE_ALLOC_COSTLY_ORDER */
        Text name, value;

        assert(ret);

        while (cmdline_known && cmdline_next(&cmdline, &name, &value)) {
                char plain[24];
                uint32_t number = 0;

                if (name.size >= sizeof(plain) || name.size < 5)
                        continue;
                for (size_t i = 0; i < name.size; i++)
                        plain[i] = name.data[i] == '-' ? '_' : name.data[i];

                Text rest = { plain, name.size };

                if (!text_starts(rest, "slub_") &&
                    !(knows_slab_names && text_starts(rest, "slab_")))
                        continue;
                rest = (Text){ plain + 5, name.size - 5 };
                if (!text_is(rest, "min_objects") && !text_is(rest, "min_order") &&
                    !text_is(rest, "max_order"))
                        continue;
                p.any = true;
                if (!parse_param(value, &number)) {
                        p.unusable = true;
                        continue;
                }
                if (text_is(rest, "min_objects"))
                        p.min_objects = number;
                else if (text_is(rest, "min_order")) {
                        p.min_order = number;
                        if (knows_slab_names && p.min_order > p.max_order)
                                p.max_order = p.min_order;
                } else {
                        p.max_order = MIN(number, SLUB_MAX_ORDER);
                        if (knows_slab_names && p.min_order > p.max_order)
                                p.min_order = p.max_order;
                }
        }
        if (p.min_order > SLUB_MAX_ORDER || p.max_order > SLUB_MAX_ORDER)
                p.unusable = true;
        *ret = p;
}

/* --- defaults --- */

/* set_cpu_partial(): four classes of size; the numbers grew fourfold when slabs took the place
 * of objects (5.16). */
bool slub_cpu_partial_default(SlubPerCpu p, uint64_t slab_size, uint64_t page_bytes, bool debug,
                              uint64_t *ret_objects) {
        static const uint64_t objects[4] = { 2, 6, 13, 30 }, slabs[4] = { 6, 24, 52, 120 };
        unsigned class = slab_size >= page_bytes ? 0
                         : slab_size >= 1024     ? 1
                         : slab_size >= 256      ? 2
                                                 : 3;

        switch (p) {
        case SLUB_PER_CPU_OBJECTS:
                *ret_objects = debug ? 0 : objects[class];
                return true;
        case SLUB_PER_CPU_SLABS:
                *ret_objects = debug ? 0 : slabs[class];
                return true;
        case SLUB_PER_CPU_SHEAVES:
                *ret_objects = 0;
                return true;
        case SLUB_PER_CPU_UNKNOWN:
                break;
        }
        return false;
}

uint64_t slub_min_partial_default(uint64_t slab_size) {
        uint64_t half = slab_size == 0 ? 0 : (u64_fls(slab_size) - 1) / 2;

        return half < MIN_PARTIAL ? MIN_PARTIAL : half > MAX_PARTIAL ? MAX_PARTIAL : half;
}

/* calculate_sheaf_capacity(), 7.2 and 7.3: 4, 12, 26, 60 objects, raised so that the array and
 * its head of 32 bytes fill a kmalloc size: 64, 128, 256 and 512 bytes. */
uint64_t slub_sheaf_default(uint64_t slab_size, uint64_t page_bytes, bool debug) {
        if (debug)
                return 0;
        return slab_size >= page_bytes ? 4 : slab_size >= 1024 ? 12 : slab_size >= 256 ? 28 : 60;
}

/* slub_set_cpu_partial(), 5.16 to 6.19: DIV_ROUND_UP(nr_objects * 2, oo_objects(s->oo)) in
 * unsigned int. */
uint32_t slub_effective_slabs(uint64_t cpu_partial, uint64_t objs_per_slab) {
        if (objs_per_slab == 0 || objs_per_slab > UINT32_MAX)
                return 0;

        uint32_t doubled = (uint32_t) cpu_partial * 2u, objs = (uint32_t) objs_per_slab;

        return (uint32_t) (doubled + objs - 1u) / objs;
}

uint64_t slub_cpu_partial_for_slabs(uint64_t slabs, uint64_t objs_per_slab) {
        return slabs == 0 ? 0 : u64_add_sat(u64_muldiv(slabs - 1, objs_per_slab, 2), 1);
}

uint64_t slub_cpu_partial_round(uint64_t slabs, uint64_t objs_per_slab) {
        return MAX(u64_muldiv(slabs, objs_per_slab, 2),
                   slub_cpu_partial_for_slabs(slabs, objs_per_slab));
}

/* --- memory --- */

static uint64_t slab_bytes(unsigned order, uint64_t page_bytes) {
        return order > 40 ? UINT64_MAX : u64_mul_sat(page_bytes, UINT64_C(1) << order);
}

/* 5.10 counts the free objects of a slab when it is added: slabs that empty later still count as
 * little, so cpu_partial + 1 slabs fit. Later kernels keep one slab even at 0. */
uint64_t slub_cpu_partial_worst(SlubPerCpu p, uint64_t cpu_partial, uint64_t objs_per_slab,
                                unsigned order, uint64_t page_bytes, unsigned n_online) {
        uint64_t slabs = 0;

        switch (p) {
        case SLUB_PER_CPU_OBJECTS:
                slabs = u64_add_sat(cpu_partial, cpu_partial > 0 ? 1 : 0);
                break;
        case SLUB_PER_CPU_SLABS:
                slabs = MAX(slub_effective_slabs(cpu_partial, objs_per_slab), 1u);
                break;
        case SLUB_PER_CPU_SHEAVES:
        case SLUB_PER_CPU_UNKNOWN:
                break;
        }
        return u64_mul_sat(u64_mul_sat(slabs, n_online), slab_bytes(order, page_bytes));
}

uint64_t slub_min_partial_worst(uint64_t min_partial, unsigned order, uint64_t page_bytes,
                                unsigned n_nodes) {
        return u64_mul_sat(u64_mul_sat(min_partial, n_nodes), slab_bytes(order, page_bytes));
}

uint64_t slub_sheaf_worst(uint64_t capacity, unsigned order, uint64_t page_bytes, unsigned n_online,
                          unsigned n_nodes) {
        uint64_t sheaves = 3 * (uint64_t) n_online + 10 * (uint64_t) n_nodes;

        return u64_mul_sat(u64_mul_sat(capacity, sheaves), slab_bytes(order, page_bytes));
}

uint64_t slub_order_worst(unsigned order, uint64_t min_partial, uint64_t page_bytes,
                          unsigned n_online, unsigned n_nodes) {
        uint64_t slabs = u64_add_sat(n_online, u64_mul_sat(min_partial, n_nodes));

        return u64_mul_sat(slabs, slab_bytes(order, page_bytes));
}
