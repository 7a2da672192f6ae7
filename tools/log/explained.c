/* SPDX-License-Identifier: MIT */
#include "tools/log/explained.h"

#include "tools/log/log_lines.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <string.h>

static int no_memory(struct sw_error *err)
{
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the steps of the log");
}

/* ---- a log of steps: line by line ------------------------------------------------------------ */

static void line_take(struct explained *e, const struct log_value *line)
{
    enum line_type type = log_type(line);
    log_fits_line(&e->fits, line);
    held_line(&e->replay.held, line);
    if (type == LINE_FINISH)
        e->replay.finished = true;
}

/* Counts damaged lines and continues. */
static int lines_read(struct explained *e, struct log *log, struct sw_error *err)
{
    const struct log_value *line;
    int rc;
    while ((rc = replay_next_line(&e->replay, log, &line, err)) > 0) {
        line_take(e, line);
        if (e->fits.failed)
            return no_memory(err);
    }
    e->replay.lines = log->number;
    e->replay.torn = log->torn;
    return rc;
}

/* ---- a log of regions: the steps that a replay makes of it ----------------------------------- */

static int record_take(void *arg, struct sw_sink *sink, const struct sw_record *record,
                       struct sw_error *err)
{
    struct log_fits *fits = arg;
    (void)sink;
    log_fits_record(fits, record);
    return fits->failed ? no_memory(err) : 0;
}

static void line_look(void *arg, const struct log_value *line)
{
    log_fits_line(arg, line);
}

static int replay_read(struct explained *e, struct sw_error *err)
{
    e->replay.record = record_take;
    e->replay.wants = LOG_FITS_WANTS;
    e->replay.line = line_look;
    e->replay.arg = &e->fits;
    return replay_run(&e->replay, err);
}

/* ---- how a log is read ----------------------------------------------------------------------- */

/* Fails if it is not a run log, or has no steps. */
static int run_check(const char *path, const struct log_value *run, struct sw_error *err)
{
    if (log_run_check(path, run, err) == 0 && log_is_of_results(run))
        return sw_error_set(err, SW_EFORMAT,
                            "%s: contains only results, and findings need the steps: record it "
                            "with detail: steps or regions",
                            path);
    return err->code;
}

/* regions: set to whether a replay must make the steps. Then only the first line is read. */
static int log_read(struct explained *e, struct log *log, bool *regions, struct sw_error *err)
{
    const struct log_value *run;
    int rc = log_next(log, &run, err);
    if (rc <= 0)
        return rc;
    rc = run_check(e->replay.path, run, err);
    *regions = rc == 0 && log_has_regions(run);
    e->replay.cut_off = log_true(run, "again");
    if (rc == 0 && !*regions) {
        line_take(e, run);
        rc = lines_read(e, log, err);
    }
    return rc;
}

/* ---- judging --------------------------------------------------------------------------------- */

static void fit_take(void *arg, int64_t number, int64_t steps, int64_t judged,
                     struct swi_advice *advice)
{
    struct explained *e = arg;
    struct explained_fit fit = {number, steps, judged, e->fits.drop_first, *advice};
    if (steps > 0) {
        e->told++;
        if (advice->count && (int)advice->finding[0].level > e->worst)
            e->worst = (int)advice->finding[0].level;
        e->each(e->arg, &fit);
    }
    swi_advice_free(&fit.advice);
}

void explained_init(struct explained *explained, const char *path, explained_fn *each, void *arg)
{
    *explained = (struct explained){.replay = {.path = path, .leave_out = true},
                                    .fits = {.tell = fit_take, .arg = explained},
                                    .each = each,
                                    .arg = arg,
                                    .worst = -1};
}

/* ---- the whole ------------------------------------------------------------------------------- */

int explained_read(struct explained *explained, struct sw_error *err)
{
    struct log log;
    bool regions = false;
    const char *path = explained->replay.path;
    int rc = log_open(&log, path, err);
    if (rc < 0)
        return rc;
    rc = log_read(explained, &log, &regions, err);
    log_close(&log);
    if (rc == 0 && regions && log_is_read_once(path))
        rc = sw_error_set(err, SW_EINVAL,
                          "%s: a log with detail: regions is read twice: name a file, not a pipe",
                          path);
    else if (rc == 0 && regions)
        rc = replay_read(explained, err);
    if (rc < 0)
        return rc;
    log_fits_tell(&explained->fits);
    return explained->fits.failed ? no_memory(err) : 0;
}

void explained_free(struct explained *explained)
{
    log_fits_free(&explained->fits);
    sw_error_free(&explained->replay.first_damage);
}
