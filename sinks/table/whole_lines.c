/* SPDX-License-Identifier: MIT */
/* whole_lines.c - how far the loop is, as lines of a log: for files and pipes. */
#include "sinks/table/table_sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void swi_whole_lines_init(struct swi_whole_lines *lines, int fd, int64_t interval_ns, bool utf8)
{
    *lines = (struct swi_whole_lines){.fd = fd, .utf8 = utf8};
    swi_progress_times_init(&lines->times, interval_ns);
}

/* ---- what a line says ------------------------------------------------------------------------ */

/* The state at the last line; before the first line, at the first step. */
static struct swi_line_point last_point(const struct swi_whole_lines *lines,
                                        const struct swi_run_progress *progress)
{
    if (lines->count > 0)
        return lines->point[lines->count - 1];
    return (struct swi_line_point){progress->first_ns, progress->first_done};
}

/* Since the last line, so that a stall shows. Time in validation does not count as training. */
static double training_ns(const struct swi_whole_lines *lines,
                          const struct swi_run_progress *progress)
{
    int64_t valid = swi_progress_valid_ns(progress) - lines->valid_ns;
    return (double)(progress->time_ns - last_point(lines, progress).time_ns - valid);
}

/* If some steps did not arrive, assumes that they had as many samples as the others. */
static double samples_of(const struct swi_whole_lines *lines,
                         const struct swi_run_progress *progress, double steps)
{
    double came = (double)(progress->steps - lines->steps);
    double samples = (double)(progress->samples - lines->samples);
    if (came >= steps)
        return came > 0 ? samples * steps / came : 0;
    return progress->steps > 0 ? steps * (double)progress->samples / (double)progress->steps : 0;
}

/* The pace of the last tenth of the run, or since the last line if that is longer. */
static double eta_of(const struct swi_whole_lines *lines, const struct swi_run_progress *progress)
{
    int64_t left = progress->expected - progress->done, since = progress->time_ns / 10 * 9;
    if (lines->count == 0 || progress->expected <= 0 || left <= 0)
        return -1;
    size_t at = lines->count - 1;
    while (at > 0 && lines->point[at].time_ns > since)
        at--;
    double done = (double)(progress->done - lines->point[at].done);
    double took = (double)(progress->time_ns - lines->point[at].time_ns);
    return done > 0 ? took * 1e-9 * (double)left / done : -1;
}

static struct swi_progress_line line_of(const struct swi_whole_lines *lines,
                                        const struct swi_run_progress *progress, const char *phase)
{
    double steps = (double)(progress->done - last_point(lines, progress).done);
    double ns = training_ns(lines, progress);
    bool moved = steps > 0 && ns > 0;
    return (struct swi_progress_line){
        .prefix = "stepwatch: ",
        .elapsed_s = (double)progress->time_ns * 1e-9,
        .epoch = progress->epoch + 1,
        .step = progress->done,
        .total = progress->expected,
        .metric = progress->metric,
        .metrics = progress->metric_count,
        .rate = moved ? samples_of(lines, progress, steps) / ns * 1e9 : 0,
        .step_ns = moved ? ns / steps : 0,
        .eta_s = *phase && strcmp(phase, "validating") != 0 ? -1 : eta_of(lines, progress),
        .phase = phase,
        .utf8 = lines->utf8,
    };
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes a whole line at once. If a pipe is full, the line is dropped, because the next one says
 * more. */
static void line_write(struct swi_whole_lines *lines, const struct swi_text *text)
{
    ssize_t written = text->failed ? 0 : write(lines->fd, text->data, text->size);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        lines->fd = -1;
}

/* Of those long ago, every other one is enough. */
static void points_thin(struct swi_whole_lines *lines)
{
    for (size_t i = 0; i < SWI_LINE_POINTS / 2; i++)
        lines->point[i] = lines->point[2 * i + 1];
    lines->count = SWI_LINE_POINTS / 2;
}

static void point_add(struct swi_whole_lines *lines, const struct swi_run_progress *progress)
{
    if (lines->count == SWI_LINE_POINTS)
        points_thin(lines);
    lines->point[lines->count++] = (struct swi_line_point){progress->time_ns, progress->done};
    lines->steps = progress->steps;
    lines->samples = progress->samples;
    lines->valid_ns = swi_progress_valid_ns(progress);
}

static void line_add(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                     const char *phase)
{
    SWI_FREED struct swi_text text = {0};
    struct swi_progress_line line = line_of(lines, progress, phase);
    swi_progress_line_log(&text, &line, SWI_LOG_WIDTH);
    swi_text_put(&text, "\n");
    line_write(lines, &text);
    point_add(lines, progress);
}

void swi_whole_lines_take(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                          bool epoch_ended)
{
    if (lines->fd < 0 || !progress->begun ||
        !swi_progress_due(&lines->times, progress->time_ns, epoch_ended))
        return;
    line_add(lines, progress, progress->validating ? "validating" : "");
}

void swi_whole_lines_end(struct swi_whole_lines *lines, const struct swi_run_progress *progress,
                         const char *how)
{
    bool is_new = lines->count > 0 && last_point(lines, progress).time_ns < progress->time_ns;
    if (lines->fd >= 0 && is_new)
        line_add(lines, progress, how);
}
