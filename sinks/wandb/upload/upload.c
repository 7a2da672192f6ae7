/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/upload.h"
#include "core/clock/now.h"
#include "sinks/wandb/upload/begin.h"
#include "sinks/wandb/upload/run_reading.h"
#include "sinks/wandb/upload/run_sending.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* If it hears nothing for some minutes, the service takes the run for crashed. */
static const double heartbeat_s = 30;

/* ---- begin and end --------------------------------------------------------------------------- */

/* Files fail one by one. A request to the run shows whether it still exists. */
static bool is_gone(void *arg)
{
    struct swi_upload *upload = arg;
    struct sw_error err;
    sw_error_init(&err);
    if (!upload->asked && swi_file_stream_beat(&upload->stream, &upload->link, &err) == SW_EIO)
        upload->gone = err;
    else
        sw_error_free(&err);
    upload->asked = true;
    return upload->gone.code != 0;
}

int swi_upload_init(struct swi_upload *upload, const struct swi_upload_options *options,
                    struct sw_error *err)
{
    *upload = (struct swi_upload){.options = *options, .dead_status = -1};
    struct swi_http_options http = options->http;
    http.base_url = options->base_url;
    int rc = swi_link_init(&upload->link, &http, options->say, options->arg, options->ended, err);
    if (rc < 0)
        return rc;
    upload->link.key_from = options->key_from;
    upload->link.folder = options->folder;
    upload->link.user = options->user;
    upload->link.mail = options->mail;
    if (options->answer_s > 0)
        upload->link.answer_s = options->answer_s;
    upload->link.file_s = options->file_s;
    if (options->silent_s > 0)
        upload->link.silent_s = options->silent_s;
    upload->link.identity = options->identity && *options->identity ? options->identity : NULL;
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
                                       .ignored = options->ignored,
                                       .staging = options->staging,
                                       .interval_s = options->interval_s,
                                       .uploaded = upload->stream.uploaded,
                                       .gone = is_gone,
                                       .arg = upload};
    upload->alerts.waiting = json_array();
    upload->writers = json_object();
    if (upload->reader && model && stream && upload->alerts.waiting && upload->writers)
        return 0;
    swi_upload_fini(upload);
    return sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
}

void swi_upload_disconnect(struct swi_upload *upload)
{
    swi_http_disconnect(upload->link.asker.http);
    if (upload->files.output)
        fclose(upload->files.output);
    upload->files.output = upload->stream.printed.whole = NULL;
}

void swi_upload_fini(struct swi_upload *upload)
{
    swi_asker_fini(&upload->link.asker);
    swi_spill_fini(&upload->spill);
    swi_upload_spilled_free(upload);
    swi_model_fini(&upload->model);
    swi_file_stream_fini(&upload->stream);
    swi_bucket_free(&upload->bucket);
    swi_text_free(&upload->config);
    json_decref(upload->alerts.waiting);
    json_decref(upload->writers);
    sw_error_free(&upload->gone);
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

int swi_upload_run(struct swi_upload *upload, struct sw_error *err)
{
    if (upload->options.dry_run)
        return again(upload, count, err);
    int rc = again(upload, swi_upload_meet, err);
    if (rc == 0)
        rc = swi_upload_begin(upload, err);
    upload->alerts.sent = upload->keep.alerts;
    upload->files.older = upload->older;
    upload->post_ns = upload->heard_ns = swi_now_ns();
    upload->files.output = upload->stream.printed.whole = output_open(upload->options.folder);
    if (rc == 0)
        rc = again(upload, swi_upload_follow, err);
    return rc;
}
