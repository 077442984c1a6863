/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "cli/advice.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/print-advice.h"

static int print(const Options *options, const Observation *o, const PolicySet *policies,
                 const Advice *advice) {
        Output output;

        if (options->json)
                return cli_json_print(cli_json_recommend(o, advice));
        output_open(&output, !options->no_pager);
        cli_print_advice(&output, o, policies, advice);
        return output_finish(&output);
}

int verb_recommend(const Options *options) {
        _cleanup_(conf_freep) Conf *conf = NULL;
        _cleanup_(policy_set_freep) PolicySet *policies = NULL;
        ConfIssues issues = CONF_ISSUES_NULL;
        Observation o = { 0 };
        Advice advice;
        int code = cli_load_conf(options, &conf, &issues);

        if (code == EXIT_FINE)
                code = cli_observe(options, conf, &o);
        if (code == EXIT_FINE)
                code = cli_load_policies(options, conf, &o, &policies, &issues);
        if (code == EXIT_FINE) {
                int r = advice_make(&o, conf, policies, &issues, &advice);

                code = r < 0 ? cli_errno("recommend", r) : print(options, &o, policies, &advice);
                if (code == EXIT_FINE && options->exit_code && advice.n_recommendations > 0)
                        code = EXIT_FOUND;
        }
        observation_done(&o);
        conf_issues_done(&issues);
        return code;
}
