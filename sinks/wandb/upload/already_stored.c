/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/upload.h"
#include "net/json.h"
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- its saved state ------------------------------------------------------------------------- */

bool swi_saved_upload_load(struct swi_saved_upload *saved, const char *log_path)
{
    static const char *const needed[] = {"history", "events", "output", "sent"};
    json_t *json = swi_state_read(log_path);
    bool good = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        good = good && swi_json_number_at(json, needed[i]) >= 0;
    /* Older releases did not write all of them. */
    *saved = (struct swi_saved_upload){
        .alerts = swi_json_count_at(json, "alerts"),
        .history = swi_json_count_at(json, "history"),
        .events = swi_json_count_at(json, "events"),
        .output = swi_json_count_at(json, "output"),
        .runtime_s = json_number_value(json_object_get(json, "runtime")),
        .sent = swi_json_count_at(json, "sent"),
        .tried = swi_json_count_at(json, "tried"),
        .shift = swi_json_count_at(json, "shift"),
    };
    snprintf(saved->run, sizeof saved->run, "%s", swi_json_text_at(json, "run"));
    json_decref(json);
    return good;
}

int swi_upload_save(const struct swi_upload *upload, struct sw_error *err)
{
    const struct swi_file_stream *stream = &upload->stream;
    const struct swi_saved_upload *saved = &upload->saved;
    const struct swi_bucket *bucket = &upload->bucket;
    char run[sizeof saved->run];
    snprintf(run, sizeof run, "%s/%s/%s", bucket->entity, bucket->project, bucket->id);
    json_t *json = json_pack(
        "{s:I, s:I, s:I, s:I, s:f, s:s, s:I, s:I}", "alerts", (json_int_t)saved->alerts, "history",
        (json_int_t)stream->history.next, "events", (json_int_t)stream->events.next, "output",
        (json_int_t)stream->output.next, "runtime", stream->steps.runtime_s, "run", run, "sent",
        (json_int_t)saved->sent, "tried", (json_int_t)saved->tried);
    if (stream->steps.fixed || stream->steps.begun)
        json_object_set_new(json, "shift", json_integer(stream->steps.shift));
    return swi_state_write(upload->options.log_path, json, !upload->posted, err);
}

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

/* ---- records --------------------------------------------------------------------------------- */

/* Returns a number in a row, or NAN if the row has none with that name. */
static double row_number(const struct swi_history_message *history, const char *name)
{
    double number = NAN;
    for (size_t i = 0; i < history->n_item; i++) {
        if (strcmp(swi_wandb_item_name(history->item[i]), name) != 0)
            continue;
        json_t *value = swi_item_value(history->item[i]);
        number = json_is_number(value) ? json_number_value(value) : NAN;
        json_decref(value);
    }
    return number;
}

static int64_t lines_in(const struct swi_output_raw_message *output)
{
    int64_t count = 0;
    for (const char *at = output->line; at && (at = strchr(at, '\n')); at++)
        count++;
    return count;
}

/* Returns whether two times are the same, as exactly as the service's JSON keeps them. */
static bool same_time(double a, double b)
{
    return fabs(a - b) < 2e-6;
}

/* ---- the file -------------------------------------------------------------------------------- */

struct scan {
    struct swi_file_counts *counts;
    int64_t sent, tried;           /* numbers of records in the saved state; tried >= sent */
    struct swi_part before, after; /* the records up to these */
    struct swi_part found;         /* up to the service's last row or statistics */
    int64_t reached;               /* the number of that record, or 0 */
    double row_s, row_step;        /* of the service's last row */
    int64_t shift;                 /* of the file's steps there */
    double event_s;                /* of its last statistics */
    bool alone; /* nobody else has written the run: the service has all before these */
};

static void reach(struct scan *scan, const struct swi_record_message *record)
{
    scan->found = scan->counts->all;
    scan->reached = record->num;
}

/* Rows may have the same time; then the step says which of them the service has. */
static void row_scan(struct scan *scan, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = scan->counts;
    double time_s = row_number(record->history, "_timestamp");
    int64_t step = swi_line_step(record->history);
    counts->all.rows++;
    counts->last_s = fmax(counts->last_s, time_s);
    double there = (double)(step + scan->shift);
    if (scan->alone && there <= scan->row_step)
        reach(scan, record);
    if (!same_time(time_s, scan->row_s) || there > scan->row_step)
        return;
    counts->row_found = true;
    counts->step = step;
    counts->runtime_s = row_number(record->history, "_runtime");
    counts->there.rows = counts->all.rows;
    counts->stored_rows = record->num;
    reach(scan, record);
}

static void event_scan(struct scan *scan, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = scan->counts;
    double time_s = swi_line_time(record->stats->timestamp, NAN);
    counts->all.events++;
    counts->last_s = fmax(counts->last_s, time_s);
    if (scan->alone && time_s <= scan->event_s)
        reach(scan, record);
    if (!same_time(time_s, scan->event_s))
        return;
    counts->event_found = true;
    counts->there.events = counts->all.events;
    counts->stored_events = record->num;
    reach(scan, record);
}

static void scan_take(struct scan *scan, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = scan->counts;
    if (record->what == SWI_RECORD_HISTORY)
        row_scan(scan, record);
    if (record->what == SWI_RECORD_STATS)
        event_scan(scan, record);
    if (record->what == SWI_RECORD_OUTPUT_RAW)
        counts->all.lines += lines_in(record->output_raw);
    counts->files += record->what == SWI_RECORD_FILES || record->what == SWI_RECORD_ARTIFACT ||
                     record->what == SWI_RECORD_ALERT;
    if (record->num <= scan->sent)
        scan->before = counts->all;
    if (record->num <= scan->tried)
        scan->after = counts->all;
}

/* Damaged parts are left out, as they are when the file is sent. */
static int scan_file(struct scan *scan, const char *log_path, struct sw_error *err)
{
    const struct swi_record_message *record;
    struct swi_wandb_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to read the run's file");
    int rc = swi_wandb_reader_open(reader, log_path, err);
    bool opened = rc == 0;
    while (opened && ((rc = swi_wandb_reader_next(reader, &record, err)) == 1 || rc == SW_EFORMAT))
        if (rc == 1)
            scan_take(scan, record);
    if (opened)
        swi_wandb_reader_close(reader);
    free(reader);
    return rc;
}

/* The service stores a post completely or not at all, so one record of it stands for the rest. */
static void there_find(const struct scan *scan, const struct swi_saved_upload *saved,
                       const struct swi_status *status)
{
    struct swi_file_counts *counts = scan->counts;
    bool beyond = scan->reached > scan->sent, arrived = beyond && scan->reached <= scan->tried;
    const struct swi_part *there = arrived ? &scan->after : beyond ? &scan->found : &scan->before;
    counts->number = arrived ? scan->tried : beyond ? scan->reached : scan->sent;
    counts->there.lines = there->lines;
    if (!counts->row_found) {
        counts->there.rows = there->rows;
        counts->stored_rows = counts->number;
    }
    if (!counts->event_found) {
        counts->there.events = there->events;
        counts->stored_events = counts->number;
    }
    if (saved && !beyond && !counts->row_found && status->rows > saved->history)
        counts->unsure = scan->after.rows - scan->before.rows;
}

int swi_file_counts_read(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_saved_upload *saved, const struct swi_status *status,
                         bool alone, struct sw_error *err)
{
    struct scan scan = {.counts = counts,
                        .alone = alone && (!saved || saved->shift == 0),
                        .sent = saved ? saved->sent : 0,
                        .tried = !saved                       ? 0
                                 : saved->tried > saved->sent ? saved->tried
                                                              : saved->sent,
                        .shift = saved ? saved->shift : 0,
                        .row_s = swi_json_number_at(status->row, "_timestamp"),
                        .row_step = swi_json_number_at(status->row, "_step"),
                        .event_s = swi_json_number_at(status->event, "_timestamp")};
    *counts = (struct swi_file_counts){.last_s = NAN};
    int rc = scan_file(&scan, log_path, err);
    there_find(&scan, saved, status);
    return rc;
}
