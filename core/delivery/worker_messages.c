/* SPDX-License-Identifier: MIT */
#include "core/delivery/worker.h"

#include "core/clock/clock.h"
#include "core/delivery/record.h"
#include "core/text/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was lost or went wrong in a sink --------------------------------------------------- */

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Appends a clause, with a semicolon before all but the first. */
__attribute__((format(printf, 3, 4))) static void clause(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s", used ? "; " : "");
    if (used >= size)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* Returns whether a kind is dropped often. The others are dropped only if the sink has hung for
 * long. */
static bool is_often_dropped(int type)
{
    return type == SW_RECORD_METRICS || type == SW_RECORD_STEP || type == SW_RECORD_REGIONS;
}

static void dropped_add(struct swi_worker *worker, char *text, size_t size)
{
    int64_t dropped[SW_RECORD_TYPES], sum = 0;
    char rare[512] = "";
    swi_queue_count(&worker->queue, dropped);
    for (int type = 0; type < SW_RECORD_TYPES; type++) {
        sum += dropped[type];
        if (dropped[type] && !is_often_dropped(type))
            snprintf(rare + strlen(rare), sizeof rare - strlen(rare), ", %" PRId64 " %s",
                     dropped[type], swi_record_kinds[type].plural);
    }
    if (sum)
        clause(text, size,
               "%" PRId64 " record%s dropped because the sink was too slow (%" PRId64
               " metrics, %" PRId64 " steps, %" PRId64 " regions%s)",
               sum, plural(sum), dropped[SW_RECORD_METRICS], dropped[SW_RECORD_STEP],
               dropped[SW_RECORD_REGIONS], rare);
}

static void errors_add(struct swi_worker *worker, char *text, size_t size)
{
    int64_t failed = worker->failed, missed = worker->missed;
    pthread_mutex_lock(&worker->lock);
    if (failed)
        clause(text, size, "%" PRId64 " of %" PRId64 " records failed: first error: %s", failed,
               (int64_t)worker->records,
               worker->first_error ? worker->first_error : "out of memory");
    else if (worker->first_error)
        clause(text, size, "%s", worker->first_error);
    if (failed && worker->given_up)
        clause(text, size, "gave up after %d failures in a row", SWI_FAILURES_MAX);
    if (missed)
        clause(text, size, "%" PRId64 " record%s missed", missed, plural(missed));
    if (worker->files_lost)
        clause(text, size, "%s", worker->files_lost);
    pthread_mutex_unlock(&worker->lock);
}

bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size)
{
    int64_t lost = worker->lost, unsaid = worker->unsaid;
    text[0] = '\0';
    errors_add(worker, text, size);
    if (lost)
        clause(text, size, "%" PRId64 " record%s lost", lost, plural(lost));
    dropped_add(worker, text, size);
    if (unsaid)
        clause(text, size, "%" PRId64 " message%s left out", unsaid, plural(unsaid));
    return text[0];
}

/* ---- a sink that hangs must not hold the budget of values ------------------------------------ */

/* Since when a sink has taken no value, though some wait; 0: it takes them. */
static int64_t idle_since(struct swi_worker *worker, int64_t now)
{
    struct swi_hung_sink *idle = &worker->idle_values;
    uint64_t taken;
    size_t waiting = swi_queue_values(&worker->queue, &taken);
    if (!waiting || taken != idle->taken)
        idle->since_ns = 0;
    else if (!idle->since_ns)
        idle->since_ns = now;
    idle->taken = taken;
    return idle->since_ns;
}

static void values_drop(struct swi_worker *worker)
{
    swi_queue_drop_values(&worker->queue);
    if (!worker->idle_values.reported)
        swi_worker_say(worker, SW_WARNING,
                       "takes no values: those that wait for it were dropped, so that the other "
                       "sinks get new ones");
    worker->idle_values.reported = true;
}

void swi_hung_sink_check(struct swi_worker *const *worker, size_t count, struct swi_budget *budget)
{
    const int64_t stuck_ns = INT64_C(5000000000);
    int64_t now = budget && atomic_load(&budget->used) ? swi_monotonic_ns() : 0;
    bool full = now && atomic_exchange(&budget->full, false);
    for (size_t i = 0; now && i < count; i++) {
        int64_t since = idle_since(worker[i], now);
        if (full && since && now - since >= stuck_ns)
            values_drop(worker[i]);
    }
}

/* ---- what the program is told of a sink: its messages, and its first error ------------------- */

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
        swi_say_unless(worker->messages, &worker->abandoned, SW_ERROR, "sink %s: %s%s",
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
        swi_say_unless(worker->messages, &worker->abandoned, level, "sink %s: %s", worker->name,
                       text);
    else
        worker->unsaid++;
}
