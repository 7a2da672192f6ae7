/* SPDX-License-Identifier: MIT */
#include "core/delivery/worker_summary.h"
#include "core/delivery/record_kinds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

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

static void dropped_tell(struct swi_worker *worker, char *text, size_t size)
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

static void errors_tell(struct swi_worker *worker, char *text, size_t size)
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
    errors_tell(worker, text, size);
    if (lost)
        clause(text, size, "%" PRId64 " record%s lost", lost, plural(lost));
    dropped_tell(worker, text, size);
    if (unsaid)
        clause(text, size, "%" PRId64 " message%s left out", unsaid, plural(unsaid));
    return text[0];
}
