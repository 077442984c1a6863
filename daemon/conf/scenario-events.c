/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens in a scenario: single events, and phases that follow each other ("every", which is no more than the events
 * it stands for). All end up in one list in order of time; of two at the same time the one that stands first in the file comes first. */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "conf/scenario-parse.h"

enum {
        HAS_PHASE = 1,
        HAS_CPU = 2,
        HAS_PATH = 4,
        HAS_VALUE = 8,
        HAS_ERROR = 16,
        HAS_TEXT = 32,
        HAS_FOR = 64
};

static const struct {
        const char *key;
        unsigned bit;
} event_keys[] = {
        { "phase", HAS_PHASE }, { "cpu", HAS_CPU },   { "path", HAS_PATH }, { "value", HAS_VALUE },
        { "error", HAS_ERROR }, { "text", HAS_TEXT }, { "for", HAS_FOR },
};

/* By SimEventKind. */
static const struct {
        const char *what;
        unsigned needs, may;
} event_rules[] = {
        [SIM_EVENT_PHASE] = { "phase", HAS_PHASE, 0 },
        [SIM_EVENT_CPU_OFFLINE] = { "cpu-offline", HAS_CPU, 0 },
        [SIM_EVENT_CPU_ONLINE] = { "cpu-online", HAS_CPU, 0 },
        [SIM_EVENT_WRITE] = { "write", HAS_PATH | HAS_VALUE, 0 },
        [SIM_EVENT_READ_FAULT] = { "read-fault", HAS_PATH | HAS_ERROR, HAS_FOR },
        [SIM_EVENT_WRITE_FAULT] = { "write-fault", HAS_PATH | HAS_ERROR, HAS_FOR },
        [SIM_EVENT_VANISH] = { "vanish", HAS_PATH, HAS_FOR },
        [SIM_EVENT_COUNTER_RESET] = { "counter-reset", 0, 0 },
        [SIM_EVENT_KMSG] = { "kmsg", HAS_TEXT, 0 },
        [SIM_EVENT_EXTERNAL] = { "external", HAS_PATH | HAS_TEXT, 0 },
        [SIM_EVENT_SKIP] = { "skip", HAS_FOR, 0 },
};

_Static_assert(ELEMENTSOF(event_rules) == _SIM_EVENT_MAX, "a rule for every kind");

/* Errors that reads and writes of /proc and /sys give. */
static const struct {
        const char *name;
        int error;
} error_names[] = {
        { "EACCES", EACCES }, { "EAGAIN", EAGAIN }, { "EBUSY", EBUSY },   { "EINTR", EINTR },
        { "EINVAL", EINVAL }, { "EIO", EIO },       { "ENODEV", ENODEV }, { "ENOENT", ENOENT },
        { "ENOMEM", ENOMEM }, { "EPERM", EPERM },   { "ERANGE", ERANGE }, { "EROFS", EROFS },
};

static bool find_phase(SettingReader *r, unsigned line, const Scenario *s, const char *name,
                       unsigned *ret) {
        Nearest nearest = { .word = name };

        for (unsigned i = 0; i < s->sim.n_phases; i++) {
                if (strcmp(s->sim.phase[i].name, name) == 0) {
                        *ret = i;
                        return true;
                }
                nearest_offer(&nearest, s->sim.phase[i].name);
        }
        setting_error(r, line, "there is no phase \"%.64s\"%s%s%s", name,
                      nearest.best ? ", did you mean \"" : "", nearest.best ? nearest.best : "",
                      nearest.best ? "\"?" : "");
        return false;
}

static void check_keys(SettingReader *r, config_setting_t *item, unsigned kind) {
        for (size_t i = 0; i < ELEMENTSOF(event_keys); i++) {
                const config_setting_t *setting = config_setting_get_member(item,
                                                                            event_keys[i].key);
                bool needed = (event_rules[kind].needs & event_keys[i].bit) != 0;
                bool allowed = needed || (event_rules[kind].may & event_keys[i].bit) != 0;

                if (needed && !setting)
                        setting_error(r, setting_line(item), "event \"%s\" needs %s",
                                      event_rules[kind].what, event_keys[i].key);
                if (setting && !allowed)
                        setting_error(r, setting_line(setting), "event \"%s\" has no %s",
                                      event_rules[kind].what, event_keys[i].key);
        }
}

static bool number_or_word(const char *text) {
        uint64_t value;

        return strcmp(text, "cost") == 0 || strcmp(text, "throughput") == 0 ||
               number_parse_u64(text, strlen(text), &value) == 0;
}

static void add_event(SettingReader *r, unsigned line, Scenario *s, const SimEvent *event) {
        if (event->at_usec >= s->duration_usec) {
                setting_error(r, line, "the event is at or after the end of the scenario");
                return;
        }
        if (s->sim.n_events == SIM_EVENTS_MAX) {
                setting_error(r, line, "more than %d events", SIM_EVENTS_MAX);
                return;
        }
        s->sim.event[s->sim.n_events++] = *event;
}

static void read_event(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        EventKeys keys = { 0 };
        unsigned line = setting_line(item);
        size_t before = r->n_errors;
        SimEvent event;

        setting_read_group(r, item, "scenario.events", &keys);
        if (r->n_errors != before)
                return;
        check_keys(r, item, keys.what);
        event = (SimEvent){ .at_usec = keys.at_usec,
                            .for_usec = keys.for_usec,
                            .kind = (SimEventKind) keys.what };
        if (r->n_errors != before ||
            (keys.path[0] && !scenario_read_path(r, line, keys.path, sizeof(keys.path))) ||
            (keys.phase[0] && !find_phase(r, line, s, keys.phase, &event.index)))
                return;
        if (event.kind == SIM_EVENT_CPU_OFFLINE || event.kind == SIM_EVENT_CPU_ONLINE) {
                event.index = keys.cpu;
                if (s->sim.machine.possible > 0 && keys.cpu >= s->sim.machine.possible)
                        setting_error(r, line, "cpu is %u, but the machine has %u possible CPUs",
                                      keys.cpu, s->sim.machine.possible);
        }
        if (keys.error[0]) {
                for (size_t i = 0; i < ELEMENTSOF(error_names) && event.index == 0; i++)
                        if (strcmp(error_names[i].name, keys.error) == 0)
                                event.index = (unsigned) error_names[i].error;
                if (event.index == 0)
                        setting_error(
                                r, line,
                                "error is \"%s\", expected EACCES, EAGAIN, EBUSY, EINTR, EINVAL, EIO, ENODEV, ENOENT, "
                                "ENOMEM, EPERM, ERANGE or EROFS",
                                keys.error);
        }
        if (event.kind == SIM_EVENT_SKIP && event.for_usec == 0)
                setting_error(r, line, "a skip of no time, expected for = \"1h\" or so");
        if (event.kind == SIM_EVENT_EXTERNAL && !number_or_word(keys.text))
                setting_error(r, line,
                              "text is \"%.64s\", expected \"cost\", \"throughput\" or an integer",
                              keys.text);
        (void) text_copy(event.path, sizeof(event.path), text_from(keys.path));
        (void) text_copy(event.text, sizeof(event.text),
                         text_from(event.kind == SIM_EVENT_WRITE ? keys.value : keys.text));
        if (r->n_errors == before)
                add_event(r, line, s, &event);
}

static void read_every(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        EveryKeys keys = { 0 };
        unsigned phases[SIM_PHASES_MAX], line = setting_line(item);
        size_t before = r->n_errors;
        config_setting_t *list;
        int n;

        setting_read_group(r, item, "scenario.every", &keys);
        list = config_setting_get_member(item, "phases");
        if (r->n_errors != before || !list ||
            !setting_take_list(r, "scenario.every.phases", list, "names of phases", SIM_PHASES_MAX,
                               &n))
                return;
        if (n == 0)
                setting_error(r, line, "scenario.every.phases is empty");
        for (int i = 0; i < n; i++) {
                const char *name = setting_read_text(r, "scenario.every.phases",
                                                     config_setting_get_elem(list, (unsigned) i),
                                                     47);

                if (name)
                        (void) find_phase(r, line, s, name, &phases[i]);
        }
        for (usec_t i = 0; r->n_errors == before && i * keys.period_usec < s->duration_usec; i++) {
                SimEvent event = { .at_usec = i * keys.period_usec,
                                   .kind = SIM_EVENT_PHASE,
                                   .index = phases[i % (usec_t) n] };

                add_event(r, line, s, &event);
        }
}

void scenario_read_events(SettingReader *r, config_setting_t *group, Scenario *s) {
        scenario_each(r, group, "events", "scenario.events", SIM_EVENTS_MAX, read_event, s);
        scenario_each(r, group, "every", "scenario.every", 8, read_every, s);
        for (unsigned i = 1; i < s->sim.n_events; i++) { /* stable */
                SimEvent event = s->sim.event[i];
                unsigned k = i;

                for (; k > 0 && s->sim.event[k - 1].at_usec > event.at_usec; k--)
                        s->sim.event[k] = s->sim.event[k - 1];
                s->sim.event[k] = event;
        }
}
