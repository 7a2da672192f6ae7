/* SPDX-License-Identifier: MIT */
/* journal_rotation.c - removes the oldest metrics of a journal, with when_full: rotate. The journal
 * becomes: the line of the run; a line "rotated" with the number of bytes that were before the
 * newest lines; what is kept of those, which is all but metrics; another line "rotated"; and the
 * newest lines. So an upload knows which of them it has: its offsets count all that was ever
 * written (upload/run_upload.c).
 *
 * It is made in a file of another name, bit by bit, so that records need not wait. No descriptor is
 * kept meanwhile: the program may close those that it does not know. */
#include "core/text/parts.h"
#include "core/text/opened.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Bytes of the old file that are read with each call. */
enum { SOME = 256 << 10 };

static void part_path(const struct swi_journal *journal, char path[PATH_MAX + 32])
{
    int folder = (int)(strrchr(journal->path, '/') - journal->path);
    snprintf(path, PATH_MAX + 32, "%.*s/.part-journal", folder, journal->path);
}

/* Returns the descriptor of the next file, or -1 with errno. */
static int part_open(const struct swi_journal *journal, int flags)
{
    char path[PATH_MAX + 32];
    part_path(journal, path);
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0644);
}

/* ---- reading whole lines --------------------------------------------------------------------- */

/* Reads lines from an offset: as many as fit, but at least one. Returns false with errno. */
static bool lines_read(const struct swi_journal *journal, int64_t from, size_t most,
                       struct swi_text *lines)
{
    SWI_CLOSED int fd = open(journal->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const char *end = NULL;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && !end) {
        lines->size = 0;
        n = swi_text_reserve(lines, most) ? pread(fd, lines->data, most, from) : -1;
        end = n > 0 ? memrchr(lines->data, '\n', (size_t)n) : NULL;
        n = n < (ssize_t)most && !end ? -1 : n;
        most *= 2;
    }
    lines->size = end ? (size_t)(end + 1 - lines->data) : 0;
    return end;
}

/* Returns the offset of the first line that begins there or later, or -1. */
static int64_t line_after(const struct swi_journal *journal, int64_t offset)
{
    SWI_FREED struct swi_text lines = {0};
    int64_t found = -1;
    if (lines_read(journal, offset - 1, SOME, &lines))
        found = offset + (char *)memchr(lines.data, '\n', lines.size) - lines.data;
    return found;
}

/* ---- the next file --------------------------------------------------------------------------- */

static bool part_add(struct swi_journal_rotation *rotation, const struct swi_journal *journal,
                     const struct swi_text *text)
{
    SWI_CLOSED int fd = text->failed ? -1 : part_open(journal, 0);
    size_t written = fd < 0 ? 0 : swi_fd_write(fd, text->data, text->size);
    rotation->size += (int64_t)written;
    return fd >= 0 && written == text->size;
}

/* Begins with the line of the run and the first line "rotated". */
static bool copy_begin(struct swi_journal_rotation *rotation, const struct swi_journal *journal)
{
    SWI_FREED struct swi_text lines = {0};
    SWI_CLOSED int fd = part_open(journal, O_CREAT | O_TRUNC);
    rotation->cut = line_after(journal, journal->size - rotation->most / 2);
    rotation->size = rotation->head = 0;
    rotation->copies = true;
    bool fine = fd >= 0 && rotation->cut > 0 && lines_read(journal, 0, SOME, &lines);
    if (fine) {
        lines.size = (size_t)((char *)memchr(lines.data, '\n', lines.size) + 1 - lines.data);
        rotation->from = (int64_t)lines.size;
        swi_text_format(&lines, "{\"type\":\"rotated\",\"bytes\":%" PRId64 "}\n",
                        rotation->cut + rotation->shift);
        fine = part_add(rotation, journal, &lines);
    }
    return fine;
}

static bool is_kept(const char *line)
{
    return !swi_begins(line, "{\"type\":\"metric\"") && !swi_begins(line, "{\"type\":\"rotated\"");
}

/* Copies older lines that are kept, and after the last one the second line "rotated". */
static bool older_copy(struct swi_journal_rotation *rotation, const struct swi_journal *journal,
                       const struct swi_text *lines)
{
    SWI_FREED struct swi_text kept = {0};
    for (const char *at = lines->data, *end = at + lines->size;
         at < end && rotation->from < rotation->cut;) {
        size_t size = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) + 1 - at);
        if (is_kept(at))
            swi_text_add(&kept, at, size);
        rotation->from += (int64_t)size;
        at += size;
    }
    bool last = rotation->from >= rotation->cut;
    if (last)
        swi_text_put(&kept, "{\"type\":\"rotated\"}\n");
    bool fine = part_add(rotation, journal, &kept);
    if (last)
        rotation->head = rotation->size;
    return fine;
}

static bool copy_some(struct swi_journal_rotation *rotation, const struct swi_journal *journal)
{
    SWI_FREED struct swi_text lines = {0};
    bool fine = lines_read(journal, rotation->from, SOME, &lines);
    if (fine && !rotation->head) {
        fine = older_copy(rotation, journal, &lines);
    } else if (fine) {
        rotation->from += (int64_t)lines.size;
        fine = part_add(rotation, journal, &lines);
    }
    return fine;
}

/* The next file takes the place of the journal. It is locked before that, so that nobody takes the
 * run for one that has ended. */
static bool copy_end(struct swi_journal_rotation *rotation, struct swi_journal *journal)
{
    char path[PATH_MAX + 32];
    int fd = part_open(journal, 0);
    part_path(journal, path);
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB);
    if (fd < 0 || rename(path, journal->path) < 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    swi_journal_continue(journal, fd, rotation->size);
    rotation->shift += rotation->cut - rotation->head;
    rotation->due = rotation->head + rotation->most;
    rotation->copies = false;
    return true;
}

int swi_journal_rotate(struct swi_journal_rotation *rotation, struct swi_journal *journal,
                       struct sw_error *err)
{
    bool begins = !rotation->copies && journal->size >= rotation->due;
    errno = EIO;
    bool fine = !begins || copy_begin(rotation, journal);
    if (fine && rotation->copies && rotation->from < journal->size)
        fine = copy_some(rotation, journal);
    if (fine && rotation->copies && rotation->head && rotation->from >= journal->size)
        fine = copy_end(rotation, journal);
    if (fine)
        return 0;
    int reason = errno;
    swi_journal_rotation_end(rotation, journal);
    rotation->due = journal->size + rotation->most / 2;
    return sw_error_set(err, SW_EIO, "%s: the oldest values cannot be removed: %s", journal->path,
                        strerror(reason));
}

void swi_journal_rotation_end(struct swi_journal_rotation *rotation,
                              const struct swi_journal *journal)
{
    char path[PATH_MAX + 32];
    part_path(journal, path);
    if (rotation->copies)
        unlink(path);
    rotation->copies = false;
}
