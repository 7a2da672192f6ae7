/* SPDX-License-Identifier: MIT */
#include "core/clock/deadline.h"
#include "core/exit.h"
#include "core/loop/fit.h"
#include "core/loop/misuse.h"
#include "core/loop/recording_windows.h"
#include "core/loop/open_regions.h"
#include "core/monitors/monitors.h"
#include "core/process/signals.h"
#include "core/watchdog/watchdog.h"

#include <stdio.h>
#include <string.h>

/* Sends what is in no report yet, of the open fit or outside of fits. No step comes any more to
 * which a draw could belong. */
static void report_last(struct sw_profiler *sw, int64_t now, bool interrupted)
{
    swi_reports_prepare(sw);
    if (!sw->ending.fit_due && !swi_report_due(&sw->measured))
        return;
    struct sw_report *report = swi_report_now(&sw->reports, now);
    if (report && !report->complete)
        report->interrupted = interrupted;
    if (atomic_load(&sw->measured.progress.fit_open))
        now = sw->measured.progress.elapsed_tick;
    swi_regions_hand_over(sw);
    swi_recorder_report(&sw->records, SW_RECORD_REPORT, report, now);
    sw->ending.fit_due = false;
}

/* Appends what could not be made for lack of memory to what the sinks lost. */
static int unmade_report(struct sw_profiler *sw, int rc, struct sw_error *err)
{
    rc = swi_refusals_report(&sw->records.refusals, &sw->records.messages, sw->records.budget.limit,
                             rc, err);
    long long times = atomic_load(&sw->records.unmade.times);
    const char *first = atomic_load(&sw->records.unmade.first);
    if (!times || !first)
        return rc;
    err->code = rc < 0 ? rc : SW_ENOMEM;
    return sw_error_append(err, "%sout of memory %lld time%s; first dropped: %s",
                           rc < 0 ? "\n" : "", times, times == 1 ? "" : "s", first);
}

/* Sends the record of the end, and closes the sinks. The monitors have ended before, but the one
 * that is still busy: it has used up half of the time. */
static int all_close(struct sw_profiler *sw, const char *busy, int64_t now, int64_t limit_ns,
                     bool patient, struct sw_error *err)
{
    limit_ns = busy ? limit_ns / 2 : limit_ns;
    const struct timespec until = swi_deadline_in(limit_ns).at;
    sw->ending.end.deadline_ns = (int64_t)until.tv_sec * 1000000000 + until.tv_nsec;
    atomic_store(&sw->ending.stage, SWI_END_SENT);
    swi_recorder_end(&sw->records, &sw->ending.end, now);
    int rc = swi_pipeline_close(sw->records.pipeline, limit_ns, patient, err);
    if (!busy)
        return rc;
    sw_error_append(err, "%smonitor %s: did not finish in time and was left alone", rc ? "\n" : "",
                    busy);
    return err->code = SW_ETIME;
}

/* Has the last samples of the monitors before the end. Half of the time is the sinks'. Returns the
 * monitor that did not come back, or NULL. */
static const char *monitors_stop(struct sw_profiler *sw, int64_t limit_ns)
{
    const char *busy = NULL;
    if (swi_monitors_stop(sw->monitors, limit_ns / 2, &busy))
        return NULL;
    return busy ? busy : "(none)";
}

int swi_finish_closed(struct sw_profiler *sw, struct sw_error *err)
{
    int signal = swi_signals_came();
    /* Nothing is a stall from here on. What the watchdog still reports comes before the end. */
    swi_watchdog_stop(sw->watchdog, sw->measured.chosen.close_timeout_ns);
    if (atomic_load(&sw->measured.paused))
        sw_resume(sw);
    bool cut = sw->ending.interrupted, window;
    int64_t now;
    {
        SWI_FOLDED(&sw->measured);
        now = cut ? swi_clock_tick(&sw->measured.clock) : swi_fit_close(sw);
    }
    int64_t limit_ns = sw->measured.chosen.close_timeout_ns;
    const char *busy = monitors_stop(sw, limit_ns);
    {
        SWI_FOLDED(&sw->measured);
        report_last(sw, now, cut);
        swi_regions_hand_over(sw);
        window = swi_windows_end(sw, now);
        atomic_store(&sw->ending.stage, SWI_END_REPORTED);
    }
    if (window)
        swi_windows_tell(sw);
    swi_windows_say(sw);
    swi_sent_alerts_say(sw);
    sw->ending.end.size = sizeof sw->ending.end;
    sw->ending.end.signal = cut ? sw->ending.signal : signal;
    sw->ending.end.exit_status =
        signal && !cut ? 128 + signal : atomic_load(&sw->ending.exit_status);
    sw->ending.end.interrupted = cut;
    sw->ending.end.cause = cut ? sw->ending.cause : NULL;
    int rc = all_close(sw, busy, now, limit_ns, !signal, err);
    return unmade_report(sw, rc, err);
}

/* ---- the end without sw_close() -------------------------------------------------------------- */

static void end_interrupted(struct sw_profiler *sw, const struct swi_ending *ending, bool exact)
{
    int status = atomic_load(&sw->ending.exit_status);
    snprintf(sw->ending.cause, sizeof sw->ending.cause, "%s%s", ending->cause,
             exact ? "" : "; the report is approximate");
    sw->ending.end =
        (struct sw_end){.size = sizeof sw->ending.end,
                        .exit_status = ending->exit_status ? ending->exit_status : status,
                        .signal = ending->signal,
                        .interrupted = true,
                        .cause = sw->ending.cause};
}

/* If the thread that has the fold lock has crashed with it, what it was folding may be in part in
 * the report. If it does not give it for another reason, the report is made of what was folded.
 * exact: set to false then. */
static int64_t interrupted_report(struct sw_profiler *sw, bool *exact)
{
    SWI_FOLDED(&sw->measured);
    *exact = swi_folded_ && !swi_folded_->inherited;
    int64_t now = swi_clock_tick(&sw->measured.clock);
    report_last(sw, now, true);
    swi_regions_hand_over(sw);
    swi_windows_end(sw, now);
    atomic_store(&sw->ending.stage, SWI_END_REPORTED);
    return now;
}

void swi_finish_interrupted(struct sw_profiler *sw, const struct swi_ending *ending)
{
    int64_t limit_ns = ending->limit_ns && ending->limit_ns < sw->measured.chosen.close_timeout_ns
                           ? ending->limit_ns
                           : sw->measured.chosen.close_timeout_ns;
    atomic_store(&sw->measured.dead, true);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    /* After a crash, making a report may find broken memory, so finished records are sent first. */
    if (ending->limit_ns)
        swi_pipeline_flush(sw->records.pipeline, limit_ns / 3);
    swi_watchdog_stop(sw->watchdog, limit_ns / 3);
    const char *busy = monitors_stop(sw, ending->limit_ns ? limit_ns / 4 : limit_ns);
    bool exact;
    int64_t now = interrupted_report(sw, &exact);
    swi_windows_say(sw);
    end_interrupted(sw, ending, exact);
    int rc = all_close(sw, busy, now, limit_ns, false, &sw->ending.error);
    if (unmade_report(sw, rc, &sw->ending.error) < 0)
        swi_say_lines(&sw->records.messages, SW_WARNING, sw_error_text(&sw->ending.error));
}
