/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_MEMORY = 1 << 17 };

/* ---- the file -------------------------------------------------------------------------------- */

static bool file_make(struct swi_spool *spool)
{
    FILE *made = tmpfile();
    if (!made)
        return false;
    int fd = fcntl(fileno(made), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    fclose(made);
    if (fd < 0)
        return false;
    spool->fd = fd;
    spool->identity = swi_identity_of(fd);
    return true;
}

static bool has_file(const struct swi_spool *spool)
{
    struct stat st;
    return spool->fd && swi_identity_holds(&spool->identity, spool->fd, &st);
}

static bool file_write(const struct swi_spool *spool, const char *data, size_t size)
{
    if (!has_file(spool)) {
        errno = EBADF;
        return false;
    }
    while (size > 0) {
        ssize_t n = write(spool->fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

void swi_spool_spill(struct swi_spool *spool)
{
    spool->failed = spool->failed || spool->text.failed;
    if (spool->text.size < IN_MEMORY || spool->failed)
        return;
    if ((!spool->fd && !file_make(spool)) ||
        !file_write(spool, spool->text.data, spool->text.size)) {
        spool->failed = true;
        spool->error = errno;
        return;
    }
    spool->spilled += (int64_t)spool->text.size;
    spool->text.size = 0;
}

int64_t swi_spool_size(const struct swi_spool *spool)
{
    return spool->spilled + (int64_t)spool->text.size;
}

bool swi_spool_read(struct swi_spool *spool, bool (*take)(void *arg, const char *data, size_t size),
                    void *arg)
{
    char piece[1 << 14];
    if (spool->failed || (spool->spilled && !has_file(spool)))
        return false;
    for (int64_t at = 0; at < spool->spilled;) {
        ssize_t size = pread(spool->fd, piece, sizeof piece, at);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0 || !take(arg, piece, (size_t)size))
            return false;
        at += size;
    }
    return spool->text.size == 0 || take(arg, spool->text.data, spool->text.size);
}

void swi_spool_free(struct swi_spool *spool)
{
    if (has_file(spool))
        close(spool->fd);
    swi_text_free(&spool->text);
    *spool = (struct swi_spool){0};
}
