/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/upload.h"

#include "core/clock/now.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sending what was read ------------------------------------------------------------------- */

static double since_s(int64_t then_ns)
{
    return (double)(swi_now_ns() - then_ns) * 1e-9;
}

static void answered(struct swi_upload *upload)
{
    upload->heard_ns = swi_now_ns();
    if (upload->stream.stopped && !atomic_exchange(&upload->stopped, true))
        upload->options.say(upload->options.arg, 0, "somebody asked on the run's page to stop it");
}

/* Saves what is being sent and what arrived. If that fails, a later upload asks the service. */
static void keep(struct swi_upload *upload, bool arrived)
{
    SW_ERROR_SCOPE(ignored);
    upload->saved.tried = upload->number;
    upload->saved.sent = arrived ? upload->number : upload->saved.sent;
    swi_upload_save(upload, &ignored);
}

static int post(struct swi_upload *upload, const int *exit_code, struct sw_error *err)
{
    keep(upload, false);
    int rc = swi_file_stream_post(&upload->stream, &upload->link, &upload->model, exit_code, err);
    upload->post_ns = swi_now_ns();
    upload->posted = true;
    answered(upload);
    if (rc == 0) {
        upload->model.preempting = false;
        keep(upload, true);
    }
    if (upload->options.progress)
        upload->options.progress(upload->options.arg);
    return rc;
}

/* Returns whether what was written now differs from what was sent before, which it replaces. It
 * does not if records were read again, or set to the old value. */
static bool is_new(struct swi_text *before, const struct swi_text *now)
{
    bool same = !now->failed && now->size == before->size &&
                memcmp(now->data, before->data, now->size) == 0;
    swi_text_free(before);
    *before = *now;
    return !same;
}

/* Sends the config if it has changed, and with it names, notes and tags if a later record of the
 * run has changed those. */
static int update(struct swi_upload *upload, struct sw_error *err)
{
    struct swi_text config = {0}, about = {0};
    if (!upload->model.changed)
        return 0;
    upload->model.changed = false;
    swi_model_config(&upload->model, &config);
    swi_model_about(&upload->model, &about);
    bool described = is_new(&upload->about, &about) && !upload->older;
    if (!is_new(&upload->config, &config) && !described)
        return 0;
    return swi_api_upsert(&upload->link, &upload->model,
                          described ? SWI_UPSERT_AGAIN : SWI_UPSERT_CONFIG, NULL, &upload->bucket,
                          err);
}

/* Gets the exit code to report. Returns false if none is reported. If the run was continued, its
 * state is left as far as the service has told it. If another process left the run without an end,
 * only that process reports it. */
static bool end_of(const struct swi_upload *upload, int *code)
{
    bool whole = upload->model.ended, finished = strcmp(upload->before.name, "finished") == 0;
    /* 1 means that a run without an end was killed. */
    *code = upload->older ? !finished : whole ? upload->model.exit_code : 1;
    if (!upload->older)
        return whole ? !upload->model.goes_on : !upload->options.open_end;
    return finished || strcmp(upload->before.name, "failed") == 0 ||
           strcmp(upload->before.name, "crashed") == 0;
}

/* The state is saved after each alert, so that no alert is sent twice. */
static int alerts_send(struct swi_upload *upload, struct sw_error *err)
{
    int rc = 0;
    while (rc == 0 && swi_alerts_wait(&upload->alerts)) {
        rc = swi_alerts_send(&upload->alerts, &upload->link, &upload->bucket, err);
        upload->files.failed += rc == 0 && upload->alerts.refused;
        upload->saved.alerts = upload->alerts.sent;
        if (rc == 0 && swi_upload_save(upload, err) < 0) {
            upload->options.say(upload->options.arg, 1, sw_error_text(err));
            sw_error_free(err);
        }
    }
    return rc;
}

/* Uploads everything that is not a line: alerts, tables as artifacts, files. */
static int files_send(struct swi_upload *upload, bool end, struct sw_error *err)
{
    int rc = alerts_send(upload, err);
    if (rc == 0)
        rc = swi_artifacts_send(&upload->files, upload->model.artifacts, err);
    if (rc == 0)
        rc = swi_files_send(&upload->files, &upload->model, end, err);
    return rc == 0 && upload->files.gone.code
               ? sw_error_set(err, SW_EIO, "%s", sw_error_text(&upload->files.gone))
               : rc;
}

static int finish(struct swi_upload *upload, struct sw_error *err)
{
    int code;
    bool ended = end_of(upload, &code);
    upload->torn = !upload->model.ended;
    if (upload->idle)
        return 0;
    if (ended || upload->older)
        swi_line_output_end(&upload->stream.output, &upload->stream.printed);
    upload->files.more = false;
    int rc = swi_link_look(&upload->link, err);
    if (rc == 0)
        rc = update(upload, err);
    if (rc == 0)
        rc = files_send(upload, ended || upload->older, err);
    if (rc == 0 && ended)
        return post(upload, &code, err);
    return rc == 0 && swi_file_stream_has(&upload->stream, &upload->model) ? post(upload, NULL, err)
                                                                           : rc;
}

/* Many files must not delay the rows: files are sent until the next rows are due, and for a second
 * if some are due now. */
static int64_t files_until(const struct swi_upload *upload, bool rows)
{
    int64_t now = swi_now_ns();
    int64_t next = upload->post_ns + (int64_t)(upload->options.interval_s * 1e9);
    return !rows && upload->posted && next > now ? next : now + 1000000000;
}

/* rows: they fill a post. */
static int send_due(struct swi_upload *upload, bool rows, struct sw_error *err)
{
    int rc = swi_link_look(&upload->link, err);
    if (rc == 0)
        rc = update(upload, err);
    upload->files.until_ns = files_until(upload, rows);
    upload->files.more = false;
    if (rc == 0)
        rc = files_send(upload, false, err);
    upload->files.until_ns = 0;
    if (rc == 0 && swi_file_stream_has(&upload->stream, &upload->model))
        rc = post(upload, NULL, err);
    /* Sent after the rows, so that they are not delayed. */
    return rc == 0 && upload->options.growing
               ? swi_files_refresh(&upload->files, &upload->model, err)
               : rc;
}

/* Tells the service that the program lives, if nothing else is due. */
static int beat(struct swi_upload *upload, struct sw_error *err)
{
    if (since_s(upload->heard_ns) < upload->options.heartbeat_s)
        return 0;
    int rc = swi_file_stream_beat(&upload->stream, &upload->link, err);
    answered(upload);
    return rc;
}

/* Waits until something is due, counted from the last post, or until the file has grown, which may
 * fill a post. */
static bool wait_due(struct swi_upload *upload)
{
    const struct swi_upload_options *o = &upload->options;
    double left_s = upload->posted ? o->interval_s - since_s(upload->post_ns) : 1;
    if (left_s <= 0)
        left_s = fmin(o->interval_s, 1);
    double silent_s = o->heartbeat_s - since_s(upload->heard_ns);
    return swi_pace_wait(&upload->link.asker.pace, fmax(fmin(left_s, silent_s), 0));
}

/* Uploads until the end of the run or of the file. */
static int upload_follow(struct swi_upload *upload, struct sw_error *err)
{
    for (;;) {
        bool last = !upload->options.growing || atomic_load(&upload->closing);
        int full = swi_upload_fill(upload, err);
        if (full < 0)
            return full;
        if (upload->model.ended || (last && !full))
            return finish(upload, err);
        bool due = full || upload->files.more || swi_alerts_wait(&upload->alerts) ||
                   upload->model.preempting || !upload->posted ||
                   since_s(upload->post_ns) >= upload->options.interval_s;
        int rc = due ? send_due(upload, full, err) : 0;
        if (rc == 0)
            rc = beat(upload, err);
        if (rc < 0)
            return rc;
        if (!full && !upload->files.more && !wait_due(upload))
            return sw_error_set(err, SW_ETIME, "not all of the run was uploaded in time");
    }
}

/* ---- the upload of a run --------------------------------------------------------------------- */

/* If it hears nothing for some minutes, the service takes the run for crashed. */
static const double heartbeat_s = 30;

/* ---- begin and end --------------------------------------------------------------------------- */

int swi_upload_init(struct swi_upload *upload, const struct swi_upload_options *options,
                    struct sw_error *err)
{
    *upload = (struct swi_upload){.options = *options};
    int rc = swi_link_init(&upload->link, options->service, options->key, options->say,
                           options->arg, options->ended, err);
    if (rc < 0)
        return rc;
    upload->link.folder = options->folder;
    if (options->silent_s > 0)
        upload->link.silent_s = options->silent_s;
    if (options->timeout_s > 0)
        upload->link.asker.pace.deadline_ns = swi_now_ns() + (int64_t)(options->timeout_s * 1e9);
    if (upload->options.heartbeat_s <= 0)
        upload->options.heartbeat_s = heartbeat_s;
    swi_spill_init(&upload->spill);
    upload->reader = calloc(1, sizeof *upload->reader);
    bool model = swi_model_init(&upload->model), stream = swi_file_stream_init(&upload->stream);
    upload->files = (struct swi_files){.link = &upload->link,
                                       .bucket = &upload->bucket,
                                       .folder = options->folder,
                                       .staging = options->staging,
                                       .interval_s = options->interval_s,
                                       .stream = &upload->stream};
    upload->alerts.waiting = json_array();
    upload->writers = json_object();
    if (upload->reader && model && stream && upload->alerts.waiting && upload->writers)
        return 0;
    swi_upload_fini(upload);
    return sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
}

void swi_upload_fini(struct swi_upload *upload)
{
    swi_asker_fini(&upload->link.asker);
    swi_spill_fini(&upload->spill);
    swi_message_free(upload->spilled);
    swi_model_fini(&upload->model);
    swi_file_stream_fini(&upload->stream);
    swi_bucket_free(&upload->bucket);
    swi_text_free(&upload->config);
    swi_text_free(&upload->about);
    json_decref(upload->alerts.waiting);
    json_decref(upload->writers);
    sw_error_free(&upload->files.gone);
    free(upload->reader);
}

void swi_upload_close(struct swi_upload *upload)
{
    atomic_store(&upload->closing, true);
    swi_pace_hurry(&upload->link.asker.pace);
}

/* ---- the upload ------------------------------------------------------------------------------ */

static int count(struct swi_upload *upload, struct sw_error *err)
{
    const struct swi_record_message *record = NULL;
    int rc;
    while ((rc = swi_upload_next(upload, &record, err)) == 1)
        upload->rows += record->what == SWI_RECORD_HISTORY;
    upload->torn = !upload->model.ended;
    upload->files.sent = (int64_t)upload->model.paths.count;
    if (rc == 0 && !upload->model.known)
        rc = sw_error_set(err, SW_EFORMAT, "%s: contains no run", upload->options.log_path);
    return rc;
}

/* Starts again at the beginning of the file. The description of the run was read already, and
 * reading it again changes nothing. */
static int again(struct swi_upload *upload, int (*what)(struct swi_upload *, struct sw_error *),
                 struct sw_error *err)
{
    int rc = swi_wandb_reader_open(upload->reader, upload->options.log_path, err);
    if (rc < 0)
        return rc;
    upload->seen = 0;
    upload->waiting = NULL;
    rc = what(upload, err);
    swi_wandb_reader_close(upload->reader);
    return rc;
}

/* Opens a temporary file beside the run's files, because /tmp may be memory. It has no name and
 * disappears with the upload. */
static FILE *output_open(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? tmpfile() : fdopen(fd, "w+");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static int follow(struct swi_upload *upload, struct sw_error *err)
{
    int rc = again(upload, swi_upload_meet, err);
    if (rc == 0)
        rc = swi_upload_begin(upload, err);
    upload->alerts.sent = upload->saved.alerts;
    upload->files.older = upload->older;
    upload->post_ns = upload->heard_ns = swi_now_ns();
    upload->files.output = upload->stream.printed.whole = output_open(upload->options.folder);
    if (rc == 0)
        rc = again(upload, upload_follow, err);
    if (upload->files.output)
        fclose(upload->files.output);
    upload->files.output = upload->stream.printed.whole = NULL;
    return rc;
}

int swi_upload_run(void *arg, struct sw_error *err)
{
    struct swi_upload *upload = arg;
    int rc = upload->options.dry_run ? again(upload, count, err) : follow(upload, err);
    swi_http_disconnect(upload->link.asker.http);
    return rc;
}
