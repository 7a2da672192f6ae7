/* SPDX-License-Identifier: MIT */
/* whole_file.c - sw_wandb_sync(): uploads one run's file on the calling thread. */
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/upload/upload.h"

#include <stepwatch/wandb.h>

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct sync {
    struct sw_wandb_sync options;
    struct swi_wandb_service service;
    struct swi_wandb_key key;
    char log[PATH_MAX], folder[PATH_MAX], staging[PATH_MAX];
    bool live;
    struct swi_upload upload;
};

/* ---- what the caller is told ----------------------------------------------------------------- */

static void say(void *arg, int level, const char *text)
{
    struct sync *sync = arg;
    if (sync->options.say)
        sync->options.say(sync->options.arg, level, text);
}

static bool ended(void *arg)
{
    struct sync *sync = arg;
    return sync->options.cancelled && sync->options.cancelled(sync->options.arg);
}

static void progress(void *arg)
{
    struct sync *sync = arg;
    const struct swi_upload *upload = &sync->upload;
    const struct sw_wandb_progress now = {.bytes = (int64_t)upload->reader->offset,
                                          .bytes_total = (int64_t)upload->reader->size,
                                          .rows = upload->rows,
                                          .rows_sent = upload->stream.rows,
                                          .files = upload->files.sent,
                                          .url = upload->url};
    if (sync->options.progress)
        sync->options.progress(sync->options.arg, &now);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int log_in_folder(struct sync *sync, struct sw_error *err)
{
    char pattern[PATH_MAX + 16];
    glob_t found;
    size_t used = 0;
    /* A folder's name may contain characters of patterns. */
    for (const char *at = sync->folder; *at && used < sizeof pattern - 16; at++) {
        if (strchr("*?[\\", *at))
            pattern[used++] = '\\';
        pattern[used++] = *at;
    }
    snprintf(pattern + used, sizeof pattern - used, "/run-*.wandb");
    int failed = glob(pattern, 0, NULL, &found);
    size_t count = failed ? 0 : found.gl_pathc;
    if (count == 1)
        snprintf(sync->log, sizeof sync->log, "%s", found.gl_pathv[0]);
    if (!failed)
        globfree(&found);
    if (count == 1)
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "%s: holds %s file run-ID.wandb; expected the folder of one run, as "
                        "wandb/offline-run-TIME-ID",
                        sync->folder, count ? "more than one" : "no");
}

static int file_find(struct sync *sync, const char *path, struct sw_error *err)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
    if (strlen(path) >= PATH_MAX - 64)
        return sw_error_set(err, SW_EINVAL, "%s: the path is too long", path);
    snprintf(sync->folder, sizeof sync->folder, "%s", path);
    if (S_ISDIR(status.st_mode))
        return log_in_folder(sync, err);
    snprintf(sync->log, sizeof sync->log, "%s", path);
    char *slash = strrchr(sync->folder, '/');
    if (slash)
        slash[slash == sync->folder] = '\0';
    else
        snprintf(sync->folder, sizeof sync->folder, ".");
    return 0;
}

/* ---- the upload ------------------------------------------------------------------------------ */

static int key_find(struct sync *sync, struct sw_error *err)
{
    const char *ca_file = sync->options.ca_file;
    int rc = swi_wandb_service_find(&sync->service, sync->options.base_url, err);
    if (rc == 0 && ca_file && *ca_file && !swi_connection_trust(&sync->service.connection, ca_file))
        rc = sw_error_set(err, SW_EINVAL, "ca_file: the path is too long");
    sync->service.insecure |= sync->options.insecure;
    if (rc < 0 || sync->options.dry_run)
        return rc;
    rc = swi_wandb_key_find(NULL, sync->service.base_url, &sync->key, err);
    if (rc == 0)
        return sw_error_set(err, SW_EINVAL,
                            "no API key for %s: put the key from %s/authorize into WANDB_API_KEY, "
                            "or into ~/.netrc as the password of that host",
                            sync->service.base_url, sync->service.app_url);
    if (rc > 0 && sync->service.open)
        say(sync, 1, swi_wandb_open_warning);
    if (rc > 0 && *sync->key.warning)
        say(sync, 1, sync->key.warning);
    return rc < 0 ? rc : 0;
}

/* Finds the folder to which the SDK copies the files of an artifact before it logs it. */
static void staging_find(struct sync *sync)
{
    char folder[PATH_MAX];
    const char *home = swi_wandb_env("HOME");
    char *to = sync->staging;
    SW_ERROR_SCOPE(ignored);
    int size;
    if (swi_wandb_env_path("WANDB_DATA_DIR", folder, sizeof folder, &ignored) > 0)
        size = snprintf(to, PATH_MAX, "%s/artifacts/staging", folder);
    else if (swi_wandb_env_path("XDG_DATA_HOME", folder, sizeof folder, &ignored) > 0)
        size = snprintf(to, PATH_MAX, "%s/wandb/artifacts/staging", folder);
    else
        size = snprintf(to, PATH_MAX, "%s/.local/share/wandb/artifacts/staging", home ? home : "");
    if (size < 0 || size >= PATH_MAX)
        *to = '\0';
}

static struct swi_upload_options upload_options(struct sync *sync)
{
    const struct sw_wandb_sync *o = &sync->options;
    if (sync->service.insecure && !o->dry_run)
        say(sync, 1,
            "certificates are not checked: anyone between here and the service can read the API "
            "key");
    return (struct swi_upload_options){.log_path = sync->log,
                                       .folder = sync->folder,
                                       .service = &sync->service,
                                       .key = &sync->key,
                                       .entity = o->entity,
                                       .project = o->project,
                                       .run_id = o->run_id,
                                       .name = o->name,
                                       .group = o->group,
                                       .job_type = o->job_type,
                                       .tags = o->tags,
                                       .staging = sync->staging,
                                       .resume = SWI_RESUME_ALLOW,
                                       .timeout_s = o->timeout_s,
                                       .open_end = sync->live,
                                       .dry_run = o->dry_run,
                                       .say = say,
                                       .ended = ended,
                                       .progress = progress,
                                       .arg = sync};
}

static void result_set(const struct sync *sync, struct sw_wandb_result *result)
{
    const struct swi_upload *upload = &sync->upload;
    result->state = !upload->torn ? SW_WANDB_FINISHED : sync->live ? SW_WANDB_LIVE : SW_WANDB_TORN;
    result->exit_code = upload->torn ? 1 : upload->model.exit_code;
    snprintf(result->id, sizeof result->id, "%s", upload->model.id);
    snprintf(result->url, sizeof result->url, "%s", upload->url);
    result->rows = upload->rows;
    result->rows_sent = upload->stream.rows;
    result->files = upload->files.sent;
    result->files_failed = upload->files.failed;
    result->skipped = upload->reader->skipped;
    /* If the run was stored already, the first look may have been enough. */
    result->torn_bytes =
        upload->torn ? (int64_t)(upload->reader->size - upload->reader->offset) : 0;
}

static int run(struct sync *sync, struct sw_wandb_result *result, struct sw_error *err)
{
    int rc = key_find(sync, err);
    if (rc < 0)
        return rc;
    staging_find(sync);
    const struct swi_upload_options options = upload_options(sync);
    if ((rc = swi_upload_init(&sync->upload, &options, err)) < 0)
        return rc;
    rc = swi_upload_run(&sync->upload, err);
    result_set(sync, result);
    /* A file that was refused is tried again by the next upload. */
    if (rc == 0 && !sync->options.dry_run && result->state != SW_WANDB_LIVE &&
        result->files_failed == 0 && swi_upload_mark(sync->log, err) < 0) {
        say(sync, 1, sw_error_text(err));
        sw_error_free(err);
    }
    swi_upload_fini(&sync->upload);
    return rc;
}

static int sync_file(struct sync *sync, const char *path, struct sw_wandb_result *result,
                     struct sw_error *err)
{
    int rc = file_find(sync, path, err);
    if (rc < 0)
        return rc;
    sync->live = swi_wandb_log_is_live(sync->log);
    result->state = sync->live ? SW_WANDB_WRITTEN : SW_WANDB_SYNCED;
    bool skipped = sync->live ? !sync->options.include_live
                              : swi_upload_is_marked(sync->log) && !sync->options.again;
    return skipped ? 0 : run(sync, result, err);
}

int sw_wandb_sync(const char *path, const struct sw_wandb_sync *options,
                  struct sw_wandb_result *result, struct sw_error *err)
{
    struct sw_wandb_result unseen, done = {.size = sizeof done};
    SW_ERROR_SCOPE(quiet);
    const size_t first = offsetof(struct sw_wandb_sync, name);
    if (!path || (options && (options->size < first || options->size > sizeof *options)) ||
        (result && result->size != sizeof *result))
        return sw_error_set(
            err, SW_EINVAL,
            "sw_wandb_sync: expected a path, and the size of each struct in its field size");
    struct sync *sync = calloc(1, sizeof *sync);
    if (!sync)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
    if (options)
        memcpy(&sync->options, options, options->size);
    int rc = sync_file(sync, path, &done, err ? err : &quiet);
    *(result ? result : &unseen) = done;
    swi_wandb_key_forget(&sync->key);
    free(sync);
    return rc;
}
