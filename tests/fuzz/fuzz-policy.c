/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf-load.h"
#include "conf/lex.h"
#include "conf/policy-load.h"
#include "conf/setting.h"
#include "core/act/knob.h"
#include "core/control/kernel-range.h"
#include "fuzz.h"

/* A policy file, and the same keys as an override of a profile: what passes holds everything the
 * adviser relies on. */
static void check_target(const PolicyTarget *t) {
        fuzz_check_string(t->signal, sizeof(t->signal));
        CHECK(signal_spec_find(text_from(t->signal)));
        CHECK(t->cool >= 0 && t->hot >= t->cool && t->hot > 0);
        CHECK(t->windows_hot > 0 && t->windows_cool > 0 && t->line > 0);
}

static void check_policy(const Policy *p) {
        const KnobSpec *knob = knob_spec_find(text_from(p->knob));

        CHECK(p->name[0]);
        CHECK(p->note == (p->knob[0] == '\0'));
        CHECK(p->note || knob);
        CHECK(p->n_targets <= POLICY_TARGETS_MAX && p->n_fallback <= POLICY_TARGETS_MAX);
        CHECK(p->n_arms <= POLICY_ARMS_MAX && p->n_guards <= POLICY_GUARDS_MAX);
        CHECK(p->n_must_not_rise <= POLICY_TARGETS_MAX);
        for (unsigned i = 0; i < p->n_targets; i++)
                check_target(&p->target[i]);
        for (unsigned i = 0; i < p->n_fallback; i++)
                check_target(&p->fallback[i]);
        for (unsigned i = 0; i < p->n_arms; i++) {
                CHECK(p->arm[i].text[0]);
                CHECK(p->arm[i].multiple_milli >= 0);
        }
        for (unsigned i = 0; i < p->n_guards; i++) {
                CHECK(policy_guard_spec_find(p->guard[i].name));
                CHECK(policy_guard_find(p, p->guard[i].name) == &p->guard[i]);
        }
        CHECK(p->quads[0] >= 3 && p->quads[0] < p->quads[1] && p->quads[1] < p->quads[2] &&
              p->quads[2] <= 12);
        CHECK(p->evidence >= EVIDENCE_ESTIMATED && p->evidence <= EVIDENCE_MEASURED);
        CHECK(p->parked_possible_ppm >= p->parked_seen_ppm && p->memory_ppm >= 0);
        CHECK(p->kernel[0] == '\0' || kernel_range_valid(text_from(p->kernel)));
        CHECK(!p->note || p->text[0]);
        CHECK(!kernel_range_has(text_from(p->kernel), TEXT("no release")));
}

static void try_override(const char *text) {
        SettingReader r = { .file = "f" };
        int error;
        config_t *config = setting_parse(&r, text, &error);
        config_setting_t *group = config ? config_setting_get_member(config_root_setting(config),
                                                                     "policy")
                                         : NULL;
        PolicyOrigins origins = {};
        ConfIssues issues = CONF_ISSUES_NULL;
        static const char base_text[] =
                "policy = { name = \"base\"; knob = \"slab-cpu-partial\"; scope = \"cache:*\"; "
                "targets = ( { signal = \"list-lock-wait\"; hot = 20000; } ); arms = ( 2 ); };";
        Policy policy, before;

        if (group) {
                CHECK(policy_load_text("b", base_text, NULL, &policy, &origins, NULL) == 0);
                before = policy;
                error = policy_load_override("f", group, NULL, &policy, &origins, &issues);
                CHECK(error == 0 || error == 1);
                CHECK(strcmp(policy.name, "base") == 0);
                if (error == 1) {
                        CHECK(issues.n_errors > 0);
                        CHECK(memcmp(&policy, &before, sizeof(policy)) == 0);
                }
                check_policy(&policy);
        }
        policy_origins_done(&origins);
        conf_issues_done(&issues);
        (void) setting_parse_free(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        ConfIssues issues = CONF_ISSUES_NULL;
        Policy policy;
        char *text;
        int r = policy_parse("f", (const char *) data, size, NULL, &policy, &issues);

        CHECK(r == 0 || r == 1);
        CHECK(r == (issues.n_errors > 0 ? 1 : 0));
        if (r == 0)
                check_policy(&policy);
        conf_issues_done(&issues);
        if (conf_text_check("f", (const char *) data, size, NULL) == 0) {
                text = calloc(1, size + 1);
                CHECK(text);
                if (size > 0)
                        memcpy(text, data, size);
                try_override(text);
                free(text);
        }
        return 0;
}
