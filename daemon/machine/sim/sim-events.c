/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to the simulated machine by itself: phases, hot-plug, other people's writes, faults, files that go and come, lines in the kernel
 * log, numbers of applications, time that jumps. Events are in order of time; those of time 0 are there from the start. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "machine/sim/sim-private.h"

usec_t sim_next_event(const Sim *s) {
        return s->n_next_event < s->spec->n_events ? s->spec->event[s->n_next_event].at_usec
                                                   : USEC_UNKNOWN;
}

/* --- faults --- */

/* The file itself, or a folder that it is in. */
static bool covers(const char *what, const char *path) {
        size_t n = strlen(what);

        return strncmp(what, path, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

int sim_fault(const Sim *s, const char *path, bool writing) {
        for (unsigned i = s->n_faults; i-- > 0;) {
                const SimFault *f = &s->fault[i];

                if (s->now_usec < f->until_usec && (f->gone || f->writes == writing) &&
                    covers(f->path, path))
                        return f->error;
        }
        return 0;
}

static void fault_add(Sim *s, const SimEvent *e, int error, bool writes, bool gone) {
        if (s->n_faults == ELEMENTSOF(s->fault))
                return;
        s->fault[s->n_faults++] = (SimFault){ .path = e->path,
                                              .error = error,
                                              .writes = writes,
                                              .gone = gone,
                                              .until_usec = e->for_usec ? e->at_usec + e->for_usec
                                                                        : USEC_UNKNOWN };
}

/* --- values of others --- */

static void foreign_note(Sim *s, const char *path) {
        for (unsigned i = 0; i < s->n_foreign; i++)
                if (strcmp(s->foreign[i], path) == 0)
                        return;
        if (s->n_foreign < ELEMENTSOF(s->foreign))
                s->foreign[s->n_foreign++] = path;
}

void sim_foreign_forget(Sim *s, const char *path) {
        for (unsigned i = 0; i < s->n_foreign; i++)
                if (strcmp(s->foreign[i], path) == 0) {
                        s->foreign_overwritten++;
                        s->foreign[i] = s->foreign[--s->n_foreign];
                        return;
                }
}

/* --- numbers of applications --- */

static bool external_value(const Sim *s, const SimEvent *e, double *ret) {
        const PlantRates *r = &s->rates;
        Text text = text_strip(text_from(e->text));
        uint64_t millionths;

        if (text_is(text, "cost")) {
                if (!(r->pages > 0))
                        return false;
                *ret = 1e12 * r->kernel_cpus * s->cost_factor / r->pages;
                return true;
        }
        if (text_is(text, "throughput")) {
                *ret = r->work * s->load_factor;
                return true;
        }
        if (number_parse_millionths(text.data, text.size, &millionths) != 0)
                return false;
        *ret = (double) millionths / 1e6;
        return true;
}

/* A number whose time is over stays, and grows old. */
void sim_external_write(Sim *s) {
        for (unsigned i = 0; i < s->n_external; i++) {
                SimExternal *x = &s->external[i];

                if (x->event->for_usec && s->now_usec >= x->event->at_usec + x->event->for_usec)
                        continue;
                if (external_value(s, x->event, &x->value))
                        x->written_usec = s->now_usec;
        }
}

static void external_add(Sim *s, const SimEvent *e) {
        unsigned at = 0;

        while (at < s->n_external && strcmp(s->external[at].event->path, e->path) != 0)
                at++;
        if (at == ELEMENTSOF(s->external))
                return;
        if (at == s->n_external)
                s->n_external++;
        s->external[at] = (SimExternal){ .event = e, .written_usec = s->now_usec };
}

/* --- events --- */

/* As dmesg prints it. */
static void kmsg_add(Sim *s, const char *text) {
        char line[256];
        size_t size;

        if (!text_format(line, sizeof(line), "[%5llu.%06llu] %s\n",
                         (unsigned long long) (s->uptime_usec / USEC_PER_SEC),
                         (unsigned long long) (s->uptime_usec % USEC_PER_SEC), text))
                line[sizeof(line) - 2] = '\n';
        size = strlen(line);
        if (s->kmsg_size + size > SIM_KMSG_BYTES)
                return;
        memcpy(s->kmsg + s->kmsg_size, line, size);
        s->kmsg_size += size;
}

/* Keys that only grow begin at 0 again. */
static void counters_reset(Sim *s) {
        size_t n;
        const KeySpec *keys = vmstat_keys(&n);

        for (size_t i = 0; i < n; i++)
                if (keys[i].kind == KEY_COUNTER)
                        s->vm[i] = (SimCounter){ 0 };
}

static void event_run(Sim *s, const SimEvent *e) {
        switch (e->kind) {
        case SIM_EVENT_PHASE:
                s->phase = e->index;
                break;
        case SIM_EVENT_CPU_OFFLINE:
        case SIM_EVENT_CPU_ONLINE:
                sim_cpu_set(s, &s->config, e->index, e->kind == SIM_EVENT_CPU_ONLINE);
                break;
        case SIM_EVENT_WRITE:
                if (sim_config_write(s, &s->config, e->path, text_from(e->text)) == 0)
                        foreign_note(s, e->path);
                break;
        case SIM_EVENT_READ_FAULT:
                fault_add(s, e, (int) e->index, false, false);
                break;
        case SIM_EVENT_WRITE_FAULT:
                fault_add(s, e, (int) e->index, true, false);
                break;
        case SIM_EVENT_VANISH:
                fault_add(s, e, ENOENT, false, true);
                break;
        case SIM_EVENT_COUNTER_RESET:
                counters_reset(s);
                break;
        case SIM_EVENT_KMSG:
                kmsg_add(s, e->text);
                break;
        case SIM_EVENT_EXTERNAL:
                external_add(s, e);
                break;
        case SIM_EVENT_SKIP:
                s->now_usec += e->for_usec;
                break;
        case _SIM_EVENT_MAX:
                break;
        }
}

void sim_events_run(Sim *s) {
        bool any = false;

        while (sim_next_event(s) <= s->now_usec) {
                event_run(s, &s->spec->event[s->n_next_event++]);
                any = true;
        }
        if (!any)
                return;
        s->rates = *sim_rates(s, &s->config, &s->physics, s->phase);
        sim_gauges(s);
}

int sim_events_check(const Sim *s, char *ret_why, size_t why_size) {
        SimConfig *copy = malloc(sizeof(*copy));
        const char *wrong = NULL;
        unsigned i;

        if (!copy)
                return -ENOMEM;
        *copy = s->config;
        for (i = 0; i < s->spec->n_events && !wrong; i++) {
                const SimEvent *e = &s->spec->event[i];
                bool cpu = e->kind == SIM_EVENT_CPU_OFFLINE || e->kind == SIM_EVENT_CPU_ONLINE;
                bool fault = e->kind == SIM_EVENT_READ_FAULT || e->kind == SIM_EVENT_WRITE_FAULT;
                int error;

                if (i > 0 && e->at_usec < s->spec->event[i - 1].at_usec)
                        wrong = "is earlier than the one before";
                else if (e->kind >= _SIM_EVENT_MAX)
                        wrong = "is of no kind";
                else if (e->kind == SIM_EVENT_PHASE && e->index >= s->spec->n_phases)
                        wrong = "names no phase";
                else if (cpu && e->index >= s->n_cpus)
                        wrong = "names no CPU";
                else if (fault && (e->index == 0 || e->index > 4095))
                        wrong = "names no error";
                else if (e->kind == SIM_EVENT_WRITE &&
                         (error = sim_config_write(s, copy, e->path, text_from(e->text))) != 0)
                        wrong = strerrorname_np(error);
        }
        free(copy);
        if (!wrong)
                return 0;
        (void) text_format(ret_why, why_size, "event %u %s: %s", i, s->spec->event[i - 1].path,
                           wrong);
        return -EINVAL;
}
