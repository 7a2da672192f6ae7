/* SPDX-License-Identifier: MIT */
/* Calls for an engine that connects the ranks of a distributed run; the report that the program
 * asks for, and one that it has. */
#include "core/counters/counted_memory.h"
#include "core/loop/calling_thread.h"
#include "core/loop/open_regions.h"
#include "core/loop/state.h"
#include "core/process/own_floats.h"
#include "core/process/own_thread.h"
#include "core/records/recorder.h"
#include "core/report/report.h"
#include "core/text/buffer.h"

#include <stepwatch/ranks.h>
#include <stepwatch/replay.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const struct sw_profiler *sw, const char *what, struct sw_error *err)
{
    if (!sw)
        return sw_error_set(err, SW_EINVAL, "%s needs a profiler, but the one given is NULL", what);
    return swi_is_inherited(&sw->measured) ? swi_inherited_refuse(sw, err) : 0;
}

/* ---- what is known of all ranks -------------------------------------------------------------- */

int sw_log_ranks(struct sw_profiler *sw, const struct sw_ranks *ranks, struct sw_error *err)
{
    int rc = refuse(sw, "a report of all ranks", err);
    if (rc < 0)
        return rc;
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    struct sw_ranks *copy = sw_ranks_copy(ranks);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a report of all ranks");
    swi_recorder_ranks(&sw->records, copy, swi_clock_tick(&sw->measured.clock));
    return 0;
}

void sw_log_clock(struct sw_profiler *sw, int64_t offset_ns, int64_t error_ns)
{
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    swi_recorder_clock(&sw->records, offset_ns, error_ns, swi_clock_tick(&sw->measured.clock));
}

/* ---- what an engine asks of a rank ----------------------------------------------------------- */

const struct sw_run *sw_get_run(const struct sw_profiler *sw)
{
    return sw ? &sw->records.run : NULL;
}

int64_t sw_now(struct sw_profiler *sw)
{
    SWI_OWN_FLOATS;
    return sw ? swi_clock_ns(&sw->measured.clock, swi_clock_tick(&sw->measured.clock)) : 0;
}

int sw_keep_steps(struct sw_profiler *sw, struct sw_error *err)
{
    int rc = refuse(sw, "keeping steps", err);
    if (rc < 0)
        return rc;
    SWI_FOLDED(&sw->measured);
    if (!sw->records.history)
        sw->records.history = swi_step_history_new();
    if (!sw->records.history)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to keep steps");
    swi_pipeline_want(sw->records.pipeline, SW_WANT(SW_RECORD_STEP));
    return 0;
}

/* ---- a copy of the steps: one block ---------------------------------------------------------- */

struct copied_steps {
    struct sw_steps steps;
    const char *action[SWI_HISTORY_ACTIONS];
    const double *value[SWI_HISTORY_ACTIONS];
    double values[];
};

static struct copied_steps *steps_copy(const struct swi_step_history *history)
{
    size_t columns = swi_step_history_columns(history);
    struct copied_steps *copy =
        calloc(1, sizeof *copy + history->rows * columns * sizeof *copy->values);
    if (!copy)
        return NULL;
    copy->steps = (struct sw_steps){.size = sizeof copy->steps,
                                    .steps = history->steps,
                                    .block = history->block,
                                    .columns = columns,
                                    .actions = history->rows,
                                    .action = copy->action,
                                    .value = copy->value};
    for (size_t a = 0; a < history->rows; a++) {
        copy->action[a] = sw_action_name(history->row[a].action);
        copy->value[a] = copy->values + a * columns;
        for (size_t c = 0; c < columns; c++)
            copy->values[a * columns + c] = swi_step_history_mean(history, a, c);
    }
    return copy;
}

int sw_steps_new(struct sw_profiler *sw, struct sw_steps **steps, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    int rc = refuse(sw, "a copy of the steps", err);
    if (rc < 0)
        return rc;
    SWI_FOLDED(&sw->measured);
    if (!sw->records.history)
        return sw_error_set(err, SW_EINVAL, "no steps are kept: call sw_keep_steps() first");
    struct copied_steps *copy = steps_copy(sw->records.history);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a copy of the steps");
    *steps = &copy->steps;
    return 0;
}

void sw_steps_free(struct sw_steps *steps)
{
    free(steps);
}

/* ---- sw_print() ------------------------------------------------------------------------------ */

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

/* ---- a report that the program asks for, or has ---------------------------------------------- */

int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err)
{
    SWI_OWN_MEMORY;
    int rc = refuse(sw, "a report", err);
    if (rc < 0)
        return rc;
    SWI_RARE_WORK(&sw->measured); /* the fold with it: this report does not count it */
    SWI_FOLDED(&sw->measured);
    /* Else draws may yet be those of a step; a replay asks for what the end of its run reported. */
    if (atomic_load(&sw->measured.loop) || sw->records.run.replayed)
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

static bool has_counter(const struct swi_counters *counters, const char *name)
{
    for (int i = 0; i < counters->chosen; i++)
        if (strcmp(counters->slot[i].name, name) == 0)
            return true;
    return false;
}

/* Adds the counters of a report, but not to those that the profiler measures itself. */
static void counters_take(struct sw_profiler *sw, const struct sw_report *report)
{
    const struct swi_counters *counters = &sw->measured.counters;
    const struct sw_counter_total *total = report->count ? report->row->counter : NULL;
    bool measures = counters->chosen && !counters->replayed && !sw->records.run.replayed;
    if (measures || !total || !SW_HAS(report->counter_size, total, standard))
        return;
    for (size_t i = 0; i < report->counter_count; i++) {
        total = sw_row_counter(report, report->row, i);
        struct sw_counter_info info = {.size = sizeof info,
                                       .name = total->name,
                                       .unit = total->unit,
                                       .kind = total->kind,
                                       .standard = total->standard};
        if (!has_counter(counters, info.name))
            sw_set_counter(sw, &info);
    }
}

int sw_log_report(struct sw_profiler *sw, const struct sw_report *report, struct sw_error *err)
{
    SWI_OWN_MEMORY;
    int rc = refuse(sw, "a report", err);
    if (rc < 0)
        return rc;
    if (!report)
        return sw_error_set(err, SW_EINVAL, "the report to log is NULL");
    rc = rows_check(report, err);
    if (rc < 0)
        return rc;
    counters_take(sw, report);
    SWI_RARE_WORK(&sw->measured);
    SWI_FOLDED(&sw->measured);
    struct sw_report *copy = swi_report_copy(&sw->measured, report);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a copy of the report");
    swi_recorder_logged_report(&sw->records, copy, swi_clock_tick(&sw->measured.clock));
    return 0;
}
