/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/policy-load.h"
#include "conf/setting.h"

/* Inside the policy loader: what a reading of one file carries (SettingReader.userdata). */
typedef struct PolicyPass {
        const char *file;
        PolicyOrigins *origins;
        bool override; /* a profile: guards are added, the name stays */
        bool no_memory;
} PolicyPass;

void policy_note_origin(SettingReader *r, const char *key, unsigned line);
void policy_read_guards(SettingReader *r, config_setting_t *setting, Policy *p);
