/* SPDX-License-Identifier: MIT */
#include "tools/watch/follow.h"

#include "core/clock/now.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name is looked at so often, when there is nothing to read. */
#define LOOK_NS INT64_C(1000000000)

bool follow_init(struct follow *follow, const char *path)
{
    *follow = (struct follow){.path = strdup(path), .fd = -1};
    follow->room = 2 * FOLLOW_MOST + 1;
    follow->rest = malloc(follow->room);
    return follow->path && follow->rest;
}

void follow_fini(struct follow *follow)
{
    if (follow->fd >= 0)
        close(follow->fd);
    free(follow->path);
    free(follow->rest);
}

static void restart(struct follow *follow)
{
    follow->offset = 0;
    follow->rest_size = 0;
    follow->skip = false;
}

static bool file_open(struct follow *follow)
{
    struct stat st;
    follow->fd = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (follow->fd < 0)
        return false;
    if (fstat(follow->fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        close(follow->fd);
        follow->fd = -1;
        return false;
    }
    follow->device = st.st_dev;
    follow->inode = st.st_ino;
    restart(follow);
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void line_give(struct follow *follow, char *line, size_t size)
{
    line[size] = '\0';
    if (!follow->skip)
        follow->line(follow->arg, line, size);
    follow->skip = false;
}

/* Whole lines are handed over; what is behind the last newline stays. */
static void lines_give(struct follow *follow)
{
    char *at = follow->rest, *end = follow->rest + follow->rest_size, *newline;
    while ((newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        follow->line_at = follow->offset - (end - at);
        line_give(follow, at, (size_t)(newline - at));
        at = newline + 1;
    }
    follow->rest_size = (size_t)(end - at);
    memmove(follow->rest, at, follow->rest_size);
    if (follow->rest_size <= FOLLOW_MOST)
        return;
    if (!follow->skip)
        follow->event(follow->arg, FOLLOW_DAMAGED);
    follow->rest_size = 0;
    follow->skip = true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void cut_look(struct follow *follow)
{
    struct stat st;
    if (fstat(follow->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size >= follow->offset)
        return;
    restart(follow);
    follow->event(follow->arg, FOLLOW_SHORTER);
}

/* The old file was read to its end. */
static void name_look(struct follow *follow)
{
    struct stat st;
    int64_t now = swi_now_ns();
    if (now - follow->compared_ns < LOOK_NS || stat(follow->path, &st) != 0)
        return;
    follow->compared_ns = now;
    if (st.st_dev == follow->device && st.st_ino == follow->inode)
        return;
    close(follow->fd);
    if (file_open(follow))
        follow->event(follow->arg, FOLLOW_NEW_RUN);
}

size_t follow_turn(struct follow *follow)
{
    if (follow->fd < 0 && !file_open(follow))
        return 0;
    cut_look(follow);
    ssize_t size =
        pread(follow->fd, follow->rest + follow->rest_size, FOLLOW_MOST, (off_t)follow->offset);
    if (size <= 0) {
        name_look(follow);
        return 0;
    }
    follow->offset += size;
    follow->rest_size += (size_t)size;
    lines_give(follow);
    return (size_t)size;
}

/* ---- the last epoch -------------------------------------------------------------------------- */

/* The file is read in blocks, from its end. A line that begins an epoch is shorter than LINE. */
enum { BLOCK = 1 << 20, LINE = 256 };

static bool has(const char *line, size_t size, const char *part)
{
    return memmem(line, size, part, strlen(part)) != NULL;
}

static bool begins_with(const char *line, size_t size, const char *part)
{
    return size >= strlen(part) && memcmp(line, part, strlen(part)) == 0;
}

static bool begins_epoch(const char *line, size_t size)
{
    return begins_with(line, size, "{\"type\":\"begin\"") &&
           has(line, size, "\"action\":\"epoch\"");
}

bool tail_leaves_out(const char *line, size_t size)
{
    static const char *const bulk[] = {"{\"type\":\"step\"", "{\"type\":\"metric\"",
                                       "{\"type\":\"value\""};
    static const char *const regions[] = {"{\"type\":\"begin\"", "{\"type\":\"end\"",
                                          "{\"type\":\"cancel\""};
    for (size_t i = 0; i < sizeof bulk / sizeof *bulk; i++)
        if (begins_with(line, size, bulk[i]))
            return true;
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (begins_with(line, size, regions[i]))
            return !has(line, size, "\"action\":\"epoch\"") &&
                   !has(line, size, "\"action\":\"valid\"");
    return false;
}

/* Returns the place of the last such line whose begin is in the first `own` bytes, or -1. The block
 * begins anywhere in a line. */
static int64_t last_in(const char *block, size_t size, size_t own)
{
    int64_t last = -1;
    const char *end = block + size, *newline = block;
    while (newline < block + own && (newline = memchr(newline, '\n', (size_t)(end - newline)))) {
        const char *line = newline + 1, *next = memchr(line, '\n', (size_t)(end - line));
        if (newline < block + own && next && begins_epoch(line, (size_t)(next - line)))
            last = line - block;
        newline = line;
    }
    return last;
}

static int64_t find(int file, int64_t size, char *block)
{
    int64_t found = -1;
    for (int64_t end = size; end > 0 && found < 0;) {
        int64_t begin = end > BLOCK ? end - BLOCK : 0;
        ssize_t got = pread(file, block, (size_t)(end - begin) + LINE, (off_t)begin);
        int64_t at = got > 0 ? last_in(block, (size_t)got, (size_t)(end - begin)) : -1;
        found = at < 0 ? -1 : begin + at;
        end = begin;
    }
    return found < 0 ? 0 : found;
}

int64_t tail_find(const char *path)
{
    struct stat st;
    int64_t found = 0;
    char *block = malloc(BLOCK + LINE);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (block && file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode))
        found = find(file, st.st_size, block);
    if (file >= 0)
        close(file);
    free(block);
    return found;
}
