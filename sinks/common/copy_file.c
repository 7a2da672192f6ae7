/* SPDX-License-Identifier: MIT */
#include "sinks/common/copy_file.h"
#include "core/files/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
