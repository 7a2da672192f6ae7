/* SPDX-License-Identifier: MIT */
/* waiting_rows.c - rows that wait on the disk until the database takes them.
 *
 * They are in files of the folder DATABASE-waiting, one for each run. A run keeps its file locked,
 * so that others can tell the files of runs that have ended, and add their rows to the database.
 * Adding rows twice does no harm. */

#include "sinks/sqlite/database.h"
#include "core/text/opened.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of a file, with the name of the layout. The number changes with the statements of
 * the layouts, which the rows have by number. */
#define HEAD "stepwatch rows 2 "
enum { HEAD_MAX = 64, CHUNK_MAX = 64 << 20 /* the largest row */ };

static size_t head_of(const struct swi_layout *layout, char head[HEAD_MAX])
{
    return (size_t)snprintf(head, HEAD_MAX, HEAD "%.32s\n", layout->name);
}

static bool folder_of(const char *database, char folder[PATH_MAX])
{
    return snprintf(folder, PATH_MAX, "%s-waiting", database) < PATH_MAX;
}

/* ---- the lock -------------------------------------------------------------------------------- */

/* Locks a file until swi_unwritten_leave(). Returns false if another process has locked it. */
static bool lock_take(struct swi_unwritten *waiting)
{
    struct stat st;
    int fd = open(waiting->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    waiting->lock = fd;
    waiting->identity = swi_identity_of(fd);
    waiting->end = st.st_size;
    return true;
}

/* The program may have closed the descriptor and opened another file with its number. */
void swi_unwritten_leave(struct swi_unwritten *waiting)
{
    if (*waiting->path)
        swi_identity_close(&waiting->identity, waiting->lock);
    *waiting = (struct swi_unwritten){.lock = 0};
}

/* ---- writing --------------------------------------------------------------------------------- */

bool swi_unwritten_begin(struct swi_unwritten *waiting, const char *database,
                         const struct swi_layout *layout, const char *uid)
{
    enum { TRIES = 5 }; /* another run may remove the folder because it is empty */
    char folder[PATH_MAX], head[HEAD_MAX];
    size_t size = head_of(layout, head);
    SWI_CLOSED int fd = -1;
    if (!folder_of(database, folder) ||
        snprintf(waiting->path, PATH_MAX, "%s/%s.rows", folder, uid) >= PATH_MAX)
        waiting->path[0] = '\0';
    for (int i = 0; *waiting->path && fd < 0 && i < TRIES; i++) {
        mkdir(folder, 0777);
        fd = open(waiting->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    bool made = fd >= 0 && swi_fd_write(fd, head, size) == size && lock_take(waiting);
    if (fd >= 0 && !made)
        unlink(waiting->path);
    if (!made)
        waiting->path[0] = '\0';
    waiting->begin = waiting->end;
    return made;
}

bool swi_unwritten_add(struct swi_unwritten *waiting, struct swi_rows *rows)
{
    if (!rows->count)
        return true;
    SWI_CLOSED int fd =
        open(waiting->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool written =
        fd >= 0 && swi_fd_write(fd, rows->bytes.data, rows->bytes.size) == rows->bytes.size;
    /* Without half a row, which would end the file for its readers. */
    if (fd >= 0 && !written && ftruncate(fd, waiting->end) < 0)
        waiting->end = lseek(fd, 0, SEEK_END);
    if (!written)
        return false;
    waiting->end += (int64_t)rows->bytes.size;
    waiting->count += rows->count;
    swi_rows_remove(rows, rows->bytes.size);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int cannot(const struct swi_unwritten *waiting, const char *what, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO, "%s: %s", waiting->path, what);
}

/* Reads rows from the beginning of those that wait: as many as fit, but at least one. Returns their
 * bytes, or a negative code. */
static int64_t rows_read(const struct swi_unwritten *waiting, const struct swi_layout *layout,
                         size_t limit, struct swi_rows *rows, struct sw_error *err)
{
    int64_t left = waiting->end - waiting->begin;
    size_t size = left < (int64_t)limit ? (size_t)left : limit, taken = 0;
    SWI_CLOSED int fd = open(waiting->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return cannot(waiting, strerror(errno), err);
    while (!taken && size <= CHUNK_MAX) {
        char *bytes = malloc(size);
        ssize_t n = bytes ? pread(fd, bytes, size, waiting->begin) : -1;
        taken = n > 0 ? swi_rows_take(rows, layout->statement, bytes, (size_t)n) : 0;
        free(bytes);
        if (n < (ssize_t)size || (int64_t)size >= left)
            break;
        size *= 2;
        size = (int64_t)size < left ? size : (size_t)left;
    }
    return (int64_t)taken;
}

/* Removes the file, and the folder if it is empty. */
static void file_remove(struct swi_unwritten *waiting)
{
    char folder[PATH_MAX];
    unlink(waiting->path);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(waiting->path, '/') - waiting->path),
             waiting->path);
    rmdir(folder);
    swi_unwritten_leave(waiting);
}

enum swi_transaction swi_unwritten_write(struct swi_unwritten *waiting,
                                         struct swi_database *database, size_t limit,
                                         struct sw_error *err)
{
    struct swi_rows rows = {0};
    enum swi_transaction written = SWI_WRITTEN;
    if (!*waiting->path)
        return SWI_WRITTEN;
    int64_t size =
        waiting->begin < waiting->end ? rows_read(waiting, database->layout, limit, &rows, err) : 0;
    size_t count = rows.count < waiting->count ? rows.count : waiting->count;
    if (size > 0)
        written = swi_database_write(database, &rows, SIZE_MAX, err);
    else if (size < 0)
        written = SWI_FAILED;
    swi_rows_free(&rows);
    if (written != SWI_WRITTEN)
        return written;
    waiting->begin += size;
    waiting->count -= count;
    /* What is left is a part of a row: its program was killed, or the disk was full. */
    if (size == 0 || waiting->begin >= waiting->end)
        file_remove(waiting);
    return SWI_WRITTEN;
}

/* ---- those of others ------------------------------------------------------------------------- */

static bool head_is(int fd, const struct swi_layout *layout)
{
    char head[HEAD_MAX], found[HEAD_MAX];
    size_t size = head_of(layout, head);
    return pread(fd, found, size, 0) == (ssize_t)size && memcmp(head, found, size) == 0;
}

/* Opens the file of a run that has ended. */
static bool other_open(struct swi_unwritten *waiting, const struct swi_layout *layout)
{
    char head[HEAD_MAX];
    if (!lock_take(waiting))
        return false;
    waiting->begin = (int64_t)head_of(layout, head);
    /* It may have been removed before it was locked. */
    return access(waiting->path, F_OK) == 0 && head_is(waiting->lock, layout);
}

static enum swi_transaction other_write(struct swi_unwritten_others *others,
                                        struct swi_unwritten *waiting,
                                        struct swi_database *database, struct sw_error *err)
{
    enum swi_transaction written = SWI_WRITTEN;
    while (*waiting->path) {
        sw_error_free(err);
        written = swi_unwritten_write(waiting, database, SWI_TRANSACTION_MOST, err);
        if (!others->go_on(others->arg, written) && written != SWI_WRITTEN)
            return written;
    }
    others->runs++;
    return written;
}

static bool is_rows_file(const char *name)
{
    size_t size = strlen(name);
    return *name != '.' && size > 5 && strcmp(name + size - 5, ".rows") == 0;
}

/* Gets the path of the next file. Returns false after the last. */
static bool next_file(DIR *dir, const char *folder, char path[PATH_MAX])
{
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (is_rows_file(entry->d_name) &&
            snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX)
            return true;
    return false;
}

bool swi_unwritten_has(const char *database, const struct swi_layout *layout)
{
    char folder[PATH_MAX], path[PATH_MAX];
    bool found = false;
    DIR *dir = folder_of(database, folder) ? opendir(folder) : NULL;
    while (!found && next_file(dir, folder, path)) {
        SWI_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        found = fd >= 0 && head_is(fd, layout);
    }
    if (dir)
        closedir(dir);
    return found;
}

enum swi_transaction swi_unwritten_merge(struct swi_unwritten_others *others,
                                         struct swi_database *database, const char *path,
                                         struct sw_error *err)
{
    char folder[PATH_MAX];
    enum swi_transaction written = SWI_WRITTEN;
    DIR *dir = folder_of(path, folder) ? opendir(folder) : NULL;
    struct swi_unwritten waiting = {.lock = 0};
    while (written == SWI_WRITTEN && next_file(dir, folder, waiting.path)) {
        if (other_open(&waiting, database->layout))
            written = other_write(others, &waiting, database, err);
        else
            others->in_use++;
        swi_unwritten_leave(&waiting);
    }
    if (dir)
        closedir(dir);
    return written;
}
