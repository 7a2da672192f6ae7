/* SPDX-License-Identifier: MIT */
/* Makes the report that the program asks for, and passes on one that it has. */
#include "core/counters/counted_memory.h"
#include "core/loop/inherited_profiler.h"
#include "core/loop/state.h"
#include "core/loop/waiting_regions.h"
#include "core/process/own_thread.h"
#include "core/report/shared_report.h"
#include "core/text/buffer.h"

#include <stepwatch/replay.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* In a child, the live line belongs to the parent. After the run, there is none. */
static bool has_line(const struct sw_profiler *sw)
{
    return sw && !atomic_load(&sw->measured.dead) && !swi_is_inherited(&sw->measured);
}

static int print(struct sw_profiler *sw, const char *text, int size)
{
    int cancel = swi_cancel_hold();
    bool good = swi_live_line_print(&sw->records.messages.live, text, (size_t)size);
    swi_cancel_release(cancel);
    return good ? size : -1;
}

int sw_print(struct sw_profiler *sw, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int size = has_line(sw) ? vasprintf(&text, format, args) : vprintf(format, args);
    va_end(args);
    if (!text || size < 0)
        return size;
    size = print(sw, text, size);
    free(text);
    return size;
}

static int refuse(const struct sw_profiler *sw, struct sw_error *err)
{
    if (!sw)
        return sw_error_set(err, SW_EINVAL, "a report needs a profiler, but the one given is NULL");
    return swi_is_inherited(&sw->measured) ? swi_inherited_refuse(sw, err) : 0;
}

int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err)
{
    SWI_OWN_MEMORY;
    int rc = refuse(sw, err);
    if (rc < 0)
        return rc;
    SWI_RARE_WORK(&sw->measured); /* the fold with it: this report does not count it */
    SWI_FOLDED(&sw->measured);
    swi_reports_prepare(sw);
    struct sw_report *made = swi_report_now(&sw->reports, swi_clock_tick(&sw->measured.clock));
    if (!made)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a report");
    *report = made;
    return (int)made->count;
}

static bool is_phase(enum sw_phase phase)
{
    return (unsigned)phase <= SW_PHASE_SPANS;
}

/* A report that the library has not made may contain anything. */
static int rows_check(const struct sw_report *report, struct sw_error *err)
{
    for (size_t i = 0; i < report->count; i++)
        if (!is_phase(sw_report_row(report, i)->phase_id))
            return sw_error_set(err, SW_EINVAL,
                                "row %zu of the report has the phase %d, which is "
                                "not an enum sw_phase",
                                i, (int)sw_report_row(report, i)->phase_id);
    for (size_t i = 0; i < report->shaped_count; i++)
        if (!is_phase(sw_report_shaped(report, i)->phase_id))
            return sw_error_set(err, SW_EINVAL,
                                "row %zu by shape of the report has the phase %d, "
                                "which is not an enum sw_phase",
                                i, (int)sw_report_shaped(report, i)->phase_id);
    return 0;
}

int sw_log_report(struct sw_profiler *sw, const struct sw_report *report, struct sw_error *err)
{
    SWI_OWN_MEMORY;
    int rc = refuse(sw, err);
    if (rc < 0)
        return rc;
    if (!report)
        return sw_error_set(err, SW_EINVAL, "the report to log is NULL");
    rc = rows_check(report, err);
    if (rc < 0)
        return rc;
    SWI_RARE_WORK(&sw->measured);
    SWI_FOLDED(&sw->measured);
    struct sw_report *copy = swi_report_copy(&sw->measured, report);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a copy of the report");
    swi_recorder_logged_report(&sw->records, copy, swi_clock_tick(&sw->measured.clock));
    return 0;
}
