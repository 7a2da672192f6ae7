/* SPDX-License-Identifier: MIT */
/* begin.c - the first exchange: the run is made or found, and where each line of the file goes is
 * settled and written down. */
#include "sinks/wandb/upload/json.h"
#include "sinks/wandb/upload/upload.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* ---- may it go on? ------------------------------------------------------------------------------
 */

static int resume_check(const struct swi_upload *upload, const struct swi_status *status,
                        struct sw_error *err)
{
    const struct swi_model *model = &upload->model;
    bool begun = status->exists && status->begun;
    if (upload->options.resume == SWI_RESUME_NEVER && begun)
        return sw_error_set(err, SW_EINVAL,
                            "run %s is there already, and resume is never: give the run another id "
                            "(option run_id or WANDB_RUN_ID)",
                            model->id);
    if (upload->options.resume == SWI_RESUME_MUST && !begun)
        return sw_error_set(
            err, SW_EINVAL,
            "run %s is not there, or never began, and resume is must: check run_id, "
            "project and entity, or set resume to allow",
            model->id);
    return 0;
}

/* ---- what of the file is stored already ---------------------------------------------------------
 */

/* The place of this file's row or statistics that the service has as its last; -1: it is of
 * another process. */
struct tail {
    const json_t *row, *event;
    int64_t row_at, event_at;
    int64_t rows, events; /* read so far */
};

static bool same_time(const json_t *tail, double wall_s)
{
    const json_t *stamp = json_object_get(tail, "_timestamp");
    return json_is_number(stamp) && fabs(json_number_value(stamp) - wall_s) < 2e-6;
}

static double history_time(const SwiWandb__History *history)
{
    double wall_s = NAN;
    for (size_t i = 0; i < history->n_item; i++) {
        const SwiWandb__Item *item = history->item[i];
        const char *key = item->n_nested_key ? item->nested_key[0] : item->key;
        struct swi_text text = {0};
        if (strcmp(key, "_timestamp") != 0)
            continue;
        swi_wandb_item_json(&text, item);
        json_t *value = text.failed ? NULL : swi_json_read(text.data, text.size);
        wall_s = json_is_number(value) ? json_number_value(value) : NAN;
        json_decref(value);
        swi_text_free(&text);
    }
    return wall_s;
}

static void tail_look(struct tail *tail, const SwiWandb__Record *record)
{
    if (record->what_case == SWI_WANDB__RECORD__WHAT_HISTORY) {
        if (same_time(tail->row, history_time(record->history)))
            tail->row_at = tail->rows;
        tail->rows++;
    }
    if (record->what_case == SWI_WANDB__RECORD__WHAT_STATS) {
        const SwiWandb__Timestamp *stamp = record->stats->timestamp;
        if (stamp && same_time(tail->event, (double)stamp->seconds + stamp->nanos * 1e-9))
            tail->event_at = tail->events;
        tail->events++;
    }
}

static int tail_find(struct swi_upload *upload, struct tail *tail, struct sw_error *err)
{
    const SwiWandb__Record *record;
    int rc = swi_wandb_reader_open(upload->reader, upload->options.log_path, err);
    if (rc < 0)
        return rc;
    while ((rc = swi_wandb_reader_next(upload->reader, &record, err)) == 1 || rc == SW_EFORMAT)
        if (rc == 1)
            tail_look(tail, record);
    swi_wandb_reader_close(upload->reader);
    return rc;
}

/* ---- where it goes ------------------------------------------------------------------------------
 */

static int64_t next_step(const struct swi_status *status)
{
    json_t *summary =
        swi_json_read_tokens(text_of(status->summary), strlen(text_of(status->summary)));
    const json_t *step = json_object_get(status->row, "_step");
    if (!json_is_integer(step))
        step = json_object_get(summary, "_step");
    json_int_t last = json_integer_value(step);
    int64_t next = json_is_integer(step) && last >= 0 && last < INT64_C(1) << 53 ? last + 1 : 0;
    json_decref(summary);
    return status->rows == 0 ? 0 : next > status->rows ? next : status->rows;
}

static double runtime_before(const struct swi_status *status)
{
    json_t *summary =
        swi_json_read_tokens(text_of(status->summary), strlen(text_of(status->summary)));
    double most = fmax(json_number_value(swi_json_at(summary, "_wandb", "runtime", NULL)),
                       json_number_value(json_object_get(summary, "_runtime")));
    json_decref(summary);
    most = fmax(most, json_number_value(json_object_get(status->row, "_runtime")));
    return fmax(most, json_number_value(json_object_get(status->event, "_runtime")));
}

/* Rows of another process are there: this file's go behind them. */
static void keep_behind(struct swi_upload *upload, const struct swi_status *status)
{
    char text[512];
    bool resumed = upload->options.resume != SWI_RESUME_NONE;
    upload->keep = (struct swi_keep){.history = status->rows,
                                     .events = status->events,
                                     .output = status->lines,
                                     .step = next_step(status),
                                     .runtime_s = resumed ? runtime_before(status) : 0};
    if (!status->rows)
        return;
    snprintf(text, sizeof text,
             "run %s has %" PRId64
             " rows of another process: these go behind them, from step %" PRId64,
             upload->model.id, status->rows, upload->keep.step);
    upload->options.say(upload->options.arg, 0, text);
}

static int64_t positive(int64_t value)
{
    return value > 0 ? value : 0;
}

/* The service has rows of this very file, sent by whoever wrote no word about it. */
static void keep_found(struct swi_upload *upload, const struct swi_status *status,
                       const struct tail *tail)
{
    int64_t history = tail->row_at < 0 ? 0 : positive(status->rows - 1 - tail->row_at);
    int64_t events = tail->event_at < 0 ? 0 : positive(status->events - 1 - tail->event_at);
    upload->keep = (struct swi_keep){.history = history, .events = events};
}

static int keep_decide(struct swi_upload *upload, const struct swi_status *status,
                       struct sw_error *err)
{
    struct tail tail = {.row = status->row, .event = status->event, .row_at = -1, .event_at = -1};
    int rc = status->rows || status->events ? tail_find(upload, &tail, err) : 0;
    if (rc < 0)
        return rc;
    if (tail.row_at >= 0 || (tail.event_at >= 0 && !status->rows))
        keep_found(upload, status, &tail);
    else if (status->rows || status->events || status->lines)
        keep_behind(upload, status);
    return 0;
}

static void lines_begin(struct swi_lines *lines, int64_t base, int64_t stored)
{
    lines->base = base;
    lines->known = positive(stored - base);
}

static void place(struct swi_upload *upload, const struct swi_status *status)
{
    struct swi_stream *stream = &upload->stream;
    lines_begin(&stream->history, upload->keep.history, status->rows);
    lines_begin(&stream->events, upload->keep.events, status->events);
    lines_begin(&stream->output, upload->keep.output, status->lines);
    stream->steps = (struct swi_steps){.start = upload->keep.step,
                                       .last = upload->keep.step - 1,
                                       .runtime_s = upload->keep.runtime_s};
    swi_stream_place(stream, &upload->bucket);
}

/* A folder that cannot be written to costs nothing now, only a later upload of the same file. */
void swi_upload_keep(struct swi_upload *upload)
{
    struct sw_error err;
    if (swi_keep_save(&upload->keep, upload->options.log_path, &err) < 0)
        upload->options.say(upload->options.arg, 1, err.text);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static void url_make(struct swi_upload *upload)
{
    struct swi_text url = {0};
    swi_text_put(&url, upload->options.app_url);
    swi_text_put(&url, "/");
    swi_http_escape(&url, upload->bucket.entity);
    swi_text_put(&url, "/");
    swi_http_escape(&url, upload->bucket.project);
    swi_text_put(&url, "/runs/");
    swi_http_escape(&url, upload->bucket.id);
    snprintf(upload->url, sizeof upload->url, "%s", url.failed ? "" : url.data);
    swi_text_free(&url);
}

/* Before the run is made: whether it may be, and what an earlier process left. */
static int look(struct swi_upload *upload, struct swi_status *status, struct sw_error *err)
{
    int rc = swi_api_status(&upload->link, &upload->model, status, err);
    if (rc == 0)
        rc = resume_check(upload, status, err);
    if (rc == 0 && status->exists && upload->options.resume != SWI_RESUME_NEVER)
        swi_model_resume(&upload->model, status->config, status->summary);
    return rc;
}

static int make(struct swi_upload *upload, struct swi_status *status, struct sw_error *err)
{
    bool asked = upload->options.resume != SWI_RESUME_NONE;
    bool kept = swi_keep_load(&upload->keep, upload->options.log_path);
    int rc = asked ? look(upload, status, err) : 0;
    if (rc == 0)
        rc = swi_api_upsert(&upload->link, &upload->model, true,
                            status->exists ? status->storage_id : NULL, &upload->bucket, err);
    if (rc < 0)
        return rc;
    swi_model_config(&upload->model, &upload->config);
    if (!asked && !(upload->bucket.inserted && upload->bucket.rows == 0))
        rc = swi_api_status(&upload->link, &upload->model, status, err);
    if (rc == 0 && !kept)
        rc = keep_decide(upload, status, err);
    return rc;
}

int swi_upload_begin(struct swi_upload *upload, struct sw_error *err)
{
    struct swi_status status = {0};
    int rc = make(upload, &status, err);
    if (rc == 0) {
        url_make(upload);
        place(upload, &status);
        swi_upload_keep(upload);
        upload->stream.printed.structured = swi_api_structured(&upload->link);
        if (upload->options.progress)
            upload->options.progress(upload->options.arg);
    }
    swi_status_free(&status);
    return rc;
}
