/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for a whole run: topology, page size, release, and what limits us here. */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <jansson.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/sense/lists.h"
#include "machine/file-machine.h"
#include "machine/read.h"

#define SMALL_BYTES_MAX ((size_t) 1 << 20)
#define CPUINFO_BYTES_MAX ((size_t) 64 << 20) /* some 1.5 KiB a CPU */

typedef struct Facts {
        Machine *m;
        Arena *arena;
        MachineFacts *f;
        ParseLog *log;
        int error;
} Facts;

static bool get(Facts *x, const char *path, Text *ret_text) {
        if (x->error < 0)
                return false;
        arena_reset(&x->m->scratch);
        return read_text(x->m, path, SMALL_BYTES_MAX, ret_text, x->log, &x->error) == SENSE_OK &&
               x->error == 0;
}

static void find_release(Facts *x) {
        Text text, word;

        if (get(x, "proc/sys/kernel/osrelease", &text)) {
                (void) text_copy(x->f->release, sizeof(x->f->release), text_strip(text));
        }
        if (!get(x, "proc/version", &text))
                return;
        /* "Linux version 6.12.1 ... #1 SMP PREEMPT_RT Debian ..." */
        for (Text rest = text; text_next_field(&rest, &word);)
                x->f->rt = x->f->rt || text_is(word, "PREEMPT_RT");
        for (unsigned i = 0; i < 3 && x->f->release[0] == 0; i++)
                if (!text_next_field(&text, &word))
                        return;
        if (x->f->release[0] == 0)
                (void) text_copy(x->f->release, sizeof(x->f->release), word);
}

static void find_cmdline(Facts *x) {
        Text text, value;

        if (get(x, "proc/cmdline", &text)) {
                char *copy = arena_strndup(x->arena, text.data, text_strip(text).size);

                if (!copy) {
                        x->error = -ENOMEM;
                        return;
                }
                x->f->cmdline = (Text){ copy, text_strip(text).size };
                x->f->cmdline_known = true;
                x->f->isolated_cpus = (cmdline_find(x->f->cmdline, "isolcpus", &value) &&
                                       value.data) ||
                                      (cmdline_find(x->f->cmdline, "nohz_full", &value) &&
                                       value.data);
        }
        if (get(x, "sys/devices/system/cpu/isolated", &text) && text_strip(text).size > 0)
                x->f->isolated_cpus = true;
        if (get(x, "sys/devices/system/cpu/nohz_full", &text) && text_strip(text).size > 0 &&
            !text_is(text_strip(text), "(null)"))
                x->f->isolated_cpus = true;
        if (get(x, "sys/kernel/realtime", &text) && text_is(text_strip(text), "1"))
                x->f->rt = true;
}

static void find_memory(Facts *x) {
        MemInfo info = { 0 };
        Text text;

        if (get(x, "proc/meminfo", &text))
                x->error = meminfo_parse(text, "proc/meminfo", &info,
                                         &(ParseLog){ 0 }); /* issues come with the snapshot */
        x->f->memory_bytes = info.value[MEM_MEM_TOTAL];
        if (get(x, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &text))
                x->f->hpage_pmd_bytes = number_file_parse(
                        text, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size", x->log);
        if (x->f->page_bytes.known || x->error < 0)
                return;
        /* A tree does not say its page size, but counts the same memory twice. */
        if (info.value[MEM_MEM_FREE].known && get(x, "proc/vmstat", &text)) {
                VmStat *vm = ARENA_NEW(x->arena, VmStat);

                if (!vm || vmstat_parse(text, "proc/vmstat", vm, &(ParseLog){ 0 }) < 0) {
                        x->error = -ENOMEM;
                        return;
                }
                for (uint64_t page = 4096; page <= 65536 && vm->value[VM_NR_FREE_PAGES].known;
                     page *= 2) {
                        uint64_t free = u64_mul_sat(vm->value[VM_NR_FREE_PAGES].value, page),
                                 seen = info.value[MEM_MEM_FREE].value;

                        /* the two files were read at different times: within a quarter */
                        if (free > 0 && free >= seen - seen / 4 && free <= seen + seen / 4)
                                x->f->page_bytes = KNOWN(page);
                }
        }
}

/* x86 says so in a CPUID bit. Not from /proc/cpuinfo here: older kernels interrupt every CPU for it. */
static bool cpu_says_hypervisor(void) {
#if defined(__x86_64__) || defined(__i386__)
        unsigned a, b, c, d;

        return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 31));
#else
        return false;
#endif
}

static void find_hypervisor(Facts *x) {
        Text text, line, word;

        if (x->m->kind == MACHINE_LIVE) {
                x->f->hypervisor = cpu_says_hypervisor();
                return;
        }
        if (x->error < 0)
                return;
        arena_reset(&x->m->scratch);
        if (read_text(x->m, "proc/cpuinfo", CPUINFO_BYTES_MAX, &text, x->log, &x->error) !=
            SENSE_OK)
                return;
        while (text_next_line(&text, &line)) {
                if (!text_starts(line, "flags"))
                        continue;
                while (text_next_field(&line, &word))
                        if (text_is(word, "hypervisor"))
                                x->f->hypervisor = true;
                return;
        }
}

static void contained(Facts *x, const char *why) {
        if (x->f->contained)
                return;
        x->f->contained = true;
        (void) text_copy(x->f->contained_why, sizeof(x->f->contained_why), text_from(why));
}

/* The initial namespaces have fixed inodes (include/linux/proc_ns.h, PROC_USER_INIT_INO and
 * PROC_PID_INIT_INO, 3.8 to 7.3). */
#define USER_INIT_NAMESPACE "user:[4026531837]"
#define PID_INIT_NAMESPACE "pid:[4026531836]"

/* 1: the initial one, 0: another, -1: cannot be told. */
static int in_namespace(const char *path, const char *initial) {
        char target[64];
        ssize_t n = readlink(path, target, sizeof(target));

        return n < 0 ? -1 : text_is((Text){ target, (size_t) n }, initial);
}

/* Kernel settings are the host's: in a container or another user namespace they can be seen, at most.
 * A marker file may be left over from the image a machine was made of: it counts only where the
 * namespaces cannot be told. */
static void find_container(Facts *x) {
        int user = in_namespace("/proc/self/ns/user", USER_INIT_NAMESPACE);
        int pid = in_namespace("/proc/self/ns/pid", PID_INIT_NAMESPACE);
        struct statvfs fs;
        Text text;

        if (user == 0)
                contained(x, "another user namespace");
        if (pid == 0)
                contained(x, "a container (another PID namespace)");
        if (get(x, "run/systemd/container", &text))
                contained(x, "a container (/run/systemd/container)");
        if (get(x, "proc/1/environ", &text)) {
                Text entry;

                while (text_next_split(&text, '\0', &entry))
                        if (text_starts(entry, "container=") &&
                            entry.size > sizeof("container=") - 1)
                                contained(x, "a container (container= of process 1)");
        }
        if (user < 0 && pid < 0 &&
            (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0))
                contained(x, "a container (its marker file is in / or /run)");
        if (statvfs("/proc/sys", &fs) == 0 && (fs.f_flag & ST_RDONLY))
                contained(x, "/proc/sys is read-only here");
}

/* The line where a key stands first: jansson tells no lines of values. */
static unsigned key_line(Text text, const char *key) {
        char quoted[32];
        size_t at;
        unsigned line = 1;

        (void) text_format(quoted, sizeof(quoted), "\"%s\"", key);
        at = text_find_string(text, quoted);
        if (at == text.size)
                return 0; /* written with escapes */
        for (size_t i = 0; i < at; i++)
                line += text.data[i] == '\n';
        return line;
}

/* capture.json: all of it optional. */
static void read_capture_json(Facts *x) {
        json_error_t error;
        json_t *root, *value;
        Text text;
        int r;

        arena_reset(&x->m->scratch);
        r = read_top(x->m, "capture.json", SMALL_BYTES_MAX, &x->m->scratch, &text);
        if (r == MACHINE_E_ABSENT)
                return;
        if (r < 0 && r != -ENOMEM) {
                x->error = r;
                return;
        }
        if (r != 0) {
                parse_log_add(x->log, "capture.json", 0,
                              r == MACHINE_E_TOO_LARGE ? "larger than 1 MiB" : "cannot be read",
                              TEXT_NULL);
                return;
        }
        root = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
        if (!json_is_object(root)) {
                parse_log_add(x->log, "capture.json", root ? 1 : read_json_line(text, error.line),
                              "no JSON object", root ? TEXT_NULL : text_from(error.text));
                json_decref(root);
                return;
        }
        value = json_object_get(root, "schema");
        if (value && (!json_is_integer(value) || json_integer_value(value) != 1))
                parse_log_add(x->log, "capture.json", key_line(text, "schema"),
                              "schema is not 1: read as if it were", TEXT_NULL);
        value = json_object_get(root, "page_bytes");
        if (json_is_integer(value) && json_integer_value(value) >= 1024 &&
            json_integer_value(value) <= 1 << 24 &&
            (json_integer_value(value) & (json_integer_value(value) - 1)) == 0)
                x->f->page_bytes = KNOWN((uint64_t) json_integer_value(value));
        else if (value && !json_is_null(value))
                parse_log_add(x->log, "capture.json", key_line(text, "page_bytes"),
                              "page_bytes is no power of two from 1024 to 16777216", TEXT_NULL);
        value = json_object_get(root, "clk_tck");
        if (json_is_integer(value) && json_integer_value(value) > 0 &&
            json_integer_value(value) <= 100000)
                x->f->clk_tck = KNOWN((uint64_t) json_integer_value(value));
        else if (value && !json_is_null(value))
                parse_log_add(x->log, "capture.json", key_line(text, "clk_tck"),
                              "clk_tck is no number from 1 to 100000", TEXT_NULL);
        value = json_object_get(root, "euid");
        if (json_is_integer(value))
                x->f->euid_root = json_integer_value(value) == 0;
        else if (value && !json_is_null(value))
                parse_log_add(x->log, "capture.json", key_line(text, "euid"), "euid is no number",
                              TEXT_NULL);
        json_decref(root);
}

/* What files of a machine that is files said about themselves. */
static void tell_file_issues(const FileMachine *file, ParseLog *log) {
        if (file->n_empty_snapshots > 0)
                parse_log_add(log, "capture", 0, "snapshots with neither proc nor sys are left out",
                              TEXT_NULL);
        if (file->n_odd_names > 0)
                parse_log_add(
                        log, "capture", 0,
                        "folders named by digits that are no time (8 digits and more, in ms) are left out",
                        TEXT_NULL);
        if (file->n_twins > 0)
                parse_log_add(log, "capture", 0, "snapshots with the time of another are left out",
                              TEXT_NULL);
        if (file->modes_unreadable)
                parse_log_add(log, "MODES", 0,
                              file->modes_too_large ? "larger than 16 MiB: modes are inferred"
                                                    : "cannot be read: modes are inferred",
                              TEXT_NULL);
        if (file->modes_bad_line > 0)
                parse_log_add(log, "MODES", file->modes_bad_line,
                              "expected an octal mode and a path", TEXT_NULL);
}

int sample_facts(Machine *m, Arena *arena, MachineFacts *ret_facts, ParseLog *log) {
        Facts x = { .m = m, .arena = arena, .f = ret_facts, .log = log };

        *ret_facts = (MachineFacts){ .euid_root = true };
        if (m->kind == MACHINE_LIVE) {
                long page = sysconf(_SC_PAGESIZE), tick = sysconf(_SC_CLK_TCK);

                ret_facts->page_bytes = page > 0 ? KNOWN((uint64_t) page) : UNKNOWN;
                ret_facts->clk_tck = tick > 0 ? KNOWN((uint64_t) tick) : UNKNOWN;
                ret_facts->euid_root = geteuid() == 0;
                find_container(&x);
        } else {
                read_capture_json(&x);
        }
        if (m->kind != MACHINE_SIMULATED)
                tell_file_issues((const FileMachine *) m, log);
        if (x.error == 0)
                x.error = m->kind == MACHINE_LIVE
                                  ? topology_from_numa(m, arena, &ret_facts->topology, log)
                                  : topology_from_sysfs(m, arena, &ret_facts->topology, log);
        if (x.error == MACHINE_E_ABSENT)
                x.error = 0;
        find_release(&x);
        find_cmdline(&x);
        find_memory(&x);
        find_hypervisor(&x);
        if (!ret_facts->clk_tck.known) {
                ret_facts->clk_tck = KNOWN(100);
                ret_facts->clk_tck_assumed = true;
        }
        arena_reset(&m->scratch);
        return x.error;
}
