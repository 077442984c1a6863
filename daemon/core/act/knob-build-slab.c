/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/act/knob-build.h"

/* Rows of the slab caches. A merged cache is one row: its real directory, other names as
 * aliases. */

typedef struct SlabRow {
        KnobBuild *b;
        const SlabCache *c;
        Knob *k;
        unsigned n_nodes;
        bool debug;
} SlabRow;

static unsigned nodes_with_memory(const Topology *t) {
        unsigned n = 0;

        for (unsigned i = 0; i < t->n_nodes; i++)
                n += !t->nodes[i].memory_bytes.known || t->nodes[i].memory_bytes.value > 0;
        return MAX(n, 1u);
}

static unsigned order_of(const SlabRow *r) {
        return r->c->order.known && r->c->order.value <= SLUB_MAX_ORDER
                       ? (unsigned) r->c->order.value
                       : 0;
}

static void list_aliases(Knob *k, const SlabCache *c) {
        size_t used = 0;

        for (unsigned i = 0; i < c->n_aliases; i++) {
                size_t size = strlen(c->aliases[i]) + (i > 0 ? 1 : 0);

                if (used + size + strlen(",...") >= sizeof(k->aliases)) {
                        (void) text_format(k->aliases + used, sizeof(k->aliases) - used, "%s",
                                           ",...");
                        return;
                }
                (void) text_format(k->aliases + used, sizeof(k->aliases) - used, "%s%s",
                                   i > 0 ? "," : "", c->aliases[i]);
                used += size;
        }
}

/* The kernel's order without boot parameters: with the CPUs that its rule takes. */
static bool default_order(const SlabRow *r, SlubOrder *ret) {
        SlubModel m = r->b->slub;
        const Topology *t = &r->b->in->facts->topology;

        if (m.cpus == SLUB_CPUS_BOOT)
                m.min_objects = slub_wanted_objects(t->n_present > 0 ? t->n_present : t->n_online);
        m.params = (SlubParams){ .max_order = 3 };
        return slub_predict_order(&m, r->c->slab_size.value, 0, ret);
}

static void build_order(SlabRow *r) {
        const SlubModel *m = &r->b->slub;
        Knob *k = r->k;
        SlubOrder def;

        if (r->c->order_mode.known && (r->c->order_mode.mode & 0222u) != 0) {
                k->state = KNOB_LIVE;
                knob_build_rights(r->b, k);
        } else {
                k->state = KNOB_BOOT;
                k->inferred = !r->c->order_mode.known;
        }
        if (r->c->slab_size.known && default_order(r, &def))
                knob_build_default(k, def.order);
        if (r->c->objs_per_slab.known)
                REASON(k, "%" PRIu64 " objects per slab of %" PRIu64 " kB",
                       r->c->objs_per_slab.value, (m->page_bytes << order_of(r)) / 1024);
        if (m->cpus == SLUB_CPUS_BOOT)
                REASON(k, ", %" PRIu32 " wanted by %s=", m->min_objects,
                       slub_param_name(m, SLUB_PARAM_MIN_OBJECTS));
        else if (m->min_objects > 0)
                REASON(k, ", %" PRIu32 " wanted %s %u CPU%s", m->min_objects,
                       m->cpus == SLUB_CPUS_FITTED ? "as if made for" : "for", m->n_cpus,
                       m->n_cpus == 1 ? "" : "s");
        if (k->state == KNOB_BOOT)
                REASON(k, "; only at boot, for all caches: %s=, %s=",
                       slub_param_name(m, SLUB_PARAM_MIN_OBJECTS),
                       slub_param_name(m, SLUB_PARAM_MAX_ORDER));
        if (m->params.any && k->def[0] && strcmp(k->def, k->value) != 0) {
                k->owner = OWNER_ADMIN;
                REASON(k, "; set by a boot parameter");
        }
        if (r->c->min_partial.known)
                k->memory_bytes = KNOWN(slub_order_worst(order_of(r), r->c->min_partial.value,
                                                         m->page_bytes, r->b->pcp.n_online,
                                                         r->n_nodes));
}

static void build_cpu_partial(SlabRow *r) {
        const SlubModel *m = &r->b->slub;
        uint64_t value = r->c->cpu_partial.value, objs = r->c->objs_per_slab.value, def = 0;
        Knob *k = r->k;

        if (m->per_cpu == SLUB_PER_CPU_SHEAVES && value == 0) {
                k->state = KNOB_REMOVED;
                knob_build_default(k, 0);
                REASON(k,
                       "the file takes only 0 beside sheaf_capacity %" PRIu64
                       ": sheaves took its place",
                       r->c->sheaf_capacity.known ? r->c->sheaf_capacity.value : 0);
                return;
        }
        if (value == 0 && (r->debug || m->per_cpu == SLUB_PER_CPU_UNKNOWN)) {
                k->state = KNOB_FIXED;
                k->inferred = !r->debug;
                knob_build_default(k, 0);
                REASON(k, r->debug
                                  ? "a debugging flag is on: the kernel refuses any other value"
                                  : "0 in every cache: this kernel keeps no partial slabs per CPU");
                return;
        }
        knob_build_mode(k, r->c->cpu_partial_mode.mode, r->c->cpu_partial_mode.known);
        knob_build_rights(r->b, k);
        if (r->c->slab_size.known && slub_cpu_partial_default(m->per_cpu, r->c->slab_size.value,
                                                              m->page_bytes, r->debug, &def))
                knob_build_default(k, def);
        if (m->per_cpu == SLUB_PER_CPU_SLABS && r->c->objs_per_slab.known)
                REASON(k, "%" PRIu32 " slabs per CPU of %" PRIu64 " objects each",
                       slub_effective_slabs(value, objs), objs);
        else if (m->per_cpu == SLUB_PER_CPU_OBJECTS)
                REASON(k,
                       "free objects counted when a slab is added: up to %" PRIu64 " slabs per CPU",
                       u64_add_sat(value, value > 0 ? 1 : 0));
        if (m->per_cpu != SLUB_PER_CPU_UNKNOWN && r->c->order.known)
                k->memory_bytes = KNOWN(slub_cpu_partial_worst(m->per_cpu, value, objs, order_of(r),
                                                               m->page_bytes, r->b->pcp.n_online));
}

static void build_min_partial(SlabRow *r) {
        const SlubModel *m = &r->b->slub;
        Knob *k = r->k;

        knob_build_mode(k, r->c->min_partial_mode.mode, r->c->min_partial_mode.known);
        knob_build_rights(r->b, k);
        if (r->c->slab_size.known)
                knob_build_default(k, slub_min_partial_default(r->c->slab_size.value));
        REASON(k, "%" PRIu64 " empty slabs kept on each of %u nodes", r->c->min_partial.value,
               r->n_nodes);
        if (m->per_cpu == SLUB_PER_CPU_OBJECTS)
                REASON(k, "; kernels up to 5.15 clamp what is written to 5 to 10");
        if (r->c->order.known)
                k->memory_bytes = KNOWN(slub_min_partial_worst(r->c->min_partial.value, order_of(r),
                                                               m->page_bytes, r->n_nodes));
}

static void build_remote(SlabRow *r) {
        knob_build_mode(r->k, r->c->remote_mode.mode, r->c->remote_mode.known);
        knob_build_rights(r->b, r->k);
        knob_build_default(r->k, 100); /* s->remote_node_defrag_ratio = 1000, shown by 10 */
        REASON(r->k, "in %" PRIu64 " of 100 cases other nodes are asked before a new slab is made",
               r->c->remote_node_defrag_ratio.value);
}

static void build_sheaf(SlabRow *r) {
        const SlubModel *m = &r->b->slub;
        uint64_t value = r->c->sheaf_capacity.value, def = 0;
        Knob *k = r->k;

        k->state = KNOB_FIXED;
        k->owner = OWNER_KERNEL; /* there is no way to set it */
        if (m->per_cpu == SLUB_PER_CPU_SHEAVES && value > 0 && r->c->slab_size.known) {
                def = slub_sheaf_default(r->c->slab_size.value, m->page_bytes, r->debug);
                knob_build_default(k, MAX(def, value)); /* a cache may ask for more */
        } else
                knob_build_default(k, value);
        if (value == 0)
                REASON(k, "this cache has no sheaves");
        else
                REASON(k, "chosen when the cache is made; up to 3 a CPU and about 10 a node");
        if (r->c->order.known)
                k->memory_bytes = KNOWN(slub_sheaf_worst(value, order_of(r), m->page_bytes,
                                                         r->b->pcp.n_online, r->n_nodes));
}

typedef struct SlabKind {
        const char *attribute;
        size_t offset; /* of its MaybeU64 in SlabCache */
        void (*build)(SlabRow *r);
} SlabKind;

static const SlabKind kinds[] = {
        { "cpu_partial", offsetof(SlabCache, cpu_partial), build_cpu_partial },
        { "min_partial", offsetof(SlabCache, min_partial), build_min_partial },
        { "order", offsetof(SlabCache, order), build_order },
        { "remote_node_defrag_ratio", offsetof(SlabCache, remote_node_defrag_ratio), build_remote },
        { "sheaf_capacity", offsetof(SlabCache, sheaf_capacity), build_sheaf },
};

static const SlabKind *find_kind(const KnobSpec *spec) {
        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (strcmp(kinds[i].attribute, spec->attribute) == 0)
                        return &kinds[i];
        return NULL;
}

static MaybeU64 attribute_value(const SlabCache *c, const SlabKind *kind) {
        MaybeU64 value;

        memcpy(&value, (const char *) c + kind->offset, sizeof(value));
        return value;
}

void knob_build_slab(KnobBuild *b, const KnobSpec *spec) {
        const SlabTree *slab = b->in->last ? b->in->last->slab : NULL;
        const SlabKind *kind = find_kind(spec);
        unsigned n_nodes = nodes_with_memory(&b->in->facts->topology);
        char what[64];
        size_t first = b->n;

        for (size_t i = 0; slab && kind && i < slab->n; i++) {
                const SlabCache *c = &slab->caches[i];
                MaybeU64 value = attribute_value(c, kind);

                if (!value.known)
                        continue;

                Knob *k = knob_build_add(b, spec, scope_cache(c->dir));
                SlabRow r = {
                        .b = b, .c = c, .k = k, .n_nodes = n_nodes, .debug = slab_cache_is_debug(c)
                };

                k->cache = c;
                if (!text_format(k->path, sizeof(k->path), "/sys/kernel/slab/%s/%s", c->dir,
                                 spec->attribute))
                        k->path[0] = '\0';
                list_aliases(k, c);
                knob_build_number(k, value.value);
                kind->build(&r);
                if (k->owner == OWNER_UNKNOWN)
                        knob_build_owner(b, k);
        }
        if (b->n > first)
                return;

        SenseState state = !b->in->last ? SENSE_ABSENT : b->in->last->state[SENSE_SLAB];

        if (slab && slab->n > 0 && state == SENSE_OK)
                state = SENSE_ABSENT;
        (void) text_format(what, sizeof(what), "/sys/kernel/slab/*/%s", spec->attribute);
        (void) knob_build_missing(b, spec, scope_cache("*"), state, what);
}
