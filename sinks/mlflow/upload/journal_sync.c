/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/run_upload.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- the journal ----------------------------------------------------------------------------- */

/* Opens the journal and locks it. live: receives whether its program still holds the lock. */
static int lock(const char *journal, bool *live, struct sw_error *err)
{
    int fd = open(journal, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sw_error_set(err, SW_EIO, "%s: %s", journal, strerror(errno));
    *live = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    return fd;
}

static void line_count(struct swi_sync_result *result, const json_t *line, bool *ended)
{
    const char *type = swi_json_text_at(line, "type");
    const char *uid = swi_json_text_at(line, "uid");
    result->lines++;
    result->points += strcmp(type, "metric") == 0;
    if (strcmp(type, "mlflow") == 0)
        snprintf(result->uid, sizeof result->uid, "%s", uid);
    if (strcmp(type, "finish") != 0)
        return;
    *ended = true;
    result->exit_status = (int)json_integer_value(json_object_get(line, "exit_status"));
}

/* Reads what would be uploaded. */
static int look(const char *journal, bool live, struct swi_sync_result *result,
                struct sw_error *err)
{
    struct swi_journal_reader reader;
    bool ended = false;
    json_t *line;
    int rc = swi_journal_open(&reader, journal, err);
    if (rc == 0)
        while ((rc = swi_journal_next(&reader, &line, err)) == 1) {
            line_count(result, line, &ended);
            json_decref(line);
        }
    result->state = ended ? SWI_SYNC_FINISHED : live ? SWI_SYNC_LIVE : SWI_SYNC_KILLED;
    result->torn_bytes = (int64_t)swi_journal_rest(&reader);
    swi_journal_close(&reader);
    return rc;
}

/* ---- the upload ------------------------------------------------------------------------------ */

static void result_take(struct swi_sync_result *result, const struct swi_run_upload *upload,
                        bool live)
{
    const json_t *finish = upload->described.finish;
    result->state = finish ? SWI_SYNC_FINISHED : live ? SWI_SYNC_LIVE : SWI_SYNC_KILLED;
    result->exit_status = (int)json_integer_value(json_object_get(finish, "exit_status"));
    result->lines = upload->lines;
    result->points = upload->points;
    result->files = upload->files_sent;
    result->files_failed = upload->files_failed;
    result->skipped = upload->skipped + upload->reader.skipped;
    result->torn_bytes = (int64_t)swi_journal_rest(&upload->reader);
    snprintf(result->uid, sizeof result->uid, "%s",
             swi_json_text_at(upload->described.mlflow, "uid"));
    swi_run_upload_page(upload, result->url, sizeof result->url);
}

static int upload_with(const char *folder, const struct swi_tracking_server *server,
                       const struct swi_sync_options *options, bool live,
                       struct swi_sync_result *result, struct sw_error *err)
{
    struct swi_run_upload *upload = calloc(1, sizeof *upload);
    const struct swi_run_upload_options all = {.folder = folder,
                                               .server = server,
                                               .experiment = options->experiment,
                                               .timeout_s = options->timeout_s,
                                               .open_end = live,
                                               .fresh = options->fresh,
                                               .say = options->say,
                                               .ended = options->ended,
                                               .arg = options->arg};
    if (!upload)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
    int rc = swi_run_upload_init(upload, &all, err);
    if (rc == 0) {
        rc = swi_run_upload_run(upload, err);
        result_take(result, upload, live);
        swi_run_upload_fini(upload);
    }
    free(upload);
    return rc;
}

static int upload_found(const char *folder, const struct swi_sync_options *options, bool live,
                        struct swi_sync_result *result, struct sw_error *err)
{
    struct swi_tracking_server server;
    int rc = swi_tracking_server_find(&server, options->uri, options->env, options->arg, err);
    if (rc == 0 && !*server.base_url)
        rc = sw_error_set(err, SW_EINVAL,
                          "%s: set it to the address of your MLflow server, such as "
                          "http://127.0.0.1:5000",
                          server.why);
    if (rc == 0 && server.open)
        options->say(options->arg, 1,
                     "the address begins with http://, so others on the way can read the login and "
                     "the values");
    if (rc == 0)
        rc = upload_with(folder, &server, options, live, result, err);
    swi_tracking_server_forget(&server);
    return rc;
}

/* Returns whether a whole line follows what was uploaded: the rest of a journal that was copied
 * here while its program was still writing. */
static bool has_grown(int fd, int64_t from)
{
    char block[4096];
    ssize_t size;
    while ((size = pread(fd, block, sizeof block, (off_t)from)) > 0) {
        if (memchr(block, '\n', (size_t)size))
            return true;
        from += size;
    }
    return false;
}

static bool is_done(const char *journal, int fd)
{
    struct swi_upload_state state;
    return swi_upload_state_load(&state, journal) && state.done && !has_grown(fd, state.confirmed);
}

int swi_journal_sync(const char *folder, const struct swi_sync_options *options,
                     struct swi_sync_result *result, struct sw_error *err)
{
    char journal[PATH_MAX + 32];
    bool live = false;
    *result = (struct swi_sync_result){.state = SWI_SYNC_DONE};
    snprintf(journal, sizeof journal, "%s/journal.jsonl", folder);
    int fd = lock(journal, &live, err), rc = 0;
    if (fd < 0)
        return fd;
    if (options->dry_run)
        rc = look(journal, live, result, err);
    else if (live && !options->include_live)
        result->state = SWI_SYNC_WRITTEN;
    else if (live || options->again || !is_done(journal, fd))
        rc = upload_found(folder, options, live, result, err);
    close(fd);
    return rc;
}
