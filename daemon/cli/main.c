/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloctune: finds the verb and runs it. Nothing here, or behind it, writes a kernel setting. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include "cli/front.h"
#include "cli/output.h"

/* A program that was started with a closed stream must not get it as the number of one of its files. Opened for
 * reading, it still makes each write to it fail. */
static bool reserve_streams(void) {
        for (int fd = 0; fd <= 2; fd++)
                if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
                    open("/dev/null", O_RDONLY | O_CLOEXEC) != fd)
                        return false;
        return true;
}

static int print_version(void) {
        Output o;

        output_open(&o, /* paged= */ false);
        output_print(&o, "alloctune %s\n", ALLOCTUNED_VERSION);
        return output_finish(&o);
}

int main(int argc, char *argv[]) {
        struct sigaction ignore = { .sa_handler = SIG_IGN };
        char error[512];
        Options options;
        size_t n = 0;
        const VerbSpec *verbs = verb_specs(&n);

        if (!reserve_streams())
                return EXIT_FAILED;
        /* A reader that went away shows as EPIPE of the write, a limit of the size of files as EFBIG. */
        (void) sigaction(SIGPIPE, &ignore, NULL);
        (void) sigaction(SIGXFSZ, &ignore, NULL);
        if (!options_parse(argc, (const char *const *) argv, verbs, n, &options, error,
                           sizeof(error)))
                return cli_usage(&options, error);
        if (options.version)
                return print_version();
        if (options.help)
                return cli_help(&options);
        if (options.dump_tables)
                return cli_dump_tables(&options);
        return options.verb->run(&options);
}
