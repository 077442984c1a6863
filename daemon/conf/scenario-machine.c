/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine files, and what scenarios share with them: numbers, lists of groups, finding NAME.machine.
 *
 * A scenario that names a machine gets NAME.machine from its own folder, else from ../machines beside it, else from
 * the installed ones: an administrator's scenario works in any folder, and a shipped one with the shipped machines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/lex.h"
#include "conf/lookup.h"
#include "conf/scenario-parse.h"
#include "conf/value.h"

bool scenario_read_number(SettingReader *r, const char *key, config_setting_t *setting,
                          double floor, double ceiling, double *ret) {
        double value;

        switch (config_setting_type(setting)) {
        case CONFIG_TYPE_INT:
                value = config_setting_get_int(setting);
                break;
        case CONFIG_TYPE_INT64:
                value = (double) config_setting_get_int64(setting);
                break;
        case CONFIG_TYPE_FLOAT:
                value = config_setting_get_float(setting);
                break;
        default:
                setting_error(r, setting_line(setting), "%.64s is %s, expected a number", key,
                              setting_type_string(setting));
                return false;
        }
        if (!(value >= floor && value <= ceiling)) {
                setting_error(r, setting_line(setting), "%.64s is %g, expected %g to %g", key,
                              value, floor, ceiling);
                return false;
        }
        *ret = value;
        return true;
}

/* The STORE_SPECIAL keys that are one field; the others wait for the loader of their group. */
static void read_special(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                         void *object) {
        char *field = (char *) object + key->offset;
        int type = config_setting_type(setting);
        const char *text;

        if (key->type == KEY_INT) {
                (void) scenario_read_number(r, key->name, setting, (double) key->floor,
                                            (double) key->ceiling, (double *) (void *) field);
        } else if (key->type == KEY_TEXT) {
                if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64) {
                        (void) text_format(field, (size_t) key->ceiling + 1, "%lld",
                                           type == CONFIG_TYPE_INT
                                                   ? (long long) config_setting_get_int(setting)
                                                   : config_setting_get_int64(setting));
                        return;
                }
                text = setting_read_text(r, key->name, setting, (size_t) key->ceiling);
                if (text)
                        (void) text_copy(field, (size_t) key->ceiling + 1, text_from(text));
        }
}

SettingReader scenario_reader(const char *file, ConfIssues *issues) {
        SettingReader r = {
                .file = file, .issues = issues, .unknown = CONF_ERROR, .special = read_special
        };

        r.keys = scenario_keys(&r.n_keys);
        return r;
}

void scenario_each(SettingReader *r, config_setting_t *group, const char *key, const char *name,
                   int max, ScenarioItem item, void *data) {
        config_setting_t *list = config_setting_get_member(group, key);
        int n;

        if (!list || !setting_take_list(r, name, list, "groups", max, &n))
                return;
        for (int i = 0; i < n; i++) {
                config_setting_t *one = config_setting_get_elem(list, (unsigned) i);

                if (config_setting_type(one) != CONFIG_TYPE_GROUP)
                        setting_error(r, setting_line(one),
                                      "%s has %s, expected groups of keys, in { }", name,
                                      setting_type_string(one));
                else
                        item(r, one, data);
        }
}

bool scenario_read_path(SettingReader *r, unsigned line, char *path, size_t size) {
        Text rest = text_from(path), part;
        char clean[256];

        while (text_starts(rest, "/"))
                rest = (Text){ rest.data + 1, rest.size - 1 };
        if (rest.size == 0 || rest.size >= size || !text_copy(clean, sizeof(clean), rest)) {
                setting_error(r, line, "path is \"%.100s\", expected one below the machine's root",
                              path);
                return false;
        }
        while (text_next_split(&rest, '/', &part))
                if (part.size == 0 || text_is(part, ".") || text_is(part, "..")) {
                        setting_error(r, line, "path is \"%.100s\", expected no \".\" or \"..\"",
                                      path);
                        return false;
                }
        return text_copy(path, size, text_from(clean));
}

/* Caches that every machine has, with the sizes of Linux 6.1 on x86-64 (object_size and slab_size of
 * /sys/kernel/slab, read in a Debian 12 guest). They take part in tables and worst cases; without a share they carry no load. */
static const struct {
        const char *name;
        uint32_t object_size, slab_size;
} usual_caches[] = {
        { "buffer_head", 104, 104 },
        { "cred_jar", 184, 192 },
        { "dentry", 192, 192 },
        { "files_cache", 704, 704 },
        { "filp", 256, 256 },
        { "inode_cache", 632, 640 },
        { "kernfs_node_cache", 128, 128 },
        { "kmalloc-128", 128, 128 },
        { "kmalloc-16", 16, 16 },
        { "kmalloc-192", 192, 192 },
        { "kmalloc-1k", 1024, 1024 },
        { "kmalloc-256", 256, 256 },
        { "kmalloc-2k", 2048, 2048 },
        { "kmalloc-32", 32, 32 },
        { "kmalloc-4k", 4096, 4096 },
        { "kmalloc-512", 512, 512 },
        { "kmalloc-64", 64, 64 },
        { "kmalloc-8", 8, 8 },
        { "kmalloc-8k", 8192, 8192 },
        { "kmalloc-96", 96, 96 },
        { "mm_struct", 1104, 1152 },
        { "proc_inode_cache", 704, 712 },
        { "radix_tree_node", 576, 584 },
        { "shmem_inode_cache", 776, 784 },
        { "sighand_cache", 2080, 2112 },
        { "signal_cache", 1152, 1152 },
        { "skbuff_head_cache", 232, 256 },
        { "task_struct", 8392, 8448 },
        { "vm_area_struct", 152, 152 },
};

static void add_usual_caches(PlantMachine *m) {
        for (size_t i = 0; i < ELEMENTSOF(usual_caches); i++) {
                PlantCacheSpec *c = &m->caches[m->n_caches++];

                *c = (PlantCacheSpec){ .object_size = usual_caches[i].object_size,
                                       .slab_size = usual_caches[i].slab_size };
                (void) text_copy(c->name, sizeof(c->name), text_from(usual_caches[i].name));
        }
}

static void read_cache(SettingReader *r, config_setting_t *item, void *data) {
        PlantMachine *m = data;
        PlantCacheSpec *c = &m->caches[m->n_caches];
        size_t before = r->n_errors;

        *c = (PlantCacheSpec){ 0 };
        setting_read_group(r, item, "machine.caches", c);
        if (r->n_errors != before)
                return;
        if (strchr(c->name, '/') || c->name[0] == '.' || c->name[0] == ':') /* a folder's name */
                setting_error(r, setting_line(item), "machine.caches.name is \"%s\"", c->name);
        if (c->slab_size < c->object_size)
                setting_error(r, setting_line(item),
                              "slab_size of %s is smaller than object_size, expected at least %llu",
                              c->name, (unsigned long long) c->object_size);
        for (unsigned i = 0; i < m->n_caches; i++)
                if (strcmp(m->caches[i].name, c->name) == 0)
                        setting_error(r, setting_line(item), "machine.caches has \"%s\" twice",
                                      c->name);
        m->n_caches++;
}

const PlantKernel *scenario_read_kernel(SettingReader *r, unsigned line, const char *name) {
        const PlantKernel *kernel = plant_kernel_find(name), *rows;
        char known[160] = "";
        size_t n, used = 0;

        if (kernel)
                return kernel;
        rows = plant_kernels(&n);
        for (size_t i = 0; i < n; i++)
                if (text_format(known + used, sizeof(known) - used, "%s\"%s\"", i == 0 ? "" : ", ",
                                rows[i].name))
                        used += strlen(known + used);
        setting_error(r, line, "kernel is \"%.32s\", expected one of %s", name, known);
        return NULL;
}

static void read_params(SettingReader *r, config_setting_t *group, PlantParams *params) {
        size_t n_specs;
        const PlantParamSpec *specs = plant_param_specs(&n_specs);

        if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
                setting_error(r, setting_line(group), "machine.params is %s, expected a group",
                              setting_type_string(group));
                return;
        }
        for (int i = 0; i < config_setting_length(group); i++) {
                config_setting_t *setting = config_setting_get_elem(group, (unsigned) i);
                Nearest nearest = { .word = config_setting_name(setting) };
                const PlantParamSpec *spec = plant_param_find(nearest.word);

                if (spec) {
                        (void) scenario_read_number(
                                r, spec->name, setting, spec->floor, spec->ceiling,
                                (double *) (void *) ((char *) params + spec->offset));
                        continue;
                }
                for (size_t k = 0; k < n_specs; k++)
                        nearest_offer(&nearest, specs[k].name);
                setting_error(r, setting_line(setting),
                              "unknown parameter \"%.64s\" in machine.params%s%s%s", nearest.word,
                              nearest.best ? ", did you mean \"" : "",
                              nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
}

/* What two keys say together: nodes are alike. */
static void check_machine(SettingReader *r, unsigned line, const PlantMachine *m) {
        if (m->cpus % m->nodes != 0)
                setting_error(r, line,
                              "machine has %u CPUs on %u nodes, expected the same on every node",
                              m->cpus, m->nodes);
        if (m->cpus % m->packages != 0)
                setting_error(r, line,
                              "machine has %u CPUs in %u packages, expected the same in each",
                              m->cpus, m->packages);
        if (m->possible < m->cpus)
                setting_error(r, line, "machine.possible is %u, expected at least the %u online",
                              m->possible, m->cpus);
        if (m->memory_bytes / m->nodes < (uint64_t) 256 << 20)
                setting_error(r, line, "machine.memory is under 256MiB for each node");
}

void scenario_read_machine(SettingReader *r, config_setting_t *group, PlantMachine *ret) {
        unsigned line = setting_line(group);
        size_t before = r->n_errors;
        config_setting_t *setting;
        const char *text;

        *ret = (PlantMachine){ .nodes = 1, .hertz_tick = 100, .psi = true };
        plant_params_init(&ret->params);
        setting_read_group(r, group, "machine", ret);
        if (config_setting_type(group) != CONFIG_TYPE_GROUP)
                return;
        setting = config_setting_get_member(group, "about");
        if (setting)
                (void) setting_read_text(r, "machine.about", setting, 255);
        setting = config_setting_get_member(group, "kernel");
        text = setting ? setting_read_text(r, "machine.kernel", setting, 15) : NULL;
        if (text)
                ret->kernel = scenario_read_kernel(r, setting_line(setting), text);
        setting = config_setting_get_member(group, "params");
        if (setting)
                read_params(r, setting, &ret->params);
        if (config_setting_get_member(group, "caches"))
                scenario_each(r, group, "caches", "machine.caches", PLANT_CACHES_MAX, read_cache,
                              ret);
        else
                add_usual_caches(ret);
        if (ret->packages == 0)
                ret->packages = ret->nodes;
        if (ret->possible == 0)
                ret->possible = ret->cpus;
        if (r->n_errors == before)
                check_machine(r, line, ret);
}

config_t *scenario_open(SettingReader *r, const char *text, size_t size, const char *name,
                        config_setting_t **ret_group, int *ret_error) {
        config_t *config;
        config_setting_t *root;
        char *copy;

        *ret_error = 0;
        r->n_errors += conf_text_check(r->file, text, size, r->issues);
        if (r->n_errors > 0)
                return NULL;
        copy = calloc(1, size + 1); /* ends in NUL */
        if (!copy) {
                *ret_error = -ENOMEM;
                return NULL;
        }
        if (size > 0)
                memcpy(copy, text, size);
        config = setting_parse(r, copy, ret_error);
        free(copy);
        if (!config)
                return NULL;
        root = config_root_setting(config);
        *ret_group = NULL;
        for (int i = 0; i < config_setting_length(root); i++) {
                config_setting_t *setting = config_setting_get_elem(root, (unsigned) i);

                if (strcmp(config_setting_name(setting), name) == 0)
                        *ret_group = setting;
                else
                        setting_error(r, setting_line(setting),
                                      "unknown key \"%.64s\", expected %s = { ... }; alone",
                                      config_setting_name(setting), name);
        }
        if (*ret_group)
                return config;
        setting_error(r, 0, "no %s in the file, expected %s = { ... };", name, name);
        return setting_parse_free(config);
}

int plant_machine_parse(const char *file, const char *text, size_t size, PlantMachine *ret,
                        ConfIssues *issues) {
        SettingReader r = scenario_reader(file, issues);
        config_setting_t *group;
        PlantMachine *machine;
        int error;
        config_t *config = scenario_open(&r, text, size, "machine", &group, &error);

        if (!config)
                return error < 0 ? error : 1;
        machine = calloc(1, sizeof(*machine));
        if (machine)
                scenario_read_machine(&r, group, machine);
        (void) setting_parse_free(config);
        if (!machine)
                return -ENOMEM;
        if (r.n_errors == 0)
                *ret = *machine;
        free(machine);
        return r.n_errors > 0;
}

int plant_machine_load(const char *path, PlantMachine *ret, ConfIssues *issues) {
        ConfFileList list = { 0 };
        int r = conf_file_list_add(&list, path, CONF_FILE_USED);

        if (r == 0)
                r = conf_file_read(&list.files[0], /* named= */ true, issues);
        if (r == 0)
                r = list.files[0].state == CONF_FILE_USED
                            ? plant_machine_parse(path, list.files[0].text, list.files[0].size, ret,
                                                  issues)
                            : 1;
        conf_file_list_done(&list);
        return r;
}

int scenario_find_machine(SettingReader *r, unsigned line, const char *name, PlantMachine *ret) {
        static const char *const installed[] = { "/etc/alloctuned/machines/",
                                                 "/usr/local/lib/alloctuned/machines/",
                                                 "/usr/lib/alloctuned/machines/" };
        const char *slash = strrchr(r->file, '/');
        int folder = slash ? (int) (slash - r->file) + 1 : 0, error;
        char path[512];

        if (!value_is_name(name)) {
                setting_error(
                        r, line,
                        "machine is \"%.64s\", expected lower case letters, digits, - . and _, or a machine in { }",
                        name);
                return 0;
        }
        for (size_t i = 0; i < 2 + ELEMENTSOF(installed); i++) {
                bool fits = text_format(path, sizeof(path), "%.*s%s%s.machine", i < 2 ? folder : 0,
                                        r->file,
                                        i == 0   ? ""
                                        : i == 1 ? "../machines/"
                                                 : installed[i - 2],
                                        name);

                if (!fits || access(path, F_OK) != 0)
                        continue;
                error = plant_machine_load(path, ret, r->issues);
                if (error < 0)
                        return error;
                if (error > 0)
                        setting_error(r, line, "machine \"%s\" has errors: %s", name, path);
                return 0;
        }
        setting_error(
                r, line,
                "no machine \"%s\" beside the scenario, in ../machines or among the installed ones",
                name);
        return 0;
}
