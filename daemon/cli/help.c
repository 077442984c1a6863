/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cli/front.h"
#include "cli/output.h"

#define LABEL_MARGIN 22u

static void print_options(Output *out, unsigned options) {
        size_t n = 0;
        const OptionSpec *specs = option_specs(&n);

        output_styled(out, STYLE_BOLD, "Options:");
        output_print(out, "\n");
        for (size_t i = 0; i < n; i++) {
                char label[48];

                if (specs[i].hidden || !(options & OPTION_BIT(specs[i].id)))
                        continue;
                (void) text_format(label, sizeof(label), "--%s%s%s", specs[i].name,
                                   specs[i].arg ? " " : "", specs[i].arg ? specs[i].arg : "");
                output_paragraph(out, 2, LABEL_MARGIN, STYLE_PLAIN, label, specs[i].help);
        }
}

static void print_general(Output *out) {
        size_t n_verbs = 0, n_codes = 0;
        const VerbSpec *verbs = verb_specs(&n_verbs);
        const ExitCodeSpec *codes = exit_code_specs(&n_codes);
        unsigned all = 0;

        output_print(out, "Usage: alloctune VERB [OPTION...] [ARGUMENT...]\n\n");
        output_paragraph(
                out, 0, 0, STYLE_PLAIN, "",
                "Advises on the settings of the kernel's memory allocator: per-CPU page lists, slab "
                "caches and huge pages. It reads and explains; it never changes a setting.");
        output_print(out, "\n");
        output_styled(out, STYLE_BOLD, "Verbs:");
        output_print(out, "\n");
        for (size_t i = 0; i < n_verbs; i++) {
                output_paragraph(out, 2, LABEL_MARGIN, STYLE_PLAIN, verbs[i].name, verbs[i].help);
                all |= verbs[i].options;
        }
        output_print(out, "\n");
        print_options(out, all);
        output_print(out, "\n");
        output_styled(out, STYLE_BOLD, "Exit codes:");
        output_print(out, "\n");
        for (size_t i = 0; i < n_codes; i++) {
                char label[16];

                (void) text_format(label, sizeof(label), "%d", (int) codes[i].code);
                output_paragraph(out, 2, 6, STYLE_PLAIN, label, codes[i].help);
        }
        output_print(out, "\nSee: alloctune VERB --help, alloctune(1), alloctuned.knobs(7)\n");
}

static void print_verb(Output *out, const VerbSpec *verb) {
        output_print(out, "Usage: alloctune %s [OPTION...]%s%s\n\n", verb->name,
                     verb->synopsis[0] ? " " : "", verb->synopsis);
        output_paragraph(out, 0, 0, STYLE_PLAIN, "", verb->about);
        output_print(out, "\n");
        print_options(out, verb->options);
}

int cli_help(const Options *options) {
        Output out;

        output_open(&out, !options->no_pager);
        if (options->verb)
                print_verb(&out, options->verb);
        else
                print_general(&out);
        return output_finish(&out);
}
