/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the journal, line by line --------------------------------------------------------------- */

enum { PIECE = 65536 };

int swi_journal_open(struct swi_journal_reader *reader, const char *path, struct sw_error *err)
{
    *reader =
        (struct swi_journal_reader){.fd = open(path, O_RDONLY | O_CLOEXEC), .path = strdup(path)};
    if (reader->fd >= 0)
        return 0;
    return sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
}

void swi_journal_close(struct swi_journal_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    swi_text_free(&reader->bytes);
    free(reader->path);
    reader->path = NULL;
    reader->fd = -1;
}

/* Drops what was taken, so that the buffer holds one piece and one line at most. */
static void taken_drop(struct swi_journal_reader *reader)
{
    if (!reader->at)
        return;
    reader->bytes.size -= reader->at;
    memmove(reader->bytes.data, reader->bytes.data + reader->at, reader->bytes.size);
    reader->at = 0;
}

/* Reads more. Returns 1, 0 at the end of the file, or a negative code. */
static int more(struct swi_journal_reader *reader, struct sw_error *err)
{
    taken_drop(reader);
    if (!swi_text_reserve(&reader->bytes, PIECE))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a line of the journal");
    ssize_t size = read(reader->fd, reader->bytes.data + reader->bytes.size, PIECE);
    if (size < 0)
        return sw_error_set(err, SW_EIO, "the journal cannot be read: %s", strerror(errno));
    reader->bytes.size += (size_t)size;
    return size > 0;
}

/* Returns the next line without its newline, or NULL. */
static const char *line_take(struct swi_journal_reader *reader, size_t *size)
{
    size_t left = reader->bytes.size - reader->at;
    if (left == 0)
        return NULL;
    const char *begin = reader->bytes.data + reader->at;
    const char *end = memchr(begin, '\n', left);
    if (!end)
        return NULL;
    *size = (size_t)(end - begin);
    reader->at += *size + 1;
    reader->offset += reader->kept ? 0 : (int64_t)*size + 1;
    return begin;
}

/* ---- a journal whose oldest lines are removed ---- */

/* Goes on in the file that has taken the place of the one that was read to its end. Returns whether
 * there is one. */
static bool replaced(struct swi_journal_reader *reader)
{
    struct stat named, old;
    if (!reader->path || stat(reader->path, &named) < 0 || fstat(reader->fd, &old) < 0 ||
        (named.st_dev == old.st_dev && named.st_ino == old.st_ino))
        return false;
    int fd = open(reader->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(reader->fd);
    reader->fd = fd;
    reader->bytes.size = reader->at = 0;
    reader->taken = reader->known = reader->offset;
    reader->offset = 0;
    reader->kept = false;
    return true;
}

/* A line "rotated" with the number of bytes that were before the newest lines comes before what is
 * kept of them, one without it comes after that. Returns whether it is such a line. */
static bool rotated_take(struct swi_journal_reader *reader, const char *text, size_t size)
{
    static const char begin[] = "{\"type\":\"rotated\"";
    if (size < sizeof begin || memcmp(text, begin, sizeof begin - 1) != 0)
        return false;
    json_t *line = swi_json_read(text, size), *bytes = json_object_get(line, "bytes");
    reader->kept = bytes;
    if (bytes)
        reader->offset = json_integer_value(bytes);
    reader->lost |= reader->offset > reader->known;
    json_decref(line);
    return true;
}

int swi_journal_next(struct swi_journal_reader *reader, json_t **line, struct sw_error *err)
{
    size_t size;
    for (;;) {
        const char *text = line_take(reader, &size);
        int rc = text ? 1 : more(reader, err);
        if (rc < 0 || (rc == 0 && !replaced(reader)))
            return rc;
        if (text && (rotated_take(reader, text, size) || reader->offset <= reader->taken))
            continue;
        *line = text && size ? swi_json_read(text, size) : NULL;
        if (json_is_object(*line))
            return 1;
        json_decref(*line);
        reader->skipped += text && size;
    }
}

size_t swi_journal_rest(const struct swi_journal_reader *reader)
{
    return reader->bytes.size - reader->at;
}

/* ---- its state ------------------------------------------------------------------------------- */

bool swi_upload_state_load(struct swi_upload_state *state, const char *journal)
{
    json_t *json = swi_state_read(journal);
    bool found = json_is_object(json);
    *state = (struct swi_upload_state){.confirmed = swi_json_count_at(json, "confirmed"),
                                       .sending = swi_json_count_at(json, "sending"),
                                       .doubtful = json_is_true(json_object_get(json, "doubtful")),
                                       .done = json_is_true(json_object_get(json, "done"))};
    snprintf(state->server, sizeof state->server, "%s", swi_json_text_at(json, "server"));
    snprintf(state->run_id, sizeof state->run_id, "%s", swi_json_text_at(json, "run_id"));
    snprintf(state->experiment_id, sizeof state->experiment_id, "%s",
             swi_json_text_at(json, "experiment_id"));
    snprintf(state->artifacts, sizeof state->artifacts, "%s",
             swi_json_text_at(json, "artifact_uri"));
    json_decref(json);
    return found;
}

static int state_write(const struct swi_upload_state *state, const char *journal,
                       struct sw_error *err)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:b}", "server", state->server,
                             "run_id", state->run_id, "experiment_id", state->experiment_id,
                             "artifact_uri", state->artifacts, "confirmed",
                             (json_int_t)state->confirmed, "sending", (json_int_t)state->sending,
                             "doubtful", (int)state->doubtful, "done", (int)state->done);
    return swi_state_write(journal, json, true, err);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void state_load(struct swi_run_upload *upload)
{
    struct swi_upload_state *state = &upload->state;
    const char *server = upload->options.server->base_url;
    bool same = swi_upload_state_load(state, upload->journal) && strcmp(state->server, server) == 0;
    if (!same)
        *state = (struct swi_upload_state){0};
    snprintf(state->server, sizeof state->server, "%s", server);
}

int swi_run_upload_init(struct swi_run_upload *upload, const struct swi_run_upload_options *options,
                        struct sw_error *err)
{
    *upload = (struct swi_run_upload){.options = *options, .reader.fd = -1};
    snprintf(upload->journal, sizeof upload->journal, "%s/journal.jsonl", options->folder);
    int rc = swi_tracking_init(&upload->tracking, options->server, options->say, options->ended,
                               options->arg, err);
    if (rc != 0)
        return rc;
    if (options->timeout_s > 0)
        upload->tracking.asker.pace.deadline_ns =
            swi_now_ns() + (int64_t)(options->timeout_s * 1e9);
    upload->param_values = json_object();
    upload->tags = json_array();
    upload->files = json_object();
    upload->tables = json_array();
    state_load(upload);
    if (upload->param_values && upload->tags && upload->files && upload->tables)
        return 0;
    swi_run_upload_fini(upload);
    return sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
}

void swi_run_upload_fini(struct swi_run_upload *upload)
{
    swi_asker_fini(&upload->tracking.asker);
    swi_journal_close(&upload->reader);
    swi_items_free(&upload->metrics);
    swi_items_free(&upload->params);
    swi_tracking_keys_free(&upload->metric_keys);
    swi_tracking_keys_free(&upload->param_keys);
    swi_tracking_keys_free(&upload->tag_keys);
    json_decref(upload->described.run);
    json_decref(upload->described.mlflow);
    json_decref(upload->described.report);
    json_decref(upload->described.finish);
    json_decref(upload->param_values);
    json_decref(upload->tags);
    json_decref(upload->files);
    json_decref(upload->tables);
}

void swi_run_upload_close(struct swi_run_upload *upload)
{
    atomic_store(&upload->closing, true);
    swi_pace_hurry(&upload->tracking.asker.pace);
}

void swi_run_upload_page(const struct swi_run_upload *upload, char *url, size_t size)
{
    const struct swi_upload_state *state = &upload->state;
    *url = '\0';
    if (*state->run_id && *state->experiment_id)
        snprintf(url, size, "%s/#/experiments/%s/runs/%s", upload->options.server->base_url,
                 state->experiment_id, state->run_id);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_full(const struct swi_run_upload *upload)
{
    return upload->metrics.count >= SWI_BATCH_METRICS ||
           upload->metrics.json.size >= SWI_BATCH_BYTES || upload->params.count >= SWI_BATCH_PARAMS;
}

/* A batch that was sent before ends where it ended, so that it is the same request. */
static bool is_border(const struct swi_run_upload *upload)
{
    const struct swi_upload_state *state = &upload->state;
    return upload->again && upload->reader.offset >= state->sending;
}

static void lost_say(struct swi_run_upload *upload)
{
    if (upload->reader.lost && !upload->lost_said)
        upload->options.say(upload->options.arg, 1,
                            "the oldest values were removed from the journal before they were "
                            "uploaded (when_full: rotate)");
    upload->lost_said = upload->reader.lost;
}

/* Reads lines until a batch is full. Returns 1 if it is, 0 at the end of the journal so far, or a
 * negative code. */
static int fill(struct swi_run_upload *upload, struct sw_error *err)
{
    while (!is_full(upload) && !is_border(upload)) {
        json_t *line;
        int rc = swi_journal_next(&upload->reader, &line, err);
        lost_say(upload);
        if (rc <= 0)
            return rc;
        swi_line_take(upload, line, upload->reader.offset <= upload->state.confirmed);
    }
    return 1;
}

/* Reads what the run is. The sink has written it before the upload begins. */
static int meet(struct swi_run_upload *upload, struct sw_error *err)
{
    const struct swi_upload_state *state = &upload->state;
    upload->again = state->sending > state->confirmed;
    int rc = fill(upload, err);
    if (rc >= 0 && !upload->described.run)
        return sw_error_set(err, SW_EFORMAT, "%s: contains no run", upload->journal);
    return rc;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* A disk that is full must not end the upload. */
static void save(struct swi_run_upload *upload)
{
    SW_ERROR_SCOPE(err);
    if (state_write(&upload->state, upload->journal, &err) < 0 && !upload->unsaved)
        upload->options.say(upload->options.arg, 1, sw_error_text(&err));
    upload->unsaved = err.code != 0;
}

static bool has_any(const struct swi_run_upload *upload)
{
    return upload->params.count || upload->metrics.count || json_array_size(upload->tags) ||
           json_object_size(upload->files) || upload->described.report;
}

static int send_all(struct swi_run_upload *upload, struct sw_error *err)
{
    upload->state.sending = upload->reader.offset;
    if (!has_any(upload))
        return 0;
    save(upload);
    int rc = swi_batch_send(upload, err);
    if (rc == 0)
        rc = swi_run_files_send(upload, err);
    if (rc != 0)
        return rc;
    upload->state.confirmed = upload->state.sending;
    upload->again = false;
    if (upload->state.doubtful)
        rc = swi_run_doubles(upload, err);
    save(upload);
    return rc;
}

/* ---- the end of the run ---------------------------------------------------------------------- */

/* finish: NULL if the program was killed. */
static const char *status_of(const json_t *finish)
{
    bool killed = !finish || json_integer_value(json_object_get(finish, "signal"));
    bool fine = json_integer_value(json_object_get(finish, "exit_status")) == 0;
    return killed ? "KILLED" : fine ? "FINISHED" : "FAILED";
}

static int run_end(struct swi_run_upload *upload, struct sw_error *err)
{
    struct swi_text body = {0};
    const json_t *finish = upload->described.finish;
    int64_t ns =
        finish ? json_integer_value(json_object_get(finish, "t")) : upload->described.last_ns;
    swi_json_format(&body, "{\"run_id\":%s,\"status\":%s,\"end_time\":%" PRId64 "}",
                    upload->state.run_id, status_of(finish), swi_line_ms(&upload->described, ns));
    int rc = swi_tracking_send(&upload->tracking, "runs/update", &body, NULL, NULL, err);
    if (rc != 0)
        return rc;
    upload->state.confirmed = upload->state.sending = upload->reader.offset;
    upload->state.done = upload->skipped + upload->files_failed == 0;
    save(upload);
    return 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum turned { WAITS, GOES_ON, ENDED };

/* Reads, and sends what is due. */
static int turn(struct swi_run_upload *upload, int64_t *sent_ns, struct sw_error *err)
{
    /* Looked at first, so that lines written before the close are read. */
    bool closed = !upload->options.growing || atomic_load(&upload->closing);
    int rc = fill(upload, err);
    if (rc < 0)
        return rc;
    bool end = rc == 0 && (closed || upload->described.finish);
    bool due = (double)(swi_now_ns() - *sent_ns) >= upload->options.interval_s * 1e9;
    if (rc == 0 && !end && !due)
        return WAITS;
    int turned = end ? ENDED : rc == 1 ? GOES_ON : WAITS;
    *sent_ns = swi_now_ns();
    rc = send_all(upload, err);
    upload->again = false;
    return rc < 0 ? rc : turned;
}

static int finish(struct swi_run_upload *upload, struct sw_error *err)
{
    bool ended = upload->described.finish || !upload->options.open_end;
    int rc = ended && !upload->described.finish ? swi_run_output_send(upload, err) : 0;
    if (ended && rc == 0)
        return run_end(upload, err);
    save(upload);
    return rc;
}

static void page_say(const struct swi_run_upload *upload)
{
    char url[SWI_TRACKING_VALUE + 300], text[sizeof url + 32];
    swi_run_upload_page(upload, url, sizeof url);
    snprintf(text, sizeof text, "the run's page is %s", url);
    if (*url)
        upload->options.say(upload->options.arg, 0, text);
}

static int follow(struct swi_run_upload *upload, struct sw_error *err)
{
    int64_t sent_ns = swi_now_ns();
    int rc = swi_journal_open(&upload->reader, upload->journal, err);
    upload->reader.known = upload->state.confirmed;
    if (rc == 0)
        rc = meet(upload, err);
    if (rc < 0 || (rc = swi_run_begin(upload, err)) < 0)
        return rc;
    save(upload);
    page_say(upload);
    while ((rc = turn(upload, &sent_ns, err)) >= 0 && rc != ENDED)
        if (rc == WAITS && !swi_pace_wait(&upload->tracking.asker.pace, upload->options.interval_s))
            return swi_asker_over(&upload->tracking.asker, err);
    return rc < 0 ? rc : finish(upload, err);
}

int swi_run_upload_run(void *arg, struct sw_error *err)
{
    struct swi_run_upload *upload = arg;
    int rc = follow(upload, err);
    swi_http_disconnect(upload->tracking.asker.http);
    if (upload->reader.fd >= 0)
        close(upload->reader.fd);
    upload->reader.fd = -1;
    return rc;
}
