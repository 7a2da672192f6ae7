/* SPDX-License-Identifier: MIT */
#include "tools/watch/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
