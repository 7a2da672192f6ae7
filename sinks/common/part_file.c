/* SPDX-License-Identifier: MIT */
#include "sinks/common/part_file.h"

#include "core/files/identity.h"
#include "core/files/in_place.h"
#include "core/text/io_code.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- copying a file -------------------------------------------------------------------------- */

/* Copies until the end of the file. */
static int content_copy(struct sw_sink *sink, int fd, FILE *to, struct swi_sha256 *sha,
                        struct sw_error *err)
{
    enum { AT_ONCE = 1 << 18 };
    char *bytes = malloc(AT_ONCE);
    ssize_t size = bytes ? 1 : 0;
    int rc = bytes ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory to copy a file");
    for (off_t at = 0; rc == 0 && size > 0; at += size) {
        size = pread(fd, bytes, AT_ONCE, at);
        if (size < 0)
            rc = sw_error_set(err, SW_EIO, "a file cannot be read: %s", strerror(errno));
        if (size > 0)
            swi_sha256_add(sha, bytes, (size_t)size);
        if (size > 0 && to)
            rc = sw_sink_write(sink, to, bytes, (size_t)size, err);
    }
    free(bytes);
    return rc;
}

static void change_say(struct sw_sink *sink, const struct sw_kept_file *file,
                       const struct stat *now)
{
    int64_t changed_ns = (int64_t)now->st_mtim.tv_sec * INT64_C(1000000000) + now->st_mtim.tv_nsec;
    if (now->st_size != file->bytes || changed_ns != file->changed_ns)
        sw_sink_say(sink, SW_WARNING, "%s was changed between sw_log_file() and the copy of it",
                    file->path);
}

int swi_copy_file(struct sw_sink *sink, const struct sw_kept_file *file, FILE *to,
                  struct swi_sha256 *sha, struct sw_error *err)
{
    const struct swi_identity identity = {file->device, file->inode};
    struct stat now;
    int fd = file->fd;
    swi_sha256_init(sha);
    if (!swi_identity_keep(&identity, &fd, file->path, O_RDONLY, &now))
        return sw_error_set(err, SW_EIO,
                            "the program has closed its descriptor, and the file is gone");
    int rc = content_copy(sink, fd, to, sha, err);
    if (fstat(fd, &now) == 0)
        change_say(sink, file, &now);
    if (fd != file->fd)
        close(fd);
    return rc;
}

/* ---- the folders above a file or folder that a sink makes ------------------------------------ */

int swi_parent_folders_make(char *path, struct sw_error *err)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        int failed = mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
        if (failed)
            sw_error_set(err, swi_io_code(failed), "%s: cannot be created: %s", path,
                         strerror(failed));
        *at = '/';
        if (failed)
            return err->code;
    }
    return 0;
}

/* ---- files of a folder that only one sink of one process writes to --------------------------- */

/* A file that is being written, under a temporary name beside its own. */
struct unfinished {
    struct sw_sink *sink;
    FILE *file;
    char path[PATH_MAX + 1024], name[PATH_MAX + 1024];
};

static int begin(struct unfinished *part, struct sw_sink *sink, const char *folder,
                 const char *below, struct sw_error *err)
{
    const char *slash = strrchr(below, '/');
    int folders = slash ? (int)(slash - below) + 1 : 0;
    part->sink = sink;
    snprintf(part->path, sizeof part->path, "%s/%.*s.part-0", folder, folders, below);
    snprintf(part->name, sizeof part->name, "%s/%s", folder, below);
    return sw_sink_create(sink, part->path, &part->file, err);
}

/* Gives the part its name; rc: of the writing: if it is negative, the part is removed.
 *
 * Core would give a file that exists another name, because another process might have written it.
 * This folder has no other writer. */
static int end(const struct unfinished *part, int rc, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    if (rc < 0) {
        sw_sink_finish(part->sink, part->file, "", &ignored);
        return rc;
    }
    rc = sw_sink_finish(part->sink, part->file, NULL, err);
    if (rc == 0 && swi_rename_or_copy(part->path, part->name) < 0)
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", part->name, strerror(errno));
    if (rc < 0)
        unlink(part->path);
    return rc;
}

int swi_part_write(struct sw_sink *sink, const char *folder, const char *below, const void *bytes,
                   size_t size, struct sw_error *err)
{
    struct unfinished part;
    int rc = begin(&part, sink, folder, below, err);
    if (rc < 0)
        return rc;
    return end(&part, size ? sw_sink_write(sink, part.file, bytes, size, err) : 0, err);
}

int swi_part_copy(struct sw_sink *sink, const char *folder, const char *below,
                  const struct sw_kept_file *file, size_t *size, struct sw_error *err)
{
    struct unfinished part;
    struct swi_sha256 sha;
    int rc = begin(&part, sink, folder, below, err);
    if (rc < 0)
        return rc;
    rc = swi_copy_file(sink, file, part.file, &sha, err);
    if (size)
        *size = (size_t)sha.size;
    return end(&part, rc, err);
}
