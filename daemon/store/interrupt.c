/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/interrupt.h"

#include <time.h>

/* No handler, so nothing is shared with one: the signals are blocked, and fetched. */
void interrupt_hold(Interrupt *i) {
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

        i->came = 0;
        (void) sigemptyset(&i->waited);
        for (size_t k = 0; k < ELEMENTSOF(signals); k++) {
                struct sigaction now;

                if (sigaction(signals[k], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
                        (void) sigaddset(&i->waited, signals[k]);
        }
        (void) sigprocmask(SIG_BLOCK, &i->waited, &i->before);
}

bool interrupt_came(Interrupt *i, usec_t wait_usec) {
        struct timespec ts = { .tv_sec = (time_t) (wait_usec / USEC_PER_SEC),
                               .tv_nsec = (long) (wait_usec % USEC_PER_SEC * NSEC_PER_USEC) };
        int signal;

        if (i->came == 0) {
                signal = sigtimedwait(&i->waited, NULL, &ts);
                if (signal > 0)
                        i->came = signal;
        }
        return i->came > 0;
}

void interrupt_release(Interrupt *i) {
        if (i->came > 0)
                (void) raise(i->came);
        (void) sigprocmask(SIG_SETMASK, &i->before, NULL);
}
