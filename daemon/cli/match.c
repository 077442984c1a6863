/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/match.h"

#include <string.h>

bool match_parse(const char *argument, Match *ret) {
        Text rest = text_from(argument), name = TEXT_NULL;
        size_t at = text_find(rest, '@');

        name = (Text){ rest.data, at };
        *ret = (Match){ 0 };
        if (!text_copy(ret->name, sizeof(ret->name), name))
                return false;
        if (at == rest.size)
                return true;
        rest = (Text){ rest.data + at + 1, rest.size - at - 1 };
        return text_copy(ret->scope, sizeof(ret->scope), rest);
}

static bool match_scope(const Match *m, const Scope *scope, const SlabCache *cache) {
        if (m->scope[0] == '\0' || text_glob(m->scope, scope->name))
                return true;
        if (!text_starts(text_from(scope->name), "cache:"))
                return false;
        if (text_glob(m->scope, scope->name + strlen("cache:")))
                return true;
        for (unsigned i = 0; cache && i < cache->n_aliases; i++) {
                const char *pattern = text_starts(text_from(m->scope), "cache:")
                                              ? m->scope + strlen("cache:")
                                              : m->scope;

                if (text_glob(pattern, cache->aliases[i]))
                        return true;
        }
        return false;
}

bool match_knob(const Match *m, const Knob *k) {
        return (text_glob(m->name, k->name) || strcmp(m->name, k->spec->name) == 0) &&
               match_scope(m, &k->scope, k->cache);
}

const char *match_no_scope(const Match *m, const KnobSet *set) {
        for (size_t i = 0; i < set->n; i++)
                if (text_glob(m->name, set->knobs[i].name) &&
                    text_ends(text_from(set->knobs[i].scope.name), ":*"))
                        return set->knobs[i].reason;
        return NULL;
}

bool match_signal(const Match *m, const Signal *s, const SlabTree *caches) {
        const SlabCache *cache = NULL;

        if (!text_glob(m->name, s->name))
                return false;
        if (caches && m->scope[0] && text_starts(text_from(s->scope.name), "cache:"))
                cache = slab_tree_find(caches, s->scope.name + strlen("cache:"));
        return match_scope(m, &s->scope, cache);
}
