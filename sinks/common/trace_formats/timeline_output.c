/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline_output.h"
#include "core/text/opened.h"
#include "core/text/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what can only be written at the end ----------------------------------------------------- */

enum { IN_MEMORY = 1 << 17 };

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
    return swi_fd_write(spool->fd, data, size) == size;
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

/* ---- the size of the output ------------------------------------------------------------------ */

/* Returns the size of the first line, or 0. In an array, a line without a comma is the first or one
 * of the last. */
static size_t line_size(const char *data, size_t size)
{
    const char *comma = memmem(data, size, ",\n", 2);
    return comma ? (size_t)(comma + 2 - data) : 0;
}

/* Returns the size of the first packet with its head, or 0 if it is not whole. */
static size_t packet_size(const char *data, size_t size)
{
    struct swi_wire_field packet;
    const char *at = data;
    return swi_wire_read(&at, data + size, &packet) ? (size_t)(at - data) : 0;
}

static size_t part_of(size_t (*first)(const char *data, size_t size), const char *data, size_t size,
                      size_t most)
{
    size_t part = 0, next;
    while ((next = first(data + part, size - part)) && (!part || part + next <= most))
        part += next;
    return part;
}

size_t swi_part_of_lines(const char *data, size_t size, size_t most)
{
    return part_of(line_size, data, size, most);
}

size_t swi_part_of_packets(const char *data, size_t size, size_t most)
{
    return part_of(packet_size, data, size, most);
}

/* ---- the output of a timeline and its limits ------------------------------------------------- */

void swi_timeline_drain(struct swi_timeline *t)
{
    if (t->out.failed)
        t->failed = true;
    if (t->out.size && !t->failed && !t->write(t->arg, t->out.data, t->out.size))
        t->failed = true;
    t->written += (int64_t)t->out.size;
    t->out.size = 0;
}

bool swi_has_room(const struct swi_timeline *t, size_t size)
{
    return !t->failed && !t->full &&
           (!t->max_size || swi_timeline_size(t) + (int64_t)size < t->max_size);
}

bool swi_timeline_take(void *arg, const char *data, size_t size)
{
    struct swi_timeline *t = arg;
    swi_text_add(&t->out, data, size);
    if (t->out.size > 1 << 16)
        swi_timeline_drain(t);
    return !t->failed;
}
