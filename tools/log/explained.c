/* SPDX-License-Identifier: MIT */
#include "tools/log/explained.h"

#include "tools/log/fit_lines.h"
#include "tools/log/log_lines.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <stdlib.h>
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
    for (int rc = 1; rc != 0;) {
        rc = log_next(log, &line, err);
        if (rc > 0) {
            line_take(e, line);
        } else if (rc < 0) {
            if (err->code != SW_EFORMAT)
                return err->code;
            if (e->replay.damaged++ == 0)
                sw_error_set(&e->replay.first_damage, err->code, "%s", sw_error_text(err));
            sw_error_free(err);
        }
        if (e->fits.failed)
            return no_memory(err);
    }
    e->replay.lines = log->number;
    e->replay.torn = log->torn;
    return 0;
}

/* ---- a log of regions: the steps that a replay makes of it ----------------------------------- */

/* There is one replay at a time. The sink's own thread uses this, and sw_close() ends it. */
static struct explained *now;

static int record_take(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    log_fits_record(&now->fits, record);
    return now->fits.failed ? no_memory(err) : 0;
}

static const struct sw_sink_plugin explain_sink = {
    SW_SINK_HEADER,
    .name = "explain",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps the steps of a replay",
    .wants = LOG_FITS_WANTS,
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 65536,
    .record = record_take,
};

static void line_look(void *arg, const struct log_value *line)
{
    log_fits_line(arg, line);
}

static int replay_read(struct explained *e, struct sw_error *err)
{
    static bool registered;
    if (!registered && sw_sink_register(&explain_sink, NULL, err) < 0)
        return err->code;
    registered = true;
    now = e;
    e->replay.sinks = "[explain]";
    e->replay.line = line_look;
    e->replay.arg = &e->fits;
    return replay_run(&e->replay, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

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

static void fits_free(struct explained *explained)
{
    for (size_t i = 0; i < explained->count; i++)
        swi_advice_free(&explained->fit[i].advice);
    free(explained->fit);
    explained->fit = NULL;
    explained->count = 0;
}

int explained_judge(struct explained *explained, struct sw_error *err)
{
    struct log_fits *fits = &explained->fits;
    log_fits_finish(fits);
    fits_free(explained);
    explained->fit = calloc(fits->count + 1, sizeof *explained->fit);
    for (size_t i = 0; explained->fit && i < fits->count; i++) {
        struct explained_fit *fit = &explained->fit[explained->count];
        fit->number = (int64_t)i + 1;
        fit->steps = log_fits_judge(fits, i, &fit->advice);
        fit->judged = fits->fit[i].judged_steps;
        fit->dropped = fits->drop_first;
        explained->count += fit->steps > 0;
    }
    return explained->fit && !fits->failed ? 0 : no_memory(err);
}

int explained_read(struct explained *explained, const char *path, struct sw_error *err)
{
    struct log log;
    bool regions = false;
    *explained = (struct explained){.replay = {.path = path, .leave_out = true}};
    int rc = log_open(&log, path, err);
    if (rc < 0)
        return rc;
    rc = log_read(explained, &log, &regions, err);
    log_close(&log);
    if (rc == 0 && regions && strcmp(path, "-") == 0) /* a pipe cannot be read twice */
        rc = sw_error_set(err, SW_EINVAL,
                          "a log with detail: regions cannot be read from standard input: name "
                          "the file");
    else if (rc == 0 && regions)
        rc = replay_read(explained, err);
    return rc < 0 ? rc : explained_judge(explained, err);
}

int explained_worst(const struct explained *explained)
{
    int worst = -1;
    for (size_t i = 0; i < explained->count; i++)
        if (explained->fit[i].advice.count &&
            (int)explained->fit[i].advice.finding[0].level > worst)
            worst = (int)explained->fit[i].advice.finding[0].level;
    return worst;
}

void explained_free(struct explained *explained)
{
    fits_free(explained);
    log_fits_free(&explained->fits);
    sw_error_free(&explained->replay.first_damage);
}
