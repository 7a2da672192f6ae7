/* SPDX-License-Identifier: MIT */
#include "net/state_file.h"
#include "core/files/in_place.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 8192 };

json_t *swi_state_load(const char *log_path)
{
    char path[PATH_MAX + 16], text[BYTES];
    snprintf(path, sizeof path, "%s.upload", log_path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return size > 0 ? swi_json_read(text, (size_t)size) : NULL;
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

int swi_state_save(const char *log_path, json_t *state, bool lasting, struct sw_error *err)
{
    char *text = state ? json_dumps(state, JSON_COMPACT) : NULL;
    json_decref(state);
    int rc = text ? text_save(log_path, text, lasting, err)
                  : sw_error_set(err, SW_ENOMEM, "not enough memory for the state of the upload");
    free(text);
    return rc;
}
