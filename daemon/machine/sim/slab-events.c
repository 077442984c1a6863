/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One slab cache on one node, object by object. Written after mm/slub.c of 5.10.223, 6.1.192, 6.12.117, 7.2.12 and 7.3.4; the names of
 * their functions stand at each rule. Three generations:
 *
 *   OBJECTS  a CPU parks slabs until the free objects they had when they were parked exceed cpu_partial (put_cpu_partial() to 5.15)
 *   SLABS    a CPU parks ceil(2 * cpu_partial / objects) slabs (5.16 to 6.18)
 *   SHEAVES  a CPU has two arrays of objects, a node a barn of arrays; slabs are behind those (7.x)
 *
 * A slab is either the one a CPU allocates from, or parked on a CPU, or in the list of the node, or full and in none. Invariant:
 * objects * slabs == in use + free of slabs + cached (slab_pool_check() recounts). Not modelled: remote nodes, debug caches, the sheaf
 * for RCU frees, grouping of equal slabs when a sheaf is flushed (7.x may take list_lock a little less often than here). */
#include "base/number.h"
#include "machine/sim/plant-events.h"

#define NONE UINT32_MAX
#define OBJECTS_MAX 4096u
#define SHEAF_MAX 4096u
#define BARN_MAX 10u /* MAX_FULL_SHEAVES, MAX_EMPTY_SHEAVES */

typedef enum SlabState { SLAB_UNUSED, SLAB_FULL, SLAB_ACTIVE, SLAB_PARKED, SLAB_NODE } SlabState;

typedef struct SlabPage {
        uint32_t next, prev;
        uint32_t free;    /* objects in the freelist of the slab (not those a CPU took over) */
        uint32_t parked;  /* length of the CPU's list from here on */
        uint64_t objects; /* free objects of that list as counted when slabs were added */
        uint8_t state;
} SlabPage;

typedef struct Sheaf {
        uint32_t *slab; /* of each object */
        unsigned n;
} Sheaf;

typedef struct SlabCpu {
        uint32_t active, partial;
        uint32_t local; /* objects taken over from the active slab and still free */
        Sheaf main, spare;
} SlabCpu;

struct SlabPool {
        SlabSpec spec;
        uint32_t limit; /* slabs a CPU parks (SLABS) */
        SlabPage *page;
        size_t n_pages;
        uint32_t unused; /* list of pages that are no slab */
        uint32_t node_first, node_last, n_node;
        SlabCpu *cpu;
        Sheaf barn[BARN_MAX];
        unsigned n_barn;
        uint64_t in_use, n_slabs;
        SlabStats stats;
};

SlabPool *slab_pool_new(Arena *arena, const SlabSpec *spec, size_t slabs) {
        SlabPool *c = ARENA_NEW(arena, SlabPool);
        unsigned n_cpus = MAX(spec->cpus, 1u);

        if (!c || slabs == 0 || slabs >= NONE)
                return NULL;
        c->spec = *spec;
        c->spec.cpus = n_cpus;
        c->spec.objects = MIN(MAX(spec->objects, 1u), OBJECTS_MAX);
        c->spec.sheaf_capacity = MIN(spec->sheaf_capacity, (uint64_t) SHEAF_MAX);
        c->limit = slub_effective_slabs(spec->cpu_partial, c->spec.objects);
        c->page = ARENA_ARRAY(arena, SlabPage, slabs);
        c->cpu = ARENA_ARRAY(arena, SlabCpu, n_cpus);
        if (!c->page || !c->cpu)
                return NULL;
        c->n_pages = slabs;
        for (size_t i = 0; i < slabs; i++)
                c->page[i].next = i + 1 < slabs ? (uint32_t) i + 1 : NONE;
        c->node_first = c->node_last = NONE;
        for (unsigned i = 0; i < n_cpus + BARN_MAX; i++) {
                Sheaf *one = i < n_cpus ? &c->cpu[i].main : &c->barn[i - n_cpus];
                size_t n = (size_t) c->spec.sheaf_capacity + 1;

                if (i < n_cpus)
                        c->cpu[i].active = c->cpu[i].partial = NONE;
                if (spec->kind != PLANT_SLAB_SHEAVES)
                        continue;
                one->slab = ARENA_ARRAY(arena, uint32_t, n);
                if (i < n_cpus)
                        c->cpu[i].spare.slab = ARENA_ARRAY(arena, uint32_t, n);
                if (!one->slab || (i < n_cpus && !c->cpu[i].spare.slab))
                        return NULL;
        }
        return c;
}

const SlabStats *slab_pool_stats(const SlabPool *c) {
        return &c->stats;
}

unsigned slab_pool_cpus(const SlabPool *c) {
        return c->spec.cpus;
}

uint64_t slab_pool_slabs(const SlabPool *c) {
        return c->n_slabs;
}

uint64_t slab_pool_in_use(const SlabPool *c) {
        return c->in_use;
}

uint64_t slab_pool_cached(const SlabPool *c) {
        uint64_t n = 0;

        for (unsigned i = 0; i < c->spec.cpus; i++)
                n += c->cpu[i].main.n + c->cpu[i].spare.n;
        for (unsigned i = 0; i < c->n_barn; i++)
                n += c->barn[i].n;
        return n;
}

void slab_pool_parked(const SlabPool *c, unsigned cpu, uint64_t *ret_slabs, uint64_t *ret_objects) {
        uint32_t top = cpu < c->spec.cpus ? c->cpu[cpu].partial : NONE;

        *ret_slabs = top != NONE ? c->page[top].parked : 0;
        *ret_objects = top != NONE ? c->page[top].objects : 0;
}

/* --- slabs and the list of the node ----------------------------------------------------------------------------------------- */

static uint32_t slab_make(SlabPool *c) {
        uint32_t i = c->unused;

        if (i == NONE)
                return NONE;
        c->unused = c->page[i].next;
        c->page[i] = (SlabPage){ .next = NONE, .prev = NONE, .free = c->spec.objects };
        c->n_slabs++;
        c->stats.alloc_slab++;
        return i;
}

static void slab_discard(SlabPool *c, uint32_t i) {
        c->page[i].state = SLAB_UNUSED;
        c->page[i].next = c->unused;
        c->unused = i;
        c->n_slabs--;
        c->stats.free_slab++;
}

static void list_hold(SlabPool *c) {
        c->stats.list_holds++;
}

/* add_partial() at the tail. */
static void node_add(SlabPool *c, uint32_t i) {
        SlabPage *p = &c->page[i];

        p->state = SLAB_NODE;
        p->next = NONE;
        p->prev = c->node_last;
        if (c->node_last != NONE)
                c->page[c->node_last].next = i;
        else
                c->node_first = i;
        c->node_last = i;
        c->n_node++;
        c->stats.list_moves++;
}

static void node_remove(SlabPool *c, uint32_t i) {
        SlabPage *p = &c->page[i];

        if (p->prev != NONE)
                c->page[p->prev].next = p->next;
        else
                c->node_first = p->next;
        if (p->next != NONE)
                c->page[p->next].prev = p->prev;
        else
                c->node_last = p->prev;
        c->n_node--;
        c->stats.list_moves++;
}

/* unfreeze_partials(), put_partials(): all that a CPU parks, in one hold. */
static void unfreeze(SlabPool *c, SlabCpu *cpu) {
        if (cpu->partial == NONE)
                return;
        list_hold(c);
        for (uint32_t i = cpu->partial, next; i != NONE; i = next) {
                next = c->page[i].next;
                if (c->page[i].free == c->spec.objects && c->n_node >= c->spec.min_partial) {
                        slab_discard(c, i);
                } else {
                        node_add(c, i);
                        c->stats.free_add_partial++;
                }
        }
        cpu->partial = NONE;
}

/* put_cpu_partial(). */
static void park(SlabPool *c, SlabCpu *cpu, uint32_t i, bool drain) {
        SlabPage *p = &c->page[i];
        uint32_t top = cpu->partial;

        if (top != NONE && drain) {
                const SlabPage *t = &c->page[top];
                bool full = c->spec.kind == PLANT_SLAB_OBJECTS ? t->objects > c->spec.cpu_partial
                                                               : t->parked >= c->limit;

                if (full) {
                        unfreeze(c, cpu);
                        c->stats.cpu_partial_drain++;
                        top = NONE;
                }
        }
        p->state = SLAB_PARKED;
        p->next = top;
        p->parked = (top != NONE ? c->page[top].parked : 0) + 1;
        p->objects = (top != NONE ? c->page[top].objects : 0) + p->free;
        cpu->partial = i;
        if (c->spec.kind == PLANT_SLAB_OBJECTS && c->spec.cpu_partial == 0)
                unfreeze(c, cpu);
}

/* get_partial_node(): the first slab for use, more of them to park, up to half of the limit. */
static uint32_t node_take(SlabPool *c, SlabCpu *cpu) {
        uint32_t first = c->node_first;
        uint64_t available = 0, slabs = 0;

        if (first == NONE)
                return NONE;
        list_hold(c);
        c->stats.alloc_from_partial++;
        for (uint32_t i = first, next; i != NONE; i = next) {
                next = c->page[i].next;
                node_remove(c, i);
                available += c->page[i].free;
                if (i != first) {
                        park(c, cpu, i, false);
                        c->stats.cpu_partial_node++;
                        slabs++;
                }
                if (c->spec.kind == PLANT_SLAB_OBJECTS ? available > c->spec.cpu_partial / 2
                                                       : slabs > c->limit / 2)
                        break;
        }
        return first;
}

/* __slab_free() of an object whose slab no CPU allocates from. */
static void slab_put(SlabPool *c, SlabCpu *cpu, uint32_t i) {
        SlabPage *p = &c->page[i];

        p->free++;
        switch ((SlabState) p->state) {
        case SLAB_ACTIVE:
        case SLAB_PARKED:
                c->stats.free_frozen++;
                break;
        case SLAB_FULL:
                if (c->spec.kind == PLANT_SLAB_SHEAVES) {
                        list_hold(c);
                        if (p->free == c->spec.objects && c->n_node >= c->spec.min_partial) {
                                slab_discard(c, i);
                                break;
                        }
                        node_add(c, i);
                        c->stats.free_add_partial++;
                        break;
                }
                park(c, cpu, i, true);
                c->stats.cpu_partial_free++;
                break;
        case SLAB_NODE:
                if (p->free < c->spec.objects)
                        break;
                list_hold(c);
                if (c->n_node >= c->spec.min_partial) {
                        node_remove(c, i);
                        c->stats.free_remove_partial++;
                        slab_discard(c, i);
                }
                break;
        case SLAB_UNUSED:
                break;
        }
}

/* --- slabs of a CPU --------------------------------------------------------------------------------------------------------- */

/* ___slab_alloc(). */
static uint32_t cpu_alloc(SlabPool *c, SlabCpu *cpu) {
        uint32_t i = cpu->active;

        if (i != NONE && cpu->local > 0) {
                c->stats.alloc_fastpath++;
                cpu->local--;
                return i;
        }
        if (i != NONE && c->page[i].free > 0) { /* get_freelist() */
                c->stats.alloc_refill++;
        } else {
                if (i != NONE) {
                        c->page[i].state = SLAB_FULL;
                        c->stats.deactivate_bypass++;
                        cpu->active = NONE;
                }
                i = cpu->partial;
                if (i != NONE) {
                        cpu->partial = c->page[i].next;
                        c->stats.cpu_partial_alloc++;
                        c->stats.alloc_refill++;
                } else {
                        i = node_take(c, cpu);
                        if (i == NONE)
                                i = slab_make(c);
                        if (i == NONE)
                                return NONE;
                }
                c->page[i].state = SLAB_ACTIVE;
                cpu->active = i;
        }
        c->stats.alloc_slowpath++;
        cpu->local = c->page[i].free - 1;
        c->page[i].free = 0;
        return i;
}

static void cpu_free(SlabPool *c, SlabCpu *cpu, uint32_t i) {
        if (i == cpu->active) {
                c->stats.free_fastpath++;
                cpu->local++;
                return;
        }
        c->stats.free_slowpath++;
        slab_put(c, cpu, i);
}

/* --- sheaves ---------------------------------------------------------------------------------------------------------------- */

static void swap(Sheaf *a, Sheaf *b) {
        Sheaf t = *a;

        *a = *b;
        *b = t;
}

/* refill_sheaf(), __refill_objects(): slabs of the node's list in one hold, what is left of the last goes back in another; new
 * slabs when the list has too few. */
static void sheaf_refill(SlabPool *c, Sheaf *s, unsigned want) {
        uint32_t rest = NONE;

        c->stats.sheaf_refill++;
        if (c->node_first != NONE)
                list_hold(c);
        while (s->n < want) {
                uint32_t i = c->node_first;

                if (i != NONE)
                        node_remove(c, i);
                else
                        i = slab_make(c);
                if (i == NONE)
                        return;
                while (s->n < want && c->page[i].free > 0) {
                        c->page[i].free--;
                        s->slab[s->n++] = i;
                }
                c->page[i].state = SLAB_FULL;
                rest = c->page[i].free > 0 ? i : NONE;
        }
        if (rest != NONE) {
                list_hold(c);
                node_add(c, rest);
        }
}

static void sheaf_flush(SlabPool *c, SlabCpu *cpu, Sheaf *s) {
        c->stats.sheaf_flush++;
        while (s->n > 0)
                slab_put(c, cpu, s->slab[--s->n]);
}

/* __pcs_replace_empty_main(): the spare, a full one of the barn, else slabs. */
static uint32_t sheaf_alloc(SlabPool *c, SlabCpu *cpu) {
        Sheaf *m = &cpu->main;

        if (m->n == 0 && cpu->spare.n > 0)
                swap(m, &cpu->spare);
        if (m->n > 0) {
                c->stats.alloc_fastpath++;
                return m->slab[--m->n];
        }
        c->stats.alloc_slowpath++;
        if (c->spec.sheaf_capacity > 0) {
                c->stats.barn_holds++;
                if (c->n_barn > 0) {
                        swap(m, &c->barn[--c->n_barn]);
                        c->stats.barn_get++;
                        return m->slab[--m->n];
                }
        }
        sheaf_refill(c, m, c->spec.sheaf_capacity > 0 ? (unsigned) c->spec.sheaf_capacity : 1);
        return m->n > 0 ? m->slab[--m->n] : NONE;
}

/* __pcs_replace_full_main(): an empty spare, else the full one goes to the barn, else to its slabs. */
static void sheaf_free(SlabPool *c, SlabCpu *cpu, uint32_t i) {
        Sheaf *m = &cpu->main;
        unsigned capacity = (unsigned) c->spec.sheaf_capacity;

        if (capacity == 0) {
                c->stats.free_slowpath++;
                slab_put(c, cpu, i);
                return;
        }
        if (m->n >= capacity && cpu->spare.n < capacity)
                swap(m, &cpu->spare);
        if (m->n < capacity) {
                c->stats.free_fastpath++;
                m->slab[m->n++] = i;
                return;
        }
        c->stats.free_slowpath++;
        c->stats.barn_holds++;
        if (c->n_barn < BARN_MAX) {
                swap(m, &c->barn[c->n_barn++]);
                c->stats.barn_put++;
        } else {
                swap(m, &cpu->spare);
                sheaf_flush(c, cpu, m);
        }
        m->slab[m->n++] = i;
}

/* --- both ------------------------------------------------------------------------------------------------------------------- */

uint32_t slab_pool_alloc(SlabPool *c, unsigned cpu) {
        SlabCpu *own = &c->cpu[cpu % c->spec.cpus];
        uint32_t i = c->spec.kind == PLANT_SLAB_SHEAVES ? sheaf_alloc(c, own) : cpu_alloc(c, own);

        c->in_use += i != NONE;
        return i;
}

bool slab_pool_free(SlabPool *c, unsigned cpu, uint32_t slab) {
        SlabCpu *own = &c->cpu[cpu % c->spec.cpus];

        if (c->in_use == 0 || slab >= c->n_pages || c->page[slab].state == SLAB_UNUSED ||
            c->page[slab].free >= c->spec.objects)
                return false;
        c->in_use--;
        if (c->spec.kind == PLANT_SLAB_SHEAVES)
                sheaf_free(c, own, slab);
        else
                cpu_free(c, own, slab);
        return true;
}

bool slab_pool_check(const SlabPool *c) {
        uint64_t free = 0, slabs = 0, node = 0, parked = 0, listed = 0;

        for (size_t i = 0; i < c->n_pages; i++) {
                const SlabPage *p = &c->page[i];

                if (p->state == SLAB_UNUSED)
                        continue;
                slabs++;
                free += p->free;
                node += p->state == SLAB_NODE;
                parked += p->state == SLAB_PARKED;
                if (p->free > c->spec.objects || (p->state == SLAB_FULL && p->free > 0))
                        return false;
        }
        for (uint32_t i = c->node_first; i != NONE && node > 0; i = c->page[i].next)
                if (c->page[i].state != SLAB_NODE || ++listed > node)
                        return false;
        if (listed != node || node != c->n_node || slabs != c->n_slabs)
                return false;
        listed = 0;
        for (unsigned i = 0; i < c->spec.cpus; i++) {
                free += c->cpu[i].local;
                for (uint32_t j = c->cpu[i].partial; j != NONE; j = c->page[j].next)
                        if (c->page[j].state != SLAB_PARKED || ++listed > parked)
                                return false;
        }
        return listed == parked &&
               slabs * c->spec.objects == c->in_use + free + slab_pool_cached(c);
}
