/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/upload_state.h"
#include "sinks/common/upload/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void text_get(const json_t *json, const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s", swi_json_text(json_object_get(json, name)));
}

static int64_t number_get(const json_t *json, const char *name)
{
    int64_t number = json_integer_value(json_object_get(json, name));
    return number > 0 ? number : 0;
}

bool swi_upload_state_load(struct swi_upload_state *state, const char *journal)
{
    char path[PATH_MAX + 16], text[8192];
    snprintf(path, sizeof path, "%s.upload", journal);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    json_t *json = size > 0 ? swi_json_read(text, (size_t)size) : NULL;
    *state = (struct swi_upload_state){.confirmed = number_get(json, "confirmed"),
                                       .sending = number_get(json, "sending"),
                                       .doubtful = json_is_true(json_object_get(json, "doubtful")),
                                       .done = json_is_true(json_object_get(json, "done"))};
    text_get(json, "server", state->server, sizeof state->server);
    text_get(json, "run_id", state->run_id, sizeof state->run_id);
    text_get(json, "experiment_id", state->experiment_id, sizeof state->experiment_id);
    text_get(json, "artifact_uri", state->artifacts, sizeof state->artifacts);
    bool found = json_is_object(json);
    json_decref(json);
    return found;
}

static char *text_of(const struct swi_upload_state *state)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:b}", "server", state->server, "run_id",
                  state->run_id, "experiment_id", state->experiment_id, "artifact_uri",
                  state->artifacts, "confirmed", (json_int_t)state->confirmed, "sending",
                  (json_int_t)state->sending, "doubtful", state->doubtful, "done", state->done);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

/* Returns 0 or an errno. */
static int write_all(const char *path, const char *text, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    errno = 0;
    bool good = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
    int failed = good ? 0 : errno ? errno : ENOSPC;
    if (close(fd) < 0 && !failed)
        failed = errno;
    return failed;
}

int swi_upload_state_save(const struct swi_upload_state *state, const char *journal,
                          struct sw_error *err)
{
    char path[PATH_MAX + 16], temporary[PATH_MAX + 48], *text = text_of(state);
    if (!text)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the state of the upload");
    snprintf(path, sizeof path, "%s.upload", journal);
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int failed = write_all(temporary, text, strlen(text));
    if (!failed && rename(temporary, path) < 0)
        failed = errno;
    if (failed)
        unlink(temporary);
    free(text);
    return failed ? sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(failed))
                  : 0;
}
