/* SPDX-License-Identifier: MIT */
#include "core/process/taken_signal.h"
#include "core/process/handlers.h"

#include <stddef.h>

/* The program's own handlers are never replaced. If another handler was installed after ours, it
 * passes the signal on to ours. */
static bool may_take(const struct swi_taken_signal *taken, const struct sigaction *now)
{
    return now->sa_handler == SIG_DFL ||
           (!taken->set && swi_handler_may_follow(taken->signal, now));
}

void swi_taken_signal_set(struct swi_taken_signal *taken, const struct sigaction *ours)
{
    struct sigaction now = {0};
    if (sigaction(taken->signal, NULL, &now) != 0 || !may_take(taken, &now))
        return;
    taken->before = now;
    taken->set = sigaction(taken->signal, ours, NULL) == 0;
}

void swi_taken_signal_restore(struct swi_taken_signal *taken, const struct sigaction *ours)
{
    struct sigaction now = {0};
    if (taken->set && sigaction(taken->signal, NULL, &now) == 0 &&
        now.sa_handler == ours->sa_handler)
        taken->set = sigaction(taken->signal, &taken->before, NULL) != 0;
}

void swi_taken_signal_pass_on(const struct swi_taken_signal *taken)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(taken->signal, taken->set ? &taken->before : &standard, NULL);
}
