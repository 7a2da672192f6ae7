/* SPDX-License-Identifier: MIT */
#include "core/records/pending_reports.h"
#include "core/report/shared_report.h"
#include "core/rows/rare_overhead.h"

static struct swi_past *past_of(const struct swi_moments *moments)
{
    return &moments->reports->measured->past;
}

/* ---- the beginning and the end --------------------------------------------------------------- */

/* Reported once: the rows of each report have the other cases. */
static void uncounted_say(struct swi_recorder *records, int ran_percent)
{
    if (atomic_exchange(&records->uncounted_said, true))
        return;
    if (ran_percent < 100)
        swi_say(&records->messages, SW_WARNING,
                "report: counters of the processor ran %d %% of the time, because they shared its "
                "registers: regions in which they did not run all the time are left out of them",
                ran_percent);
    else
        swi_say(&records->messages, SW_WARNING,
                "report: what some regions used of a counter is not known, because it could not be "
                "read or because they began and ended on two threads: they are left out of it");
}

static void full_say(struct swi_recorder *records)
{
    if (!atomic_exchange(&records->full_said, true))
        swi_say(
            &records->messages, SW_WARNING,
            "report: the sum of a counter is larger than 2^63 - 1: it is shown as "
            "9223372036854775807, and what is computed from it as \"-\"; count in a larger unit, "
            "such as GFLOP or thousands of tokens");
}

static void report_flawed(void *arg, enum swi_flaw flaw, int number)
{
    struct swi_recorder *records = arg;
    if (flaw == SWI_FLAW_UNBINNED)
        swi_no_memory(records, "a histogram");
    else if (flaw == SWI_FLAW_UNCOUNTED)
        uncounted_say(records, number);
    else if (flaw == SWI_FLAW_FULL)
        full_say(records);
    else
        swi_say(&records->messages, SW_WARNING,
                "report: the rows of thread %d are approximate: it was in the middle of "
                "changing them for half a second",
                number);
}

void swi_moments_init(struct swi_moments *moments, struct swi_reports *reports,
                      struct swi_recorder *records)
{
    moments->reports = reports;
    moments->records = records;
    pthread_mutex_init(&moments->making, NULL);
    swi_past_init(past_of(moments), swi_moments_relieve, moments);
    reports->flawed = report_flawed;
    reports->arg = records;
}

void swi_moments_fini(struct swi_moments *moments)
{
    struct swi_moment *moment;
    while ((moment = swi_past_due(past_of(moments)))) {
        uint64_t made = moment->number;
        if (moment->record)
            swi_record_unref(moment->record);
        swi_moment_fini(moment);
        swi_past_made(past_of(moments), made);
    }
    sw_report_free(moments->last);
    swi_past_fini(past_of(moments));
    pthread_mutex_destroy(&moments->making);
}

/* ---- a report as a record -------------------------------------------------------------------- */

static void report_release(struct swi_record *record)
{
    sw_report_free(record->owned);
}

static void record_own_report(struct swi_record *record, struct sw_report *report)
{
    record->owned = report;
    record->release = report_release;
    record->record.report = report;
}

/* Returns a record that has taken over the report; NULL if no sink wants it or memory runs out. */
static struct swi_record *record_with(struct swi_recorder *records, enum sw_record_type type,
                                      struct sw_report *report, int64_t tick)
{
    struct swi_record *record =
        swi_wants(records, type) ? swi_emit_new(records, type, 0, tick) : NULL;
    if (!record) {
        sw_report_free(report);
        return NULL;
    }
    record->bytes += swi_report_bytes(report);
    record_own_report(record, report);
    return record;
}

void swi_emit_report(struct swi_recorder *records, enum sw_record_type type,
                     struct sw_report *report, int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    if (!report) {
        swi_no_memory(records, "a report");
        return;
    }
    struct swi_record *record = record_with(records, type, report, tick);
    if (record)
        swi_emit_push(records, record);
}

void swi_emit_logged_report(struct swi_recorder *records, struct sw_report *report, int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    struct swi_record *record = record_with(records, SW_RECORD_REPORT, report, tick);
    if (!record)
        return;
    record->record.fit = report->fit;
    record->record.epoch = report->epoch;
    record->record.step = report->step > 0 ? report->step - 1 : 0;
    swi_emit_push(records, record);
}

/* ---- making the reports that wait ------------------------------------------------------------ */

/* The report of a fit is returned to all callers until the next fit has ended. */
static void last_report_set(struct swi_moments *moments, struct sw_report *report)
{
    pthread_mutex_lock(&moments->reports->measured->lock);
    struct sw_report *before = moments->last;
    moments->last = report ? swi_report_ref(report) : NULL;
    pthread_mutex_unlock(&moments->reports->measured->lock);
    sw_report_free(before);
}

/* Gives the report to the record. Takes over both. */
static void deliver(struct swi_moments *moments, struct swi_record *record,
                    struct sw_report *report)
{
    if (report)
        SWI_SET(moments->report_bytes, swi_report_bytes(report));
    else
        swi_no_memory(moments->records, "a report");
    if (record && report)
        record_own_report(record, report);
    else
        sw_report_free(report);
    if (record)
        swi_record_unref(record);
}

void swi_moment_make(struct swi_moments *moments, struct swi_moment *moment)
{
    struct sw_report *report = swi_report_of(moments->reports, moment);
    if (moment->complete)
        last_report_set(moments, report);
    deliver(moments, moment->record, report);
    swi_moment_fini(moment);
}

void swi_moments_make(struct swi_moments *moments, uint64_t number)
{
    struct swi_moment *moment;
    if (number == SWI_NOW)
        number = atomic_load(&past_of(moments)->newest);
    if (!swi_past_waits(past_of(moments), number))
        return;
    pthread_mutex_lock(&moments->making);
    while ((moment = swi_past_due(past_of(moments))) && moment->number <= number) {
        uint64_t made = moment->number;
        swi_moment_make(moments, moment);
        swi_past_made(past_of(moments), made);
    }
    pthread_mutex_unlock(&moments->making);
}

void swi_moments_relieve(void *arg)
{
    struct swi_moments *moments = arg;
    swi_moments_make(moments, SWI_GET(past_of(moments)->made) + 1);
}

bool swi_moments_catch_up(struct swi_moments *moments)
{
    bool crowded = swi_past_is_crowded(past_of(moments));
    if (crowded)
        swi_moments_relieve(moments);
    return crowded;
}

void swi_moments_forget(struct swi_moments *moments)
{
    struct swi_moment *moment;
    if (pthread_mutex_trylock(&moments->making) != 0)
        return;
    while ((moment = swi_past_due(past_of(moments))) && !moment->record) {
        uint64_t made = moment->number;
        swi_moment_fini(moment);
        swi_past_made(past_of(moments), made);
    }
    pthread_mutex_unlock(&moments->making);
}

/* Notes which report a record gets, in the room for its metrics. */
struct awaited {
    struct swi_moments *moments;
    uint64_t moment;
};

static bool report_finish(struct swi_record *record)
{
    const struct awaited *awaited = swi_record_room(record);
    swi_moments_make(awaited->moments, awaited->moment);
    return record->record.report;
}

/* As large as the last report, or at least what its rows take. */
static size_t bytes_guess(const struct swi_moments *moments, const struct swi_thread *thread)
{
    const struct swi_row *newest = SWI_GET(thread->rows);
    size_t rows = newest ? newest->number + (size_t)1 : 0, last = SWI_GET(moments->report_bytes);
    size_t least = sizeof(struct sw_report) + rows * sizeof(struct sw_report_row);
    return last > least ? last : least;
}

struct swi_record *swi_emit_later(struct swi_moments *moments, const struct swi_thread *thread,
                                  enum sw_record_type type, int64_t tick)
{
    struct swi_recorder *records = moments->records;
    struct swi_record *record =
        swi_wants(records, type) ? swi_emit_new(records, type, SWI_POOL_FEW, tick) : NULL;
    if (!record)
        return NULL;
    swi_record_ref(record);
    record->bytes += bytes_guess(moments, thread);
    return record;
}

void swi_emit_moment(struct swi_moments *moments, struct swi_record *record, uint64_t moment)
{
    *(struct awaited *)swi_record_room(record) = (struct awaited){moments, moment};
    record->finish = report_finish;
    swi_emit_push(moments->records, record);
}

/* ---- the report that somebody asks for ------------------------------------------------------- */

/* Between two fits, returns the report of the last fit, with a reference for the caller; else NULL.
 */
static struct sw_report *last_report(struct swi_moments *moments)
{
    struct swi_measured *measured = moments->reports->measured;
    struct sw_report *report = NULL;
    if (!SWI_GET(measured->progress.fit_open))
        swi_moments_make(moments, SWI_NOW);
    pthread_mutex_lock(&measured->lock);
    if (!SWI_GET(measured->progress.fit_open) && moments->last)
        report = swi_report_ref(moments->last);
    pthread_mutex_unlock(&measured->lock);
    return report;
}

struct sw_report *swi_report_now(struct swi_moments *moments)
{
    struct sw_report *last = last_report(moments);
    return last ? swi_report_amend(moments->reports, last) : swi_report_make(moments->reports);
}
