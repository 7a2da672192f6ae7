/* SPDX-License-Identifier: MIT */
#include "core/delivery/sink_services.h"

#include "core/delivery/sink_loading.h"
#include "core/files/file.h"
#include "core/files/write_lock.h"
#include "core/process/environment.h"
#include "core/text/opened.h"
#include "core/text/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lists the files of the sinks for another program: $STEPWATCH_PLACES --------------------- */

/* Opens the file of the program that asked for the paths. It must exist, and lines are only
 * appended. */
static int places_open(const struct swi_environment *environment)
{
    const char *path = swi_environment_get_secure(environment, "STEPWATCH_PLACES");
    if (!path || *path != '/')
        return -1;
    return open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Adds the line "SINK<tab>PATH" to the file that STEPWATCH_PLACES names. Does nothing if it is not
 * set, and in a setuid program. path: absolute, or "-" for stdout. Any thread may call it. */
static void written_path_note(const struct swi_environment *environment, const char *sink,
                              const char *path)
{
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s\t%s\n", sink, path);
    /* Each line is one path. */
    if (length < 0 || (size_t)length >= sizeof line || strchr(path, '\n'))
        return;
    SWI_CLOSED int fd = places_open(environment);
    if (fd < 0)
        return;
    /* A path that cannot be reported is not worth a message. */
    (void)swi_fd_write(fd, line, (size_t)length);
}

/* ---- the files of a sink, which core opens, flushes and closes ------------------------------- */

/* A stream that core opened for a sink. */
struct swi_file {
    struct swi_file *next;
    struct swi_stream *stream;
    char *path;
};

/* Shows "./runs" as "runs", and "." as the folder. */
static const char *without_dots(const char *path)
{
    while (path[0] == '.' && (path[1] == '/' || !path[1]))
        path += 1 + strspn(path + 1, "/");
    return path;
}

static int absolute_of(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                       struct sw_error *err)
{
    if (!*path)
        return sw_error_set(err, SW_EINVAL, "the path is empty: expected a file's path");
    if (*path != '/' && !*sink->run->directory)
        return sw_error_set(err, SW_EIO,
                            "%s: is relative to the working directory, which was removed or cannot "
                            "be read: use an absolute path",
                            SWI_PRINTABLE(path));
    const char *below = without_dots(path);
    int n = *path == '/'
                ? snprintf(buffer, size, "%s", path)
                : snprintf(buffer, size, "%s%s%s", sink->run->directory, *below ? "/" : "", below);
    if (n < 0 || (size_t)n >= size)
        return sw_error_set(err, SW_EINVAL, "%s: the path is too long: expected at most %zu bytes",
                            SWI_PRINTABLE(path), size - 1);
    return 0;
}

static void say_other(struct sw_sink *sink, const struct swi_write_lock *hold)
{
    sw_sink_say(sink, SW_WARNING,
                "another process is writing %.400s, or has just written it: this one writes %.400s",
                hold->wanted, hold->path);
}

/* Returns whether it is a part of a folder that has no other writer, which gets its name later. */
static bool is_part(const char *absolute)
{
    static const char begin[] = "/.part-";
    return strncmp(strrchr(absolute, '/'), begin, sizeof begin - 1) == 0;
}

/* Changes a path to the one that this sink holds. Parts are not held: that would take more time
 * than to write them. */
static int held_path(struct swi_worker *worker, char absolute[PATH_MAX], struct sw_error *err)
{
    if (is_part(absolute))
        return 0;
    if (swi_target_follow(absolute, err) < 0)
        return SW_EIO;
    const struct swi_write_lock_rules rules = {worker->fresh_files, worker->started_ns};
    const struct swi_write_lock *newest = worker->locks.held;
    const struct swi_write_lock *hold = swi_write_lock_take(&worker->locks, absolute, &rules);
    if (!hold)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory to write it", absolute);
    bool is_new = worker->locks.held != newest;
    if (is_new && !worker->fresh_files && strcmp(hold->path, hold->wanted) != 0)
        say_other(&worker->sink, hold);
    if (snprintf(absolute, PATH_MAX, "%s", hold->path) < PATH_MAX)
        return 0;
    return sw_error_set(err, SW_EINVAL, "%s: the path is too long: expected at most %d bytes",
                        SWI_PRINTABLE(hold->path), PATH_MAX - 1);
}

/* Where another process had a file first, this sink's has another name. */
static int own_path(const struct swi_worker *worker, char *absolute, size_t size,
                    struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    char real[PATH_MAX];
    snprintf(real, sizeof real, "%s", absolute);
    if (swi_target_follow(real, &ignored) < 0)
        return 0; /* as swi_path_check() finds, too */
    const struct swi_write_lock *hold = swi_write_lock_find(&worker->locks, real);
    if (!hold || strcmp(hold->path, hold->wanted) == 0 ||
        (size_t)snprintf(absolute, size, "%s", hold->path) < size)
        return 0;
    return sw_error_set(err, SW_EINVAL, "%s: the path is too long: expected at most %zu bytes",
                        SWI_PRINTABLE(hold->path), size - 1);
}

int swi_files_resolve(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                      struct sw_error *err)
{
    int rc = absolute_of(sink, path, buffer, size, err);
    if (rc == 0)
        rc = own_path(swi_worker_of(sink), buffer, size, err);
    if (rc == 0)
        rc = swi_path_check(buffer, err);
    if (rc == 0)
        written_path_note(swi_worker_of(sink)->environment, sink->name, buffer);
    return rc;
}

static int file_new(struct swi_file **opened, int fd, const char *path, struct sw_error *err)
{
    struct swi_file *file = calloc(1, sizeof *file);
    if (file && (file->path = strdup(path)) && (file->stream = swi_stream_new(fd, path))) {
        *opened = file;
        return 0;
    }
    if (file)
        free(file->path);
    free(file);
    if (fd >= 0)
        close(fd);
    return sw_error_set(err, SW_ENOMEM, "%s: not enough memory to write it", path);
}

static int file_create(struct sw_sink *sink, const char *path, struct swi_file **file,
                       struct sw_error *err)
{
    char absolute[PATH_MAX];
    if (strcmp(path, "-") == 0) {
        written_path_note(swi_worker_of(sink)->environment, sink->name, path);
        return file_new(file, -1, "stdout", err);
    }
    int rc = absolute_of(sink, path, absolute, sizeof absolute, err);
    rc = rc < 0 ? rc : held_path(swi_worker_of(sink), absolute, err);
    int fd = rc < 0 ? rc : swi_file_create(absolute, err);
    if (fd < 0)
        return fd;
    if (!is_part(absolute))
        written_path_note(swi_worker_of(sink)->environment, sink->name, absolute);
    return file_new(file, fd, absolute, err);
}

int swi_files_create(struct sw_sink *sink, const char *path, FILE **stream, struct sw_error *err)
{
    struct swi_worker *worker = swi_worker_of(sink);
    struct swi_file *file = NULL;
    int rc = file_create(sink, path, &file, err);
    if (!file)
        return rc;
    file->next = worker->files;
    worker->files = file;
    *stream = swi_stream_file(file->stream);
    return 0;
}

int swi_files_head(struct sw_sink *sink, FILE *stream, const char *text, size_t size)
{
    for (struct swi_file *file = swi_worker_of(sink)->files; file; file = file->next)
        if (swi_stream_file(file->stream) == stream)
            return swi_stream_head(file->stream, text, size);
    return SW_EINVAL;
}

static int not_own(struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL,
                        "a file that this sink did not get from sw_sink_create(), or has finished");
}

int swi_files_write(struct sw_sink *sink, FILE *stream, const void *data, size_t size,
                    struct sw_error *err)
{
    for (struct swi_file *file = swi_worker_of(sink)->files; file; file = file->next)
        if (swi_stream_file(file->stream) == stream)
            return swi_stream_put(file->stream, data, size, err);
    return not_own(err);
}

static int file_rename(struct sw_sink *sink, const char *from, const char *path,
                       struct sw_error *err)
{
    char absolute[PATH_MAX] = "";
    int rc = absolute_of(sink, path, absolute, sizeof absolute, err);
    rc = rc < 0 ? rc : held_path(swi_worker_of(sink), absolute, err);
    rc = rc < 0 ? rc : swi_file_move(from, absolute, err);
    if (rc == 0)
        written_path_note(swi_worker_of(sink)->environment, sink->name, absolute);
    swi_write_lock_release(&swi_worker_of(sink)->locks, absolute);
    return rc;
}

static int file_leave(struct sw_sink *sink, struct swi_file *file, const char *path,
                      struct sw_error *err)
{
    int64_t lost;
    int rc = swi_stream_close(file->stream, &lost, err);
    bool special = strcmp(file->path, "stdout") == 0;
    if (special || !path)
        return rc;
    if (rc == 0 && *path)
        rc = file_rename(sink, file->path, path, err);
    if ((rc < 0 || !*path) && unlink(file->path) != 0 && rc == 0)
        rc = sw_error_set(err, SW_EIO, "%s: cannot be removed: %s", file->path, strerror(errno));
    return rc;
}

int swi_files_finish(struct sw_sink *sink, FILE *stream, const char *path, struct sw_error *err)
{
    struct swi_worker *worker = swi_worker_of(sink);
    for (struct swi_file **at = &worker->files; *at; at = &(*at)->next) {
        struct swi_file *file = *at;
        if (swi_stream_file(file->stream) != stream)
            continue;
        *at = file->next;
        int rc = file_leave(sink, file, path, err);
        /* A sink may write thousands of files. */
        swi_write_lock_release(&worker->locks, file->path);
        free(file->path);
        free(file);
        return rc;
    }
    return not_own(err);
}

static int print(const char *text, size_t size, struct sw_error *err)
{
    if (swi_stdout_write(text, size) == size)
        return 0;
    return sw_error_set(err, SW_EIO, "stdout: cannot be written: %s", strerror(errno));
}

int swi_files_replace(struct sw_sink *sink, const char *path, const char *text, size_t size,
                      struct sw_error *err)
{
    char absolute[PATH_MAX] = "-";
    bool to_stdout = strcmp(path, "-") == 0;
    int rc = to_stdout ? 0 : absolute_of(sink, path, absolute, sizeof absolute, err);
    if (rc == 0 && !to_stdout)
        rc = held_path(swi_worker_of(sink), absolute, err);
    if (rc == 0)
        rc = to_stdout ? print(text, size, err) : swi_file_replace(absolute, text, size, err);
    if (rc == 0)
        written_path_note(swi_worker_of(sink)->environment, sink->name, absolute);
    if (!to_stdout)
        swi_write_lock_done(&swi_worker_of(sink)->locks, absolute);
    return rc;
}

/* ---- all of a worker ------------------------------------------------------------------------- */

int swi_files_hold(struct swi_worker *worker, struct sw_error *err)
{
    char absolute[PATH_MAX];
    const char *path = swi_output_path(worker->plugin.sink, worker->state);
    if (!path || strcmp(path, "-") == 0)
        return 0;
    int rc = absolute_of(&worker->sink, path, absolute, sizeof absolute, err);
    rc = rc < 0 ? rc : held_path(worker, absolute, err);
    return rc < 0 ? rc : swi_target_try(absolute, false, err);
}

int swi_files_flush(struct swi_worker *worker, struct sw_error *err)
{
    int rc = 0;
    for (struct swi_file *file = worker->files; file; file = file->next) {
        SW_ERROR_SCOPE(other);
        int failed = swi_stream_flush(file->stream, rc < 0 ? &other : err);
        rc = rc < 0 ? rc : failed;
    }
    return rc;
}

static void lost_add(char *text, size_t size, int64_t lines, const char *path)
{
    size_t used = strlen(text);
    if (lines && used < size)
        snprintf(text + used, size - used, "%s%" PRId64 " line%s of %s lost", used ? ", " : "",
                 lines, lines == 1 ? "" : "s", path);
}

int swi_files_close(struct swi_worker *worker, char *text, size_t size, struct sw_error *err)
{
    int rc = 0;
    text[0] = '\0';
    for (struct swi_file *file = worker->files, *next; file; file = next) {
        SW_ERROR_SCOPE(other);
        int64_t lines;
        next = file->next;
        int failed = swi_stream_close(file->stream, &lines, rc < 0 ? &other : err);
        lost_add(text, size, lines, file->path);
        rc = rc < 0 ? rc : failed;
        free(file->path);
        free(file);
    }
    worker->files = NULL;
    swi_write_locks_free(&worker->locks);
    return rc;
}
