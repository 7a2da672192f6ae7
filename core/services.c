/* SPDX-License-Identifier: MIT */
/* Files are made so that nobody ever sees a half of one in place of the other, and no link is
 * followed. */
#include "core/services.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stream that core opened for a sink. */
struct swi_file {
    struct swi_file *next;
    FILE *stream;
    char *path;
};

static struct swi_worker *worker_of(struct sw_sink *sink)
{
    return (struct swi_worker *)sink;
}

static int refuse(struct sw_error *err, const char *path, const char *what)
{
    return sw_error_set(err, SW_EIO, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- messages and counts ------------------------------------------------------------------------
 */

static void say(struct sw_sink *sink, int level, const char *text)
{
    struct swi_worker *worker = worker_of(sink);
    enum sw_level known = level <= SW_NOTE ? SW_NOTE : level >= SW_ERROR ? SW_ERROR : SW_WARNING;
    swi_say(worker->messages, known, "sink %s: %s", worker->name, text);
}

static void want(struct sw_sink *sink, uint32_t wants)
{
    struct swi_worker *worker = worker_of(sink);
    atomic_store(&worker->wants, wants & worker->plugin.sink->wants);
}

static void lost(struct sw_sink *sink, int64_t records)
{
    struct swi_worker *worker = worker_of(sink);
    pthread_mutex_lock(&worker->lock);
    worker->lost += records;
    pthread_mutex_unlock(&worker->lock);
}

static void stop(struct sw_sink *sink)
{
    atomic_store(worker_of(sink)->stopped, true);
}

/* ---- paths --------------------------------------------------------------------------------------
 */

static int resolve(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                   struct sw_error *err)
{
    int n = *path == '/' ? snprintf(buffer, size, "%s", path)
                         : snprintf(buffer, size, "%s/%s", sink->run->directory, path);
    if (!*path || n < 0 || (size_t)n >= size)
        return sw_error_set(err, SW_EINVAL, "path \"%.64s\" is empty or longer than %zu bytes",
                            path, size - 1);
    return 0;
}

/* A folder where everybody may write may hold a link that somebody laid for us. */
static int folder_trusted(int parent, const char *name, const char *path, struct sw_error *err)
{
    struct stat folder, entry;
    if (fstat(parent, &folder) != 0 || !(folder.st_mode & S_IWOTH))
        return 0;
    if (fstatat(parent, name, &entry, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(entry.st_mode))
        return 0;
    return sw_error_set(err, SW_EIO,
                        "%s: \"%s\" is a link in a folder that everybody may write to; it is not "
                        "followed: name another path",
                        path, name);
}

static int folder_enter(int parent, const char *name, const char *path, struct sw_error *err)
{
    if (folder_trusted(parent, name, path, err) < 0)
        return -1;
    int fd = openat(parent, name, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
    if (fd < 0 && errno == ENOENT && (mkdirat(parent, name, 0777) == 0 || errno == EEXIST))
        fd = openat(parent, name, O_DIRECTORY | O_CLOEXEC | O_RDONLY);
    if (fd < 0)
        refuse(err, path, "its folder cannot be made or entered");
    return fd;
}

/* Opens the folder of an absolute path, making what is missing, and gives the last part of the
 * path. */
static int folder_open(const char *path, const char **name, struct sw_error *err)
{
    char part[NAME_MAX + 1];
    int fd = open("/", O_DIRECTORY | O_CLOEXEC | O_RDONLY);
    const char *at = path;
    for (; fd >= 0;) {
        at += strspn(at, "/");
        size_t n = strcspn(at, "/");
        if (!at[n])
            break;
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        int next = folder_enter(fd, part, path, err);
        close(fd);
        if (next < 0)
            return -1;
        fd = next;
        at += n;
    }
    *name = at;
    if (fd < 0)
        refuse(err, path, "cannot be opened");
    else if (folder_trusted(fd, at, path, err) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- files --------------------------------------------------------------------------------------
 */

/* A name beside the file that nobody else uses: ".NAME.PID-NUMBER". */
static void temporary_name(char *buffer, size_t size, const char *name)
{
    static atomic_uint number;
    snprintf(buffer, size, ".%.200s.%d-%u", name, (int)getpid(), atomic_fetch_add(&number, 1));
}

static int temporary_open(int folder, const char *temporary, const char *path, struct sw_error *err)
{
    int fd = openat(folder, temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY, 0666);
    if (fd < 0)
        refuse(err, path, "cannot be created");
    return fd;
}

static int rename_over(int folder, const char *temporary, const char *name, const char *path,
                       struct sw_error *err)
{
    if (renameat(folder, temporary, folder, name) == 0)
        return 0;
    refuse(err, path, "cannot be replaced");
    unlinkat(folder, temporary, 0);
    return SW_EIO;
}

/* A new file under its name at once, so that it can be watched; the old one is gone as a whole. */
static int stream_open(const char *path, FILE **stream, struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    const char *name;
    int folder = folder_open(path, &name, err);
    if (folder < 0)
        return SW_EIO;
    temporary_name(temporary, sizeof temporary, name);
    int fd = temporary_open(folder, temporary, path, err);
    int rc = fd < 0 ? SW_EIO : rename_over(folder, temporary, name, path, err);
    close(folder);
    *stream = rc == 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !*stream)
        close(fd);
    return rc;
}

static int create(struct sw_sink *sink, const char *path, FILE **stream, struct sw_error *err)
{
    char absolute[PATH_MAX];
    struct swi_worker *worker = worker_of(sink);
    bool standard = strcmp(path, "-") == 0;
    int rc = standard ? 0 : resolve(sink, path, absolute, sizeof absolute, err);
    struct swi_file *file = rc < 0 ? NULL : calloc(1, sizeof *file);
    if (!file)
        return rc < 0 ? rc : sw_error_set(err, SW_ENOMEM, "%s: no memory to open it", path);
    file->stream = stdout;
    rc = standard ? 0 : stream_open(absolute, &file->stream, err);
    if (rc < 0 || !(file->path = strdup(standard ? "stdout" : absolute))) {
        free(file);
        return rc < 0 ? rc : SW_ENOMEM;
    }
    file->next = worker->files;
    worker->files = file;
    *stream = file->stream;
    return 0;
}

static int write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

static int replace_at(int folder, const char *name, const char *path, const char *text, size_t size,
                      struct sw_error *err)
{
    char temporary[NAME_MAX + 1];
    temporary_name(temporary, sizeof temporary, name);
    int fd = temporary_open(folder, temporary, path, err);
    if (fd < 0)
        return SW_EIO;
    int failed = write_all(fd, text, size) != 0 || fsync(fd) != 0;
    if (failed)
        refuse(err, path, "cannot be written");
    if (close(fd) != 0 && !failed) {
        refuse(err, path, "cannot be closed");
        failed = 1;
    }
    if (failed) {
        unlinkat(folder, temporary, 0);
        return SW_EIO;
    }
    int rc = rename_over(folder, temporary, name, path, err);
    if (rc == 0)
        fsync(folder);
    return rc;
}

static int print(const char *text, size_t size, struct sw_error *err)
{
    flockfile(stdout);
    size_t n = fwrite(text, 1, size, stdout);
    int rc = n == size && fflush(stdout) == 0 ? 0 : refuse(err, "stdout", "cannot be written");
    if (rc < 0)
        clearerr(stdout);
    funlockfile(stdout);
    return rc;
}

static int replace(struct sw_sink *sink, const char *path, const char *text, size_t size,
                   struct sw_error *err)
{
    char absolute[PATH_MAX];
    const char *name;
    if (strcmp(path, "-") == 0)
        return print(text, size, err);
    int rc = resolve(sink, path, absolute, sizeof absolute, err);
    int folder = rc < 0 ? rc : folder_open(absolute, &name, err);
    if (folder < 0)
        return SW_EIO;
    rc = replace_at(folder, name, absolute, text, size, err);
    close(folder);
    return rc;
}

const struct sw_sink_services swi_services = {
    .size = sizeof(struct sw_sink_services),
    .say = say,
    .want = want,
    .create = create,
    .replace = replace,
    .resolve = resolve,
    .lost = lost,
    .stop = stop,
};

/* ---- the streams of a worker -------------------------------------------------------------------
 */

int swi_files_flush(struct swi_worker *worker, struct sw_error *err)
{
    int rc = 0;
    for (struct swi_file *file = worker->files; file; file = file->next) {
        errno = 0;
        if (fflush(file->stream) == 0 && !ferror(file->stream))
            continue;
        /* The stream keeps what it could not write, and tries again at the next flush. */
        clearerr(file->stream);
        if (rc == 0)
            rc = refuse(err, file->path, "cannot be written");
    }
    return rc;
}

int swi_files_close(struct swi_worker *worker, struct sw_error *err)
{
    int rc = swi_files_flush(worker, err);
    for (struct swi_file *file = worker->files, *next; file; file = next) {
        next = file->next;
        if (file->stream != stdout && fclose(file->stream) != 0 && rc == 0)
            rc = refuse(err, file->path, "cannot be closed");
        free(file->path);
        free(file);
    }
    worker->files = NULL;
    return rc;
}
