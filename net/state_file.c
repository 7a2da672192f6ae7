/* SPDX-License-Identifier: MIT */
#include "net/state_file.h"
#include "core/files/in_place.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 8192 };

static json_t *read_object(const char *log_path)
{
    char path[PATH_MAX + 16], text[BYTES];
    snprintf(path, sizeof path, "%s.upload", log_path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return size > 0 ? swi_json_read(text, (size_t)size) : NULL;
}

/* Returns whether the value has the type of its field. */
static bool value_take(const struct swi_state_field *field, const json_t *value, char *state)
{
    void *to = state + field->offset;
    switch (field->type) {
    case SWI_STATE_NUMBER:
        *(int64_t *)to = json_integer_value(value) > 0 ? json_integer_value(value) : 0;
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case SWI_STATE_REAL:
        *(double *)to = json_number_value(value);
        return json_is_number(value);
    case SWI_STATE_TEXT:
        snprintf(to, field->size, "%s", swi_json_text(value));
        return json_is_string(value);
    default:
        *(bool *)to = json_is_true(value);
        return json_is_boolean(value);
    }
}

bool swi_state_load(const char *log_path, const struct swi_state_field *fields, void *state)
{
    json_t *json = read_object(log_path);
    bool good = json_is_object(json);
    for (; fields->name; fields++) {
        bool found = value_take(fields, json_object_get(json, fields->name), state);
        if (fields->known)
            *(bool *)((char *)state + fields->known) = found;
        good = good && (found || !fields->needed);
    }
    json_decref(json);
    return good;
}

/* Returns 0 or an errno. */
static int write_all(const char *path, const char *text, size_t size, bool lasting)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    errno = 0;
    bool good =
        write(fd, text, size) == (ssize_t)size && (!lasting || fsync(fd) == 0 || errno == EINVAL);
    int failed = good ? 0 : errno ? errno : ENOSPC;
    if (close(fd) < 0 && !failed)
        failed = errno;
    return failed;
}

static int text_save(const char *log_path, const char *text, bool lasting, struct sw_error *err)
{
    char path[PATH_MAX + 16], temporary[PATH_MAX + 48];
    snprintf(path, sizeof path, "%s.upload", log_path);
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int failed = write_all(temporary, text, strlen(text), lasting);
    if (!failed && swi_rename_or_copy(temporary, path) < 0)
        failed = errno;
    if (!failed)
        return 0;
    unlink(temporary);
    return sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(failed));
}

static json_t *value_of(const struct swi_state_field *field, const char *state)
{
    const void *from = state + field->offset;
    switch (field->type) {
    case SWI_STATE_NUMBER:
        return json_integer((json_int_t) * (const int64_t *)from);
    case SWI_STATE_REAL:
        return json_real(*(const double *)from);
    case SWI_STATE_TEXT:
        return json_string(from);
    default:
        return json_boolean(*(const bool *)from);
    }
}

static bool is_written(const struct swi_state_field *field, const char *state)
{
    if (field->known)
        return *(const bool *)(const void *)(state + field->known);
    return !field->sparse || *(const int64_t *)(const void *)(state + field->offset) != 0;
}

int swi_state_save(const char *log_path, const struct swi_state_field *fields, const void *state,
                   bool lasting, struct sw_error *err)
{
    json_t *json = json_object();
    int failed = 0;
    for (; fields->name; fields++)
        if (is_written(fields, state))
            failed |= json_object_set_new(json, fields->name, value_of(fields, state));
    char *text = failed ? NULL : json_dumps(json, JSON_COMPACT);
    int rc = text ? text_save(log_path, text, lasting, err)
                  : sw_error_set(err, SW_ENOMEM, "not enough memory for the state of the upload");
    json_decref(json);
    free(text);
    return rc;
}
