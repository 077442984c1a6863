/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/engine/engine-private.h"

/* What to try next, on which knobs.
 *
 * A policy of one knob asks the ladder. A policy of many caches takes up to three of them as one change with one verdict:
 * first those that failed least, then the lowest level, then the largest wait; caches that wait less than a tenth of the
 * worst are left alone, and where nothing says which caches wait, none is chosen. */

#define NAMED_SHARE \
        10 /* of the largest wait: below a tenth of it a cache is not part of the problem */

void slot_block(Engine *e, Slot *s, size_t k, unsigned level, usec_t usec, bool guard) {
        Block *block;
        Record *r;

        if (level >= LADDER_LEVELS_MAX)
                return;
        block = &s->knob[k].block[level];
        if (usec == 0)
                usec = block->strikes == 0 ? BLOCK_FIRST_USEC : BLOCK_AGAIN_USEC;
        block->strikes = (uint8_t) MIN(block->strikes + 1, 100);
        block->guard = block->guard || guard;
        block->until_usec = MAX(block->until_usec, u64_add_sat(e->now_usec, usec));
        r = record_add(e, RECORD_BLOCK, s, s->plan->first_knob + k);
        r->decision = s->decision;
        r->to_known = true;
        r->to = s->plan->arms[k * s->plan->n_levels + level].value;
        r->number_a = (int64_t) (usec / USEC_PER_SEC);
        r->why = guard ? "a guard fired with it" : "it did worse";
}

void slot_unblock(Slot *s) {
        for (size_t k = 0; k < s->plan->n_knobs; k++)
                for (unsigned l = 0; l < LADDER_LEVELS_MAX; l++)
                        if (!s->knob[k].block[l].guard && s->knob[k].block[l].strikes < 2)
                                s->knob[k].block[l].until_usec = 0;
        s->blocked_usec = 0;
}

static void priors(const Engine *e, const Slot *s, size_t k, LadderInput *in) {
        const char *scope = e->plan->knobs[s->plan->first_knob + k].scope.name;

        for (size_t i = 0; i < e->config->n_priors; i++) {
                const Prior *p = &e->config->priors[i];

                if (p->level >= LADDER_LEVELS_MAX ||
                    !text_is(text_from(p->policy), s->plan->policy->name) ||
                    !text_is(text_from(p->scope), scope))
                        continue;
                in->kept[p->level] = p->kept;
                in->rejected[p->level] = !p->kept;
        }
}

/* Levels to try for one knob; ret_blocked_usec: when the first blocked one above is free again (0: none is blocked). */
static unsigned order(const Engine *e, const Slot *s, size_t k, unsigned ret_level[2],
                      usec_t *ret_blocked_usec) {
        const PlanController *c = s->plan;
        const SlotKnob *own = &s->knob[k];
        LadderInput in = { .level = own->level,
                           .n_levels = MIN(c->n_levels, (unsigned) LADDER_LEVELS_MAX),
                           .feed_forward = c->feed_forward,
                           .fixed = c->policy->controller == CONTROLLER_FIXED };
        bool closed = false; /* a guard blocked a level below */
        usec_t until = 0;

        *ret_blocked_usec = 0;
        if (own->level == LEVEL_CAP)
                return 0;
        for (unsigned l = 0; l < in.n_levels; l++) {
                const PlanArm *arm = &c->arms[k * c->n_levels + l];
                const Block *block = &own->block[l];
                bool blocked = block->until_usec > e->now_usec;

                in.step[l] = arm->kind == ARM_STEP;
                if ((int) l > own->level && blocked) {
                        until = until == 0 ? block->until_usec : MIN(until, block->until_usec);
                        closed = closed || (block->guard && in.step[l]);
                }
                in.usable[l] = arm->fits && !blocked && !(closed && in.step[l]);
        }
        if (e->config->n_priors > 0)
                priors(e, s, k, &in);
        *ret_blocked_usec = until;
        return ladder_order(&in, ret_level);
}

static bool wait_of(const Engine *e, const Slot *s, size_t k, int64_t *ret_milli) {
        size_t watch = e->plan->knobs[s->plan->first_knob + k].wait_watch;
        const WatchSum *sum;
        Reading r = { .evidence = EVIDENCE_COUNTED };

        if (watch >= e->plan->n_watches)
                return false;
        sum = &e->sums[watch];
        r.num = u64_add_sat(sum->now.num, sum->before.num);
        r.den = u64_add_sat(sum->now.den, sum->before.den);
        return reading_milli(&r, e->plan->watches[watch].scale, ret_milli);
}

typedef struct Candidate {
        size_t k;
        int64_t wait_milli;
        unsigned n, level[2];
} Candidate;

static bool before(const Slot *s, const Candidate *a, const Candidate *b) {
        const SlotKnob *x = &s->knob[a->k], *y = &s->knob[b->k];

        if (x->failures != y->failures)
                return x->failures < y->failures;
        if (x->level != y->level)
                return x->level < y->level;
        return a->wait_milli > b->wait_milli;
}

/* Same level and same step as the first of the group. */
static bool fits_group(const Slot *s, const Candidate *lead, const Candidate *c) {
        return s->knob[lead->k].level == s->knob[c->k].level &&
               s->knob[lead->k].failures == s->knob[c->k].failures && c->level[0] == lead->level[0];
}

static void choose_many(const Engine *e, const Slot *s, Choice *ret) {
        Candidate best[PLAN_GROUP_MAX];
        int64_t most = 0, wait;
        unsigned n = 0;
        bool any = s->plan->n_knobs <= PLAN_GROUP_MAX; /* nothing to choose between */

        for (size_t k = 0; k < s->plan->n_knobs; k++)
                if (knob_usable(e, s, k) && wait_of(e, s, k, &wait)) {
                        most = MAX(most, wait);
                        any = true;
                }
        if (!any) {
                ret->why = "nothing says which caches wait";
                return;
        }
        /* Passes over the caches, one for each place of the group: no sorting, no memory. */
        for (unsigned place = 0; place < PLAN_GROUP_MAX; place++) {
                Candidate found = { .k = PLAN_NONE };

                for (size_t k = 0; k < s->plan->n_knobs; k++) {
                        Candidate c = { .k = k };
                        usec_t blocked;
                        bool known = wait_of(e, s, k, &c.wait_milli), taken = false;

                        for (unsigned i = 0; i < n; i++)
                                taken = taken || best[i].k == k;
                        if (taken || !knob_usable(e, s, k) ||
                            (known ? c.wait_milli <= 0 || c.wait_milli < most / NAMED_SHARE
                                   : s->plan->n_knobs > PLAN_GROUP_MAX))
                                continue;
                        c.n = order(e, s, k, c.level, &blocked);
                        if (place == 0 && blocked > 0)
                                ret->blocked_usec = ret->blocked_usec == 0
                                                            ? blocked
                                                            : MIN(ret->blocked_usec, blocked);
                        if (c.n == 0 || (place > 0 && !fits_group(s, &best[0], &c)))
                                continue;
                        if (found.k == PLAN_NONE || before(s, &c, &found))
                                found = c;
                }
                if (found.k == PLAN_NONE)
                        break;
                best[n++] = found;
        }
        for (unsigned i = 0; i < n; i++)
                ret->group[i] = best[i].k;
        ret->n = n;
        if (n > 0) {
                ret->level = best[0].level[0];
                ret->second_known = best[0].n > 1;
                ret->second_level = best[0].level[1];
        }
}

/* The second candidate of the group whose first one failed. */
static bool choose_second(const Engine *e, const Slot *s, Choice *ret) {
        for (unsigned i = 0; i < s->n_group; i++) {
                const PlanArm *arm = plan_arm(s->plan, s->group[i], s->second_level);
                const Block *block = &s->knob[s->group[i]].block[s->second_level];

                if (!knob_usable(e, s, s->group[i]) || !arm || !arm->fits ||
                    block->until_usec > e->now_usec ||
                    s->knob[s->group[i]].level == (int) s->second_level)
                        return false;
                ret->group[i] = s->group[i];
        }
        ret->n = s->n_group;
        ret->level = s->second_level;
        return s->n_group > 0;
}

bool slot_choose(const Engine *e, const Slot *s, Choice *ret) {
        unsigned level[2] = { 0 };
        int from;

        *ret = (Choice){ .why = "no arm is left above the present value" };
        if (s->plan->n_levels == 0)
                return false;
        if (s->second)
                (void) choose_second(e, s, ret);
        else if (s->plan->n_knobs == 1) {
                unsigned n = knob_usable(e, s, 0) ? order(e, s, 0, level, &ret->blocked_usec) : 0;

                ret->n = n > 0;
                ret->level = level[0];
                ret->second_known = n > 1;
                ret->second_level = level[1];
        } else
                choose_many(e, s, ret);
        if (ret->n == 0)
                return false;
        from = s->knob[ret->group[0]].level;
        ret->steps = (int) ret->level > from ? (unsigned) ((int) ret->level - MAX(from, 0)) : 0;
        return true;
}
