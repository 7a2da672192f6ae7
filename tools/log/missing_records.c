/* SPDX-License-Identifier: MIT */
#include "tools/log/run_replay.h"

#include "core/text/buffer.h"
#include "core/text/number.h"
#include "core/text/parts.h"
#include "tools/log/log_lines.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Own actions in train and valid may be within steps or between them: the log does not say which.
 */
bool held_row(const struct held *held, const char *phase, const char *action)
{
    bool outside = SWI_IS_ONE_OF(phase, "fit", "threads", "before", "after");
    return !held->steps_only || !outside || log_is_of_loop(action);
}

bool held_maybe_outside(const struct held *held, const char *phase, const char *action)
{
    return held->steps_only && SWI_IS_ONE_OF(phase, "train", "valid") &&
           !SWI_IS_ONE_OF(action, "step", "draw", "batch", "forward", "loss", "backward",
                          "opt_step", "zero_grad", "predict");
}

/* A log of steps does not have what ran around them, or in a draw. */
bool held_self(const struct held *held, const char *phase, const char *action)
{
    return held_row(held, phase, action) &&
           !(held->steps_only && (log_is_of_loop(action) || strcmp(action, "draw") == 0));
}

static void note(char *first, size_t size, size_t *count, const char *phase, const char *action)
{
    if ((*count)++ == 0)
        snprintf(first, size, "%s / %s", phase, action);
}

static void outside_line(struct held *held, const struct log_value *line)
{
    const struct log_value *rows = log_get(line, "rows");
    bool amended = log_true(line, "amended");
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row)) {
        const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
        if (amended && strcmp(phase, "after") != 0)
            continue; /* the report before has it already */
        if (!held_row(held, phase, action))
            note(held->outside_first, sizeof held->outside_first, &held->outside, phase, action);
    }
}

void held_line(struct held *held, const struct log_value *line)
{
    enum line_type type = log_type(line);
    if (type == LINE_RUN)
        held->steps_only = held->sampled || strcmp(log_string(line, "detail", ""), "steps") == 0 ||
                           log_true(line, "windowed");
    else if (type == LINE_WINDOW_BEGIN)
        held->in_window = true;
    else if (type == LINE_WINDOW_END) {
        held->sampled = held->sampled || !(held->steps_only || held->in_window);
        held->steps_only = held->steps_only || held->sampled;
        held->in_window = false;
    } else if (type == LINE_STEP)
        held->thinned += log_integer(line, "of", 0);
    else if (type == LINE_STEPS) /* its reader takes it as it is */
        held->thinned += log_integer(line, "steps", 0);
    else if (type == LINE_LOST) {
        held->lost.metrics += log_integer(line, "metrics", 0);
        held->lost.steps += log_integer(line, "steps", 0);
        held->lost.regions += log_integer(line, "regions", 0);
    } else if (type == LINE_REPORT)
        outside_line(held, line);
}

/* ---- the run's report, and that of the log --------------------------------------------------- */

const struct sw_report_row *held_row_of(const struct sw_report *made, const char *phase,
                                        const char *action)
{
    for (size_t i = 0; i < made->count; i++)
        if (strcmp(sw_report_row(made, i)->phase, phase) == 0 &&
            strcmp(sw_report_row(made, i)->action, action) == 0)
            return sw_report_row(made, i);
    return NULL;
}

static void row_hold(struct held *held, const struct log_value *row, const struct sw_report *made)
{
    const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
    const struct sw_report_row *of = held_row_of(made, phase, action);
    int64_t calls = log_integer(row, "calls", 0), found = of ? of->calls : 0;
    if (found >= calls || !held_row(held, phase, action))
        return;
    if (held_maybe_outside(held, phase, action)) {
        note(held->outside_first, sizeof held->outside_first, &held->outside, phase, action);
        return;
    }
    if (!held->lacks_rows) {
        held->row_calls = calls;
        held->row_found = found;
    }
    note(held->row_first, sizeof held->row_first, &held->lacks_rows, phase, action);
}

void held_report(struct held *held, const struct log_value *line, const struct sw_report *made,
                 bool whole)
{
    int64_t steps = log_integer(line, "steps", 0), lacking = steps - made->accounting.steps;
    const struct log_value *rows = log_get(line, "rows");
    held->steps += steps;
    held->lacks_steps += lacking > 0 ? lacking : 0;
    if (!whole)
        return;
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row))
        row_hold(held, row, made);
}

/* ---- saying it ------------------------------------------------------------------------------- */

static void say_lost(const struct sw_lost *lost, const char *path)
{
    if (lost->metrics || lost->steps || lost->regions)
        say(NULL,
            "%s: the disk was too slow for the run: %" PRId64 " metrics, %" PRId64
            " steps and %" PRId64 " begins and ends of regions were left out of the log",
            path, lost->metrics, lost->steps, lost->regions);
}

void held_say_lacking(const struct held *held, const char *path)
{
    say_lost(&held->lost, path);
    if (held->thinned)
        say(NULL,
            "%s: the log was thinned out: it has %" PRId64 " steps as sums of several, so their "
            "numbers and totals are exact, but not their deviations and percentiles",
            path, held->thinned);
    if (held->lacks_steps)
        say(NULL, "%s: the log lacks %" PRId64 " of the %" PRId64 " steps of the run's own report",
            path, held->lacks_steps, held->steps);
    if (held->lacks_rows)
        say(NULL,
            "%s: the run's own report has more calls than the log in %zu row%s, %s%s: %" PRId64
            " instead of %" PRId64,
            path, held->lacks_rows, held->lacks_rows == 1 ? "" : "s",
            held->lacks_rows == 1 ? "" : "the first of them ", held->row_first, held->row_calls,
            held->row_found);
}

void held_say_outside(const struct held *held, const char *path)
{
    if (held->outside)
        say(NULL, "%s: the run's own report has %zu row%s more, %s%s: %s", path, held->outside,
            held->outside == 1 ? "" : "s", held->outside == 1 ? "" : "the first of them ",
            held->outside_first,
            held->sampled
                ? "after its beginning, the log has regions only of some steps; record it "
                  "with thin_after: 0"
                : "with detail: steps a log has no regions outside of steps; record it "
                  "with detail: regions");
}

/* ---- what only the run knows ----------------------------------------------------------------- */

static void add(struct misuses *misuses, const char *text, int64_t times)
{
    size_t room = sizeof misuses->text - misuses->size;
    int size = snprintf(misuses->text + misuses->size, room, "%s%s: %" PRId64,
                        misuses->size ? "; " : "", text, times);
    if (size > 0 && (size_t)size < room)
        misuses->size += (size_t)size;
    else
        misuses->text[misuses->size] = '\0'; /* the rest is in the JSON */
}

void misuses_line(struct misuses *misuses, const struct log_value *line)
{
    if (!log_is_type(line, LINE_REPORT))
        return;
    /* The second report of a fit includes the list of the first. */
    if (log_true(line, "amended") && log_integer(line, "fit", 0) == misuses->fit)
        misuses->size = misuses->before;
    misuses->before = misuses->size;
    misuses->fit = log_integer(line, "fit", 0);
    misuses->rss_bytes = log_integer(line, "rss_bytes", 0);
    misuses->peak_rss_bytes = log_integer(line, "peak_rss_bytes", 0);
    const struct log_value *list = log_get(line, "misuse");
    for (const struct log_value *misuse = log_first(list); misuse; misuse = log_after(list, misuse))
        add(misuses, log_string(misuse, "text", ""), log_integer(misuse, "times", 0));
}

static void memory_say(const struct misuses *misuses, const char *path)
{
    struct swi_text text = {0};
    swi_number_bytes(&text, misuses->rss_bytes);
    swi_text_put(&text, " resident, at most ");
    swi_number_bytes(&text, misuses->peak_rss_bytes);
    if (text.data)
        say(NULL, "%s: memory of the process, as the report of the run says: %s", path, text.data);
    swi_text_free(&text);
}

void misuses_say(const struct misuses *misuses, const char *path)
{
    if (misuses->rss_bytes > 0 && !misuses->memory_shown)
        memory_say(misuses, path);
    if (misuses->size)
        say(NULL, "%s: calls that did not fit, as the report of the run says: %s", path,
            misuses->text);
}
