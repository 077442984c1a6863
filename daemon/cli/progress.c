/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/output.h"

void progress_begin(ProgressLine *p, unsigned n_runs) {
        *p = (ProgressLine){ .on = output_is_terminal(STDERR_FILENO), .of = n_runs, .name = "" };
}

/* Nothing can be done about a stderr that cannot be written. */
void progress_show(void *userdata, usec_t passed_usec, usec_t whole_usec) {
        ProgressLine *p = userdata;
        usec_t whole = whole_usec > 0 ? whole_usec : 1;
        char name[64];

        if (!p->on)
                return;
        (void) text_copy(name, sizeof(name), text_from(p->name));
        output_clean(name, sizeof(name));
        (void) fprintf(stderr, "\rsimulating %u of %u, %.40s: %u %%, %s of %s \033[K", p->at + 1,
                       p->of, name, (unsigned) (MIN(passed_usec, whole) * 100 / whole),
                       human_seconds(passed_usec).text, human_seconds(whole_usec).text);
        (void) fflush(stderr);
        p->shown = true;
}

void progress_end(ProgressLine *p) {
        if (!p->shown)
                return;
        (void) fputs("\r\033[K", stderr);
        (void) fflush(stderr);
        p->shown = false;
}
