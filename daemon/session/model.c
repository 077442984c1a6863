/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/model.h"

#include <string.h>

#include "core/sense/lists.h"
#include "machine/sample.h"

static const KnobFile *find_file(const Model *model, const char *path) {
        for (size_t i = 0; i < model->n_files; i++)
                if (strcmp(model->files[i].path, path) == 0 &&
                    model->files[i].state != SENSE_ABSENT)
                        return &model->files[i];
        return NULL;
}

static void find_models(const ModelInput *in, Model *model) {
        const KnobFile *fraction = find_file(model, "proc/sys/vm/percpu_pagelist_fraction");
        const KnobFile *high_fraction = find_file(model,
                                                  "proc/sys/vm/percpu_pagelist_high_fraction");
        const KnobFile *file = high_fraction ? high_fraction : fraction;
        PcpFiles files = high_fraction ? PCP_FILES_HIGH_FRACTION
                         : fraction    ? PCP_FILES_FRACTION
                                       : PCP_FILES_UNKNOWN;
        const Snapshot *zoneinfo = NULL, *slab = NULL, *thp = NULL;
        MaybeU64 value = UNKNOWN;
        ParseLog seen_before = { 0 }; /* the knob rows report the same file: not twice */

        for (size_t i = 0; i < in->n_snapshots; i++) {
                zoneinfo = in->snapshots[i]->zoneinfo ? in->snapshots[i] : zoneinfo;
                slab = in->snapshots[i]->slab ? in->snapshots[i] : slab;
                thp = in->snapshots[i]->thp ? in->snapshots[i] : thp;
        }
        if (file && file->state == SENSE_OK)
                value = number_file_parse(file->text, file->path, &seen_before);
        pcp_model_find(zoneinfo ? zoneinfo->zoneinfo : NULL, &in->facts->topology, files, value,
                       in->facts->page_bytes, &model->pcp);
        slub_model_find(&(SlubInput){ .slab = slab ? slab->slab : NULL,
                                      .topology = &in->facts->topology,
                                      .cmdline = in->facts->cmdline,
                                      .cmdline_known = in->facts->cmdline_known,
                                      .page_bytes = in->facts->page_bytes,
                                      .has_thp_sizes = thp && thp->thp->n_sizes > 0 },
                        &model->slub);
}

int model_build(Arena *arena, const ModelInput *input, Model *ret) {
        SignalInput signals;
        KnobInput knobs;
        int r;

        *ret = (Model){ 0 };
        r = sample_knob_files(input->machine, arena, &ret->files, &ret->n_files, input->log);
        if (r == 0)
                r = sample_admin_settings(input->machine, arena, &ret->settings, &ret->n_settings,
                                          input->log);
        if (r < 0)
                return r;
        find_models(input, ret);
        signals = (SignalInput){ .facts = input->facts,
                                 .snapshots = input->snapshots,
                                 .n_snapshots = input->n_snapshots,
                                 .kind = input->kind,
                                 .kmsg = input->kmsg,
                                 .reports = input->reports,
                                 .n_reports = input->n_reports,
                                 .pcp = &ret->pcp };
        r = signals_compute(arena, &signals, &ret->signals);
        if (r < 0)
                return r;
        knobs = (KnobInput){ .facts = input->facts,
                             .last = input->n_snapshots > 0
                                             ? input->snapshots[input->n_snapshots - 1]
                                             : NULL,
                             .files = ret->files,
                             .n_files = ret->n_files,
                             .settings = ret->settings,
                             .n_settings = ret->n_settings,
                             .alignment = input->alignment,
                             .may_write = input->facts->euid_root && !input->facts->contained };
        return knobs_build(arena, &knobs, &ret->knobs);
}
