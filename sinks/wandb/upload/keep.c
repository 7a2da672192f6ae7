/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/keep.h"
#include "sinks/common/upload/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 2048 };

/* Gets a number, or 0. Returns whether it exists. */
static bool number(const json_t *json, const char *name, int64_t *value)
{
    const json_t *found = json_object_get(json, name);
    *value = json_integer_value(found) > 0 ? json_integer_value(found) : 0;
    return json_is_integer(found) && json_integer_value(found) >= 0;
}

/* Fields that older releases did not write are 0. */
static void parts_take(struct swi_keep *keep, const json_t *json)
{
    number(json, "alerts", &keep->alerts);
    number(json, "placed", &keep->placed);
    number(json, "sent", &keep->sent);
    number(json, "tried", &keep->tried);
    keep->fixed = number(json, "shift", &keep->shift);
    keep->runtime_s = json_number_value(json_object_get(json, "runtime"));
    snprintf(keep->run, sizeof keep->run, "%s", swi_json_text(json_object_get(json, "run")));
}

bool swi_keep_load(struct swi_keep *keep, const char *log_path)
{
    char path[PATH_MAX + 16], text[BYTES];
    snprintf(path, sizeof path, "%s.upload", log_path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    json_t *json = size > 0 ? swi_json_read(text, (size_t)size) : NULL;
    bool good = number(json, "history", &keep->history) && number(json, "events", &keep->events) &&
                number(json, "output", &keep->output) && number(json, "step", &keep->step);
    parts_take(keep, json);
    json_decref(json);
    return good;
}

static int write_all(const char *path, const char *text, size_t size, bool lasting)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    bool good = write(fd, text, size) == (ssize_t)size && (!lasting || fsync(fd) == 0);
    int failed = good ? 0 : errno ? errno : EIO;
    if (close(fd) < 0 && !failed)
        failed = errno;
    return failed;
}

static char *text_of(const struct swi_keep *keep)
{
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:I, s:I, s:I}", "alerts",
                             (json_int_t)keep->alerts, "history", (json_int_t)keep->history,
                             "events", (json_int_t)keep->events, "output", (json_int_t)keep->output,
                             "step", (json_int_t)keep->step, "runtime", keep->runtime_s, "run",
                             keep->run, "placed", (json_int_t)keep->placed, "sent",
                             (json_int_t)keep->sent, "tried", (json_int_t)keep->tried);
    if (keep->fixed)
        json_object_set_new(json, "shift", json_integer((json_int_t)keep->shift));
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

int swi_keep_save(const struct swi_keep *keep, const char *log_path, bool lasting,
                  struct sw_error *err)
{
    char path[PATH_MAX + 16], temporary[PATH_MAX + 32], *text = text_of(keep);
    if (!text)
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    snprintf(path, sizeof path, "%s.upload", log_path);
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int failed = write_all(temporary, text, strlen(text), lasting);
    if (!failed && rename(temporary, path) < 0)
        failed = errno;
    if (failed)
        unlink(temporary);
    free(text);
    return failed ? sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(failed))
                  : 0;
}
