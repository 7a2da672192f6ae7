/* SPDX-License-Identifier: MIT */
/* line_offset.c - where the lines of a file go at the service: after those that it has. */
#include "sinks/wandb/upload/upload.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int64_t next_step(const struct swi_status *status)
{
    const json_t *step = json_object_get(status->row, "_step");
    if (!json_is_integer(step))
        step = json_object_get(status->summary, "_step");
    json_int_t last = json_integer_value(step);
    int64_t next = json_is_integer(step) && last >= 0 && last < INT64_C(1) << 53 ? last + 1 : 0;
    return status->rows == 0 ? 0 : next > status->rows ? next : status->rows;
}

static double runtime_before(const struct swi_status *status)
{
    double most = fmax(json_number_value(swi_json_at(status->summary, "_wandb", "runtime")),
                       json_number_value(json_object_get(status->summary, "_runtime")));
    most = fmax(most, json_number_value(json_object_get(status->row, "_runtime")));
    return fmax(most, json_number_value(json_object_get(status->event, "_runtime")));
}

/* Returns the offset of the run times of this file's rows. */
static double runtime_of(const struct swi_upload *upload, const struct swi_status *status,
                         const struct swi_file_counts *counts, const struct swi_saved_upload *saved)
{
    double there = json_number_value(json_object_get(status->row, "_runtime"));
    if (upload->model.continued)
        return 0;
    if (saved)
        return saved->runtime_s;
    /* A smaller difference is a rounding error. */
    if (counts->row_found)
        return there - counts->runtime_s > 1e-3 ? there - counts->runtime_s : 0;
    return upload->older || upload->options.resume == SWI_RESUME_NONE ? 0 : runtime_before(status);
}

static int64_t within(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

static int64_t lines_there(const struct swi_upload *upload, const struct swi_status *status,
                           const struct swi_file_counts *counts,
                           const struct swi_saved_upload *saved)
{
    if (upload->older || (saved && saved->sent))
        return within(counts->lines_there, status->lines);
    if (saved)
        return within(status->lines - saved->output, counts->lines);
    return counts->row_found || counts->event_found ? within(status->lines, counts->lines) : 0;
}

static void lines_begin(struct swi_lines *lines, int64_t there, int64_t stored)
{
    lines->known = within(there, stored);
    lines->base = stored - lines->known;
}

/* Begins after the service's last row, or at that row's own step if it is in the file. */
static void steps_begin(struct swi_upload *upload, const struct swi_status *status,
                        const struct swi_file_counts *counts)
{
    struct swi_steps *steps = &upload->stream.steps;
    const json_t *step = json_object_get(status->row, "_step");
    *steps = (struct swi_steps){.start = next_step(status), .last = -1};
    steps->fixed = counts->row_found && counts->step >= 0 && json_is_integer(step);
    if (!steps->fixed)
        return;
    steps->start = json_integer_value(step) + 1;
    steps->shift = steps->start - 1 > counts->step ? steps->start - 1 - counts->step : 0;
}

void swi_upload_place(struct swi_upload *upload, const struct swi_status *status,
                      const struct swi_file_counts *counts, const struct swi_saved_upload *saved)
{
    struct swi_file_stream *stream = &upload->stream;
    lines_begin(&stream->history, counts->rows_there, status->rows);
    lines_begin(&stream->events, counts->events_there, status->events);
    lines_begin(&stream->output, lines_there(upload, status, counts, saved), status->lines);
    steps_begin(upload, status, counts);
    stream->steps.runtime_s = runtime_of(upload, status, counts, saved);
    upload->idle = upload->older &&
                   (counts->files == 0 || swi_upload_is_marked(upload->options.log_path)) &&
                   stream->history.known == counts->rows &&
                   stream->events.known == counts->events && stream->output.known == counts->lines;
    upload->saved = (struct swi_saved_upload){
        .placed = counts->number, .sent = counts->number, .alerts = saved ? saved->alerts : 0};
}

/* ---- what is uploaded completely ------------------------------------------------------------- */

bool swi_upload_is_marked(const char *log_path)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s.synced", log_path);
    return access(path, F_OK) == 0;
}

int swi_upload_mark(const char *log_path, struct sw_error *err)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s.synced", log_path);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be created: %s", path, strerror(errno));
    close(fd);
    return 0;
}
