/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/upload.h"
#include "core/text/vec.h"
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
    static const char *const needed[] = {"history", "events", "output", "step"};
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
        .step = swi_json_count_at(json, "step"),
        .runtime_s = json_number_value(json_object_get(json, "runtime")),
        .placed = swi_json_count_at(json, "placed"),
        .sent = swi_json_count_at(json, "sent"),
        .tried = swi_json_count_at(json, "tried"),
        .fixed = swi_json_number_at(json, "shift") >= 0,
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
        "{s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:I, s:I, s:I}", "alerts", (json_int_t)saved->alerts,
        "history", (json_int_t)stream->history.base, "events", (json_int_t)stream->events.base,
        "output", (json_int_t)stream->output.base, "step", (json_int_t)stream->steps.start,
        "runtime", stream->steps.runtime_s, "run", run, "placed", (json_int_t)saved->placed, "sent",
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

/* Calls take for each record of the file. Damaged parts are left out, as they are when the file is
 * sent. */
static int each(const char *log_path,
                void (*take)(void *arg, const struct swi_record_message *record), void *arg,
                struct sw_error *err)
{
    const struct swi_record_message *record;
    struct swi_wandb_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to read the run's file");
    int rc = swi_wandb_reader_open(reader, log_path, err);
    bool opened = rc == 0;
    while (opened && ((rc = swi_wandb_reader_next(reader, &record, err)) == 1 || rc == SW_EFORMAT))
        if (rc == 1)
            take(arg, record);
    if (opened)
        swi_wandb_reader_close(reader);
    free(reader);
    return rc;
}

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

/* Returns whether the service's row has the same metrics and numbers, because two rows may have the
 * same time. Names that begin with "_" are ignored: the sender counts them. */
static bool is_same_row(const struct swi_history_message *history, const json_t *row)
{
    bool same = true;
    for (size_t i = 0; i < history->n_item && same; i++) {
        const char *name = swi_wandb_item_name(history->item[i]);
        const json_t *there = json_object_get(row, name);
        json_t *value = *name == '_' ? NULL : swi_item_value(history->item[i]);
        same = there != NULL;
        if (json_is_number(value) && json_is_number(there))
            same = !(fabs(json_number_value(value) - json_number_value(there)) >
                     1e-9 * fabs(json_number_value(value)));
        json_decref(value);
    }
    return same;
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
    const json_t *row;     /* the service's last row */
    double row_s, event_s; /* of that row, and of its last statistics */
};

static void time_take(struct swi_file_counts *counts, double time_s)
{
    counts->first_s = fmin(counts->first_s, time_s);
    counts->last_s = fmax(counts->last_s, time_s);
}

static void row_scan(struct scan *scan, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = scan->counts;
    double time_s = row_number(record->history, "_timestamp");
    time_take(counts, time_s);
    if (same_time(time_s, scan->row_s) && is_same_row(record->history, scan->row)) {
        counts->row_found = true;
        counts->row_at = counts->rows;
        counts->row_number = record->num;
        counts->step = swi_line_step(record->history);
        counts->runtime_s = row_number(record->history, "_runtime");
    }
    counts->rows++;
}

static void event_scan(struct scan *scan, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = scan->counts;
    double time_s = swi_line_time(record->stats->timestamp, NAN);
    time_take(counts, time_s);
    if (same_time(time_s, scan->event_s)) {
        counts->event_found = true;
        counts->event_at = counts->events;
        counts->event_number = record->num;
    }
    counts->events++;
}

static void scan_take(void *arg, const struct swi_record_message *record)
{
    struct scan *scan = arg;
    if (record->what == SWI_RECORD_HISTORY)
        row_scan(scan, record);
    if (record->what == SWI_RECORD_STATS)
        event_scan(scan, record);
    if (record->what == SWI_RECORD_OUTPUT_RAW)
        scan->counts->lines += lines_in(record->output_raw);
    scan->counts->files += record->what == SWI_RECORD_FILES ||
                           record->what == SWI_RECORD_ARTIFACT || record->what == SWI_RECORD_ALERT;
}

int swi_file_counts_read(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_status *status, struct sw_error *err)
{
    struct scan scan = {.counts = counts,
                        .row = status->row,
                        .row_s = swi_json_number_at(status->row, "_timestamp"),
                        .event_s = swi_json_number_at(status->event, "_timestamp")};
    *counts = (struct swi_file_counts){.first_s = NAN, .last_s = NAN};
    return each(log_path, scan_take, &scan, err);
}

/* ---- rows that may be there ------------------------------------------------------------------ */

struct row {
    int64_t step;
    double time_s;
    int64_t number;
};

/* Rows after those that are known to be stored. */
struct rows {
    int64_t known;  /* number of the last record that is stored */
    int64_t placed; /* after this record, steps were renumbered */
    int64_t there;  /* how many rows are known to be stored */
    int64_t first;  /* step of the first row after `placed`, or -1 */
    int64_t last;
    size_t count, capacity;
    struct row *row;
    bool failed;
};

static void row_add(struct rows *rows, const struct row *row)
{
    bool fits = swi_vec_grow(&rows->row, rows->count, &rows->capacity, sizeof *rows->row);
    rows->failed |= !fits;
    if (fits)
        rows->row[rows->count++] = *row;
}

static void rows_take(void *arg, const struct swi_record_message *record)
{
    struct rows *rows = arg;
    if (record->what != SWI_RECORD_HISTORY)
        return;
    struct row row = {.step = swi_line_step(record->history),
                      .time_s = row_number(record->history, "_timestamp"),
                      .number = record->num};
    if (row.step < 0)
        row.step = rows->last + 1;
    rows->last = row.step;
    if (rows->first < 0 && row.number > rows->placed)
        rows->first = row.step;
    if (row.number && row.number <= rows->known)
        rows->there++;
    else
        row_add(rows, &row);
}

static int64_t shift_of(const struct rows *rows, const struct swi_saved_upload *saved)
{
    if (!saved)
        return 0;
    if (saved->fixed)
        return saved->shift;
    return rows->first >= 0 && rows->first < saved->step ? saved->step - rows->first : 0;
}

static int rows_ask(struct swi_file_counts *counts, struct rows *rows,
                    const struct swi_saved_upload *saved, struct swi_link *link,
                    const struct swi_model *model, struct sw_error *err)
{
    size_t low = 0, high = rows->count;
    int64_t shift = shift_of(rows, saved);
    int rc = 0;
    /* Rows are sent in order, so the stored ones come first. Often there are none. */
    for (bool first = true; low < high && rc == 0; first = false) {
        double time_s;
        size_t at = first ? low : low + (high - low) / 2;
        rc = swi_api_time(link, model, rows->row[at].step + shift, &time_s, err);
        if (rc == 0 && same_time(time_s, rows->row[at].time_s))
            low = at + 1;
        else
            high = at;
    }
    counts->rows_there = rows->there + (int64_t)low;
    if (low && rows->row[low - 1].number > counts->number)
        counts->number = rows->row[low - 1].number;
    /* The service stores a post completely or not at all, so statistics arrived together with their
     * rows. */
    if (low && saved && saved->tried > counts->number)
        counts->number = saved->tried;
    return rc;
}

static int rows_count(struct swi_file_counts *counts, const char *log_path,
                      const struct swi_saved_upload *saved, struct swi_link *link,
                      const struct swi_model *model, struct sw_error *err)
{
    struct rows rows = {.known = counts->number, .first = -1, .last = -1};
    rows.placed = saved ? saved->placed : 0;
    int rc = each(log_path, rows_take, &rows, err);
    if (rc == 0 && rows.failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the steps of the run's rows");
    if (rc == 0)
        rc = rows_ask(counts, &rows, saved, link, model, err);
    free(rows.row);
    return rc;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void rest_take(void *arg, const struct swi_record_message *record)
{
    struct swi_file_counts *counts = arg;
    if (!record->num || record->num > counts->number)
        return;
    counts->events_there += record->what == SWI_RECORD_STATS;
    if (record->what == SWI_RECORD_OUTPUT_RAW)
        counts->lines_there += lines_in(record->output_raw);
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int swi_file_counts_find(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_saved_upload *saved, const struct swi_status *status,
                         struct swi_link *link, const struct swi_model *model, struct sw_error *err)
{
    int rc = 0;
    counts->number = saved ? saved->sent : 0;
    if (counts->row_found) {
        counts->rows_there = counts->row_at + 1;
        counts->number = most(counts->number, counts->row_number);
    } else if (status->rows) {
        rc = rows_count(counts, log_path, saved, link, model, err);
    }
    if (counts->event_found)
        counts->number = most(counts->number, counts->event_number);
    if (rc == 0)
        rc = each(log_path, rest_take, counts, err);
    if (counts->event_found)
        counts->events_there = counts->event_at + 1;
    return rc;
}
