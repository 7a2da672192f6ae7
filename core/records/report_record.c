/* SPDX-License-Identifier: MIT */
#include "core/records/report_record.h"
#include "core/report/report.h"
#include "core/rows/measured.h"

/* Reported once: the rows of each report have the other cases. */
static void uncounted_say(struct swi_recorder *records, int ran_percent)
{
    if (atomic_exchange(&records->uncounted_reported, true))
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
    if (!atomic_exchange(&records->full_reported, true))
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
}

void swi_reports_set_recorder(struct swi_reports *reports, struct swi_recorder *records)
{
    reports->flawed = report_flawed;
    reports->arg = records;
}

/* ---- a report as a record -------------------------------------------------------------------- */

static void report_release(void *report)
{
    sw_report_free(report);
}

/* Returns a record that has taken over the report; NULL if no sink wants it or memory runs out. */
static struct swi_record *record_with(struct swi_recorder *records, enum sw_record_type type,
                                      struct sw_report *report, int64_t tick)
{
    struct swi_record *record =
        swi_wants(records, type) ? swi_recorder_make(records, type, 0, tick) : NULL;
    if (!record) {
        sw_report_free(report);
        return NULL;
    }
    record->bytes += swi_report_bytes(report);
    record->owned = report;
    record->release = report_release;
    record->record.report = report;
    return record;
}

void swi_recorder_report(struct swi_recorder *records, enum sw_record_type type,
                         struct sw_report *report, int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    if (!report) {
        swi_no_memory(records, "a report");
        return;
    }
    struct swi_record *record = record_with(records, type, report, tick);
    if (record)
        swi_recorder_push(records, record);
}

void swi_recorder_logged_report(struct swi_recorder *records, struct sw_report *report,
                                int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    struct swi_record *record = record_with(records, SW_RECORD_REPORT, report, tick);
    if (!record)
        return;
    record->record.fit = report->fit;
    record->record.epoch = report->epoch;
    record->record.step = report->step > 0 ? report->step - 1 : 0;
    swi_recorder_push(records, record);
}
