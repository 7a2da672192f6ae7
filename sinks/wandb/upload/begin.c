/* SPDX-License-Identifier: MIT */
/* begin.c - the first exchange: creates or finds the run, and decides and saves where each line of
 * the file goes. */
#include "sinks/wandb/upload/upload.h"
#include "net/http_headers.h"
#include "net/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- may it go on? --------------------------------------------------------------------------- */

static int resume_check(const struct swi_upload *upload, const struct swi_status *status,
                        struct sw_error *err)
{
    const struct swi_model *model = &upload->model;
    bool begun = status->exists && status->begun;
    if (upload->options.resume == SWI_RESUME_NEVER && begun)
        return sw_error_set(err, SW_EINVAL,
                            "run %s exists already, but resume is never: give the run another id "
                            "(option run_id or WANDB_RUN_ID)",
                            model->id);
    if (upload->options.resume == SWI_RESUME_MUST && !begun)
        return sw_error_set(
            err, SW_EINVAL,
            "run %s does not exist, or never began, but resume is must: check run_id, "
            "project and entity, or set resume to allow",
            model->id);
    return 0;
}

/* ---- what it is among others ----------------------------------------------------------------- */

/* Returns whether the service's last row, or its last statistics, are not in the file and are later
 * than all of it. */
static bool went_on(const struct swi_file_counts *counts, const struct swi_status *status,
                    double started_s)
{
    double last_s = isnan(counts->last_s) ? started_s : counts->last_s;
    bool row = status->rows && !counts->row_found &&
               swi_json_number_at(status->row, "_timestamp") > last_s;
    bool event = status->events && !counts->event_found &&
                 swi_json_number_at(status->event, "_timestamp") > last_s;
    return row || event;
}

/* Returns whether the run was continued after the end of this file: by a later process, or by this
 * file's own while the disk was full. */
static bool is_older(const struct swi_upload *upload, const struct swi_file_counts *counts,
                     const struct swi_status *status, const struct swi_other_writers *others)
{
    if (upload->options.growing)
        return false;
    return others->later ||
           ((others->ours || !others->named) && went_on(counts, status, upload->model.started_s));
}

/* Returns whether a process other than this file's may be writing the run now. */
static bool is_shared(const struct swi_file_counts *counts, const struct swi_status *status,
                      const struct swi_other_writers *others)
{
    bool other = (status->rows && !counts->row_found) || (status->events && !counts->event_found);
    return others->later || others->before || (!others->named && other);
}

/* Returns whether the saved state belongs to this run, and not to another one or to one that was
 * deleted and created again. */
static bool is_of_run(const struct swi_saved_upload *loaded, const struct swi_status *status,
                      const char *id)
{
    char run[sizeof loaded->run];
    snprintf(run, sizeof run, "%s/%s/%s", status->entity, status->project, id);
    return status->rows >= loaded->history && (!*loaded->run || strcmp(loaded->run, run) == 0);
}

static void say_behind(struct swi_upload *upload, const struct swi_status *status,
                       const struct swi_file_counts *counts)
{
    char text[512];
    bool more = upload->options.growing || counts->there.rows < counts->all.rows;
    if (!status->rows || counts->row_found || !more)
        return;
    snprintf(text, sizeof text,
             "run %s has %" PRId64
             " rows of another process: the rows of this one follow them, from step %" PRId64,
             upload->model.id, status->rows - counts->there.rows, upload->stream.steps.start);
    upload->options.say(upload->options.arg, 0, text);
}

/* ---- what of it is there --------------------------------------------------------------------- */

/* Returns whether the run was uploaded while it was written, by the name of its folder. */
static bool was_online(const struct swi_upload *upload)
{
    const char *slash = strrchr(upload->options.folder, '/');
    return strncmp(slash ? slash + 1 : upload->options.folder, "run-", 4) == 0;
}

/* Fails if rows of this file may be anywhere among those of the run: another process has added
 * others, and only the saved state says how many are stored. */
static int certain(const struct swi_upload *upload, const struct swi_status *status,
                   const struct swi_file_counts *counts, const struct swi_other_writers *others,
                   const struct swi_saved_upload *saved, struct sw_error *err)
{
    bool began = others->ours || (upload->older && was_online(upload));
    if (saved || !began || !status->rows || counts->row_found || !counts->all.rows)
        return 0;
    return sw_error_set(
        err, SW_EINVAL,
        "run %s was continued by another process, and %s.upload, which records which rows of this "
        "file the service has, does not exist: nothing was sent, because rows could be stored "
        "twice; upload the file as another run with --run-id ID",
        upload->model.id, upload->options.log_path);
}

static void say_unsure(struct swi_upload *upload, const struct swi_file_counts *counts)
{
    char text[512];
    if (!counts->unsure)
        return;
    snprintf(text, sizeof text,
             "the last upload of this file broke off while it sent %" PRId64
             " rows, and run %s has other rows since: these rows are sent again, so the run may "
             "have them twice",
             counts->unsure, upload->model.id);
    upload->options.say(upload->options.arg, 1, text);
}

/* ---- where its lines go: after those that the service has ------------------------------------ */

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
    if (upload->older || (saved && counts->number))
        return within(counts->there.lines, status->lines);
    if (saved)
        return within(status->lines - saved->output, counts->all.lines);
    return counts->row_found || counts->event_found ? within(status->lines, counts->all.lines) : 0;
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

static void place(struct swi_upload *upload, const struct swi_status *status,
                  const struct swi_file_counts *counts, const struct swi_saved_upload *saved)
{
    struct swi_file_stream *stream = &upload->stream;
    stream->history.next = status->rows;
    stream->events.next = status->events;
    stream->output.next = status->lines;
    stream->output.skip = lines_there(upload, status, counts, saved);
    stream->stored_rows = counts->stored_rows;
    stream->stored_events = counts->stored_events;
    steps_begin(upload, status, counts);
    stream->steps.runtime_s = runtime_of(upload, status, counts, saved);
    upload->idle =
        upload->older && (counts->files == 0 || swi_upload_is_marked(upload->options.log_path)) &&
        counts->there.rows == counts->all.rows && counts->there.events == counts->all.events &&
        stream->output.skip == counts->all.lines;
    upload->saved =
        (struct swi_saved_upload){.sent = counts->number, .alerts = saved ? saved->alerts : 0};
}

/* ---- a run that the service has -------------------------------------------------------------- */

/* Called if the service has the run: finds which of it is from this file, and who else writes it.
 */
static int settle(struct swi_upload *upload, const struct swi_status *status, struct sw_error *err)
{
    struct swi_file_counts counts;
    struct swi_other_writers others;
    struct swi_saved_upload loaded;
    const struct swi_saved_upload *saved =
        swi_saved_upload_load(&loaded, upload->options.log_path) &&
                is_of_run(&loaded, status, upload->model.id)
            ? &loaded
            : NULL;
    swi_other_writers_find(&others, &upload->model, status);
    int rc =
        swi_file_counts_read(&counts, upload->options.log_path, saved, status, others.alone, err);
    upload->older = rc == 0 && is_older(upload, &counts, status, &others);
    if (rc == 0 && (upload->older || is_shared(&counts, status, &others)))
        rc = swi_other_writers_wait(&upload->link, &upload->model, &others, upload->older,
                                    &upload->before, err);
    if (rc < 0)
        return rc;
    /* The file of a running program is new: the service has nothing of it. */
    if (!upload->options.growing)
        rc = certain(upload, status, &counts, &others, saved, err);
    if (rc < 0)
        return rc;
    place(upload, status, &counts, saved);
    say_behind(upload, status, &counts);
    say_unsure(upload, &counts);
    return 0;
}

/* ---- other writers --------------------------------------------------------------------------- */

static int writers_look(void *arg, struct sw_error *err)
{
    struct swi_upload *upload = arg;
    bool tried = upload->saved.tried > upload->saved.sent;
    return swi_other_writers_look(&upload->link, &upload->model, upload->writers, &upload->stream,
                                  tried, err);
}

/* From now on, asks the service whether another process has written the run, before rows are sent
 * after a silence in which one may have begun: a process that was disconnected for long cannot
 * know. status: what the service has now, or {0}. */
static void watch(struct swi_upload *upload, const struct swi_status *status)
{
    swi_other_writers_note(upload->writers, &upload->model, status);
    swi_link_watch(&upload->link, writers_look, upload);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void url_make(struct swi_upload *upload)
{
    struct swi_text url = {0};
    swi_text_put(&url, upload->options.service->app_url);
    swi_text_put(&url, "/");
    swi_http_escape(&url, upload->bucket.entity);
    swi_text_put(&url, "/");
    swi_http_escape(&url, upload->bucket.project);
    swi_text_put(&url, "/runs/");
    swi_http_escape(&url, upload->bucket.id);
    snprintf(upload->url, sizeof upload->url, "%s", url.failed ? "" : url.data);
    swi_text_free(&url);
}

static void page_say(const struct swi_upload *upload)
{
    char text[1024];
    snprintf(text, sizeof text, "the run's page is %.900s", upload->url);
    if (upload->options.growing && *upload->url)
        upload->options.say(upload->options.arg, 0, text);
}

/* Looks, before the run is created, whether that is allowed and what an earlier process left. */
static int look(struct swi_upload *upload, struct swi_status *status, struct sw_error *err)
{
    int rc = swi_api_status(&upload->link, SWI_RETRY_GRAPHQL, &upload->model, status, err);
    if (rc == 0)
        rc = resume_check(upload, status, err);
    return rc == 0 && status->exists ? settle(upload, status, err) : rc;
}

/* Merges what other processes left. Values of an earlier process that this one does not set are
 * kept. Values of a later one have priority. If the run is not resumed, rows are only added after
 * the others and share the summary. */
static void merge(struct swi_upload *upload, const struct swi_status *status)
{
    bool resumed = upload->options.resume != SWI_RESUME_NONE;
    upload->model.runtime_s = upload->stream.steps.runtime_s;
    if (!status->exists)
        return;
    if (upload->older) {
        upload->model.later_config = json_incref(status->config);
        upload->model.later_summary = json_incref(status->summary);
        return;
    }
    swi_model_resume_config(&upload->model, resumed ? status->config : NULL);
    swi_model_resume_summary(&upload->model, status->summary);
}

/* Fills in the bucket. Nothing is sent, because the run need not change. */
static int bucket_take(struct swi_upload *upload, const struct swi_status *status,
                       struct sw_error *err)
{
    struct swi_bucket *bucket = &upload->bucket;
    if (swi_model_set(&bucket->id, upload->model.id) &&
        swi_model_set(&bucket->project, status->project) &&
        swi_model_set(&bucket->entity, status->entity))
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the run");
}

static int upsert(struct swi_upload *upload, const struct swi_status *status, struct sw_error *err)
{
    if (upload->idle)
        return bucket_take(upload, status, err);
    return swi_api_upsert(
        &upload->link, &upload->model, upload->older ? SWI_UPSERT_JOIN : SWI_UPSERT_ALL,
        status->exists && !upload->older && upload->options.resume != SWI_RESUME_NONE
            ? status->storage_id
            : NULL,
        &upload->bucket, err);
}

static int make(struct swi_upload *upload, struct swi_status *status, struct sw_error *err)
{
    int rc = upload->options.unknown ? 0 : look(upload, status, err);
    if (rc < 0)
        return rc;
    merge(upload, status);
    watch(upload, status);
    rc = upsert(upload, status, err);
    swi_model_config(&upload->model, &upload->config);
    swi_model_about(&upload->model, &upload->about);
    /* Another run has that id after all. */
    if (rc == 0 && upload->options.unknown && !upload->bucket.inserted && upload->bucket.rows) {
        rc = look(upload, status, err);
        merge(upload, status);
        watch(upload, status);
    }
    return rc;
}

/* A folder that cannot be written to only affects a later upload of the same file. */
static void keep_begin(struct swi_upload *upload)
{
    SW_ERROR_SCOPE(err);
    if (swi_upload_save(upload, &err) < 0)
        upload->options.say(upload->options.arg, 1, sw_error_text(&err));
}

int swi_upload_begin(struct swi_upload *upload, struct sw_error *err)
{
    struct swi_status status = {0};
    int rc = make(upload, &status, err);
    if (rc == 0) {
        url_make(upload);
        swi_file_stream_place(&upload->stream, &upload->bucket);
        keep_begin(upload);
        upload->stream.printed.structured = !upload->idle && swi_api_structured(&upload->link);
        page_say(upload);
        if (upload->options.progress)
            upload->options.progress(upload->options.arg);
    }
    swi_status_free(&status);
    return rc;
}
