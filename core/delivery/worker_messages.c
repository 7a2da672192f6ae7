/* SPDX-License-Identifier: MIT */
#include "core/delivery/worker_messages.h"
#include "core/clock/clock.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

enum { ERROR_SHOWN = SWI_MESSAGE - 512 };
#define SECOND_NS INT64_C(1000000000)

/* Returns the error of a plugin as printable text. The plugin may have left anything in err. */
static char *error_text(struct sw_error *err, const char *what)
{
    char shown[ERROR_SHOWN];
    err->short_[sizeof err->short_ - 1] = '\0';
    if (!*sw_error_text(err))
        sw_error_append(err, "%s failed, and the sink gave no reason", what);
    return strdup(swi_printable(shown, sizeof shown, sw_error_text(err)));
}

void swi_worker_failure(struct swi_worker *worker, struct sw_error *err, const char *what,
                        const char *consequence)
{
    char *text = error_text(err, what);
    pthread_mutex_lock(&worker->lock);
    bool first = text && !worker->first_error;
    if (first)
        worker->first_error = text;
    pthread_mutex_unlock(&worker->lock);
    if (first)
        swi_say_unless(worker->messages, &worker->left_alone, SW_ERROR, "sink %s: %s%s",
                       worker->name, text, consequence);
    else
        free(text);
    sw_error_free(err);
}

/* Returns whether one more message is allowed: one per second in the long run. */
static bool may_say(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    int64_t now = swi_monotonic_ns(), seconds = (now - worker->message_ns) / SECOND_NS;
    if (seconds < 0) { /* a library moves the clock */
        seconds = 0;
        worker->message_ns = now;
    }
    int64_t left = worker->messages_left + seconds;
    worker->messages_left = left < SWI_MESSAGES_MAX ? left : SWI_MESSAGES_MAX;
    worker->message_ns += seconds * SECOND_NS;
    bool may = worker->messages_left > 0 && worker->messages_left--;
    pthread_mutex_unlock(&worker->lock);
    return may;
}

void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text)
{
    if (may_say(worker))
        swi_say_unless(worker->messages, &worker->left_alone, level, "sink %s: %s", worker->name,
                       text);
    else
        worker->unsaid++;
}
