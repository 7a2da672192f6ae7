/* SPDX-License-Identifier: MIT */
#include "tools/watch/follow.h"

#include "core/clock/now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the last epoch -------------------------------------------------------------------------- */

/* A file is read in blocks. A line that is looked for is shorter than LINE. */
enum { BLOCK = 1 << 20, LINE = 4096 };

/* The end of a log in which a line "index" is looked for: it has one every 64 MiB of text. How much
 * text the end of a compressed log has is not known, so more is looked at if there is none. */
#define END_TEXT ((off_t)72 << 20)
#define END_PACKED ((off_t)4 << 20)
enum { TIMES_PACKED = 4 };

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
           has(line, size, "\"action\":\"epoch\"") && !has(line, size, "\"window\":");
}

static bool is_index(const char *line, size_t size)
{
    return begins_with(line, size, "{\"type\":\"index\"");
}

bool tail_leaves_out(const char *line, size_t size)
{
    static const char *const bulk[] = {"{\"type\":\"step\"", "{\"type\":\"steps\"",
                                       "{\"type\":\"metric\"", "{\"type\":\"value\""};
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

/* Returns the place of the last line of a kind whose begin is in the first `own` bytes, or -1. The
 * block begins anywhere in a line. */
static int64_t last_in(const char *block, size_t size, size_t own,
                       bool (*is_kind)(const char *line, size_t size))
{
    int64_t last = -1;
    const char *end = block + size, *newline = block;
    while (newline < block + own && (newline = memchr(newline, '\n', (size_t)(end - newline)))) {
        const char *line = newline + 1, *next = memchr(line, '\n', (size_t)(end - line));
        if (newline < block + own && next && is_kind(line, (size_t)(next - line)))
            last = line - block;
        newline = line;
    }
    return last;
}

/* What was found from some place on: offsets of lines in the text from there on; -1: none. */
struct tail_lines {
    int64_t epoch; /* the last one that begins */
    int64_t index; /* the first line "index" */
};

/* The text of a compressed log is known from the begin of a frame on only. */
static struct tail_lines find_forward(struct swi_log_bytes *bytes, char *block)
{
    struct tail_lines found = {-1, -1};
    size_t size = 0;
    int64_t begin = 0;
    for (ssize_t n = 1; n > 0 || (n < 0 && errno == EBADMSG);) {
        n = swi_log_bytes_read(bytes, block + size, BLOCK + LINE - size);
        size += n > 0 ? (size_t)n : 0;
        if (n > 0 && size < BLOCK + LINE)
            continue;
        size_t own = n == 0 ? size : size > LINE ? size - LINE : 0;
        int64_t epoch = last_in(block, size, own, begins_epoch);
        int64_t index = found.index < 0 ? last_in(block, size, own, is_index) : -1;
        found.epoch = epoch < 0 ? found.epoch : begin + epoch;
        found.index = index < 0 ? found.index : begin + index;
        memmove(block, block + own, size - own);
        begin += (int64_t)own;
        size -= own;
    }
    return found;
}

/* Looks at the end only. Returns false if no line "index" is there. */
static bool end_find(struct swi_log_bytes *bytes, off_t end, char *block, struct log_tail *tail)
{
    if (!swi_log_bytes_tail(bytes, end))
        return false;
    off_t at = bytes->offset;
    struct tail_lines found = find_forward(bytes, block);
    if (found.index < 0)
        return false;
    *tail = (struct log_tail){at, at + (found.epoch > found.index ? found.epoch : found.index)};
    return true;
}

static struct log_tail find(struct swi_log_bytes *bytes, off_t size, char *block)
{
    struct log_tail tail = {0};
    bool packed = swi_log_bytes_packed(bytes);
    off_t end = packed ? END_PACKED : END_TEXT;
    for (int i = 0; i < (packed ? TIMES_PACKED : 1) && size > 2 * end; i++, end *= 2)
        if (end_find(bytes, end, block, &tail))
            return tail;
    swi_log_bytes_begin(bytes, 0);
    int64_t epoch = find_forward(bytes, block).epoch;
    return (struct log_tail){0, epoch < 0 ? 0 : epoch};
}

struct log_tail tail_find(const char *path)
{
    struct stat st;
    struct swi_log_bytes bytes;
    struct log_tail tail = {0};
    char *block = malloc(BLOCK + LINE);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    swi_log_bytes_init(&bytes, file);
    if (block && file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode))
        tail = find(&bytes, st.st_size, block);
    swi_log_bytes_fini(&bytes);
    if (file >= 0)
        close(file);
    free(block);
    return tail;
}

/* ---- following ------------------------------------------------------------------------------- */

/* The name is looked at so often, when there is nothing to read. */
#define LOOK_NS INT64_C(1000000000)

bool follow_init(struct follow *follow, const char *path)
{
    *follow = (struct follow){.path = strdup(path), .bytes.fd = -1};
    follow->room = 2 * FOLLOW_MOST + 1;
    follow->rest = malloc(follow->room);
    return follow->path && follow->rest;
}

static void file_close(struct follow *follow)
{
    if (follow->bytes.fd >= 0)
        close(follow->bytes.fd);
    swi_log_bytes_fini(&follow->bytes);
}

void follow_fini(struct follow *follow)
{
    file_close(follow);
    free(follow->path);
    free(follow->rest);
}

static void restart(struct follow *follow)
{
    follow->offset = 0;
    follow->rest_size = 0;
    follow->skip = false;
    swi_log_bytes_begin(&follow->bytes, 0);
}

static bool file_open(struct follow *follow)
{
    struct stat st;
    swi_log_bytes_init(&follow->bytes,
                       open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (follow->bytes.fd < 0)
        return false;
    if (fstat(follow->bytes.fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        file_close(follow);
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

static void truncation_check(struct follow *follow)
{
    struct stat st;
    if (fstat(follow->bytes.fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size >= follow->bytes.offset)
        return;
    restart(follow);
    follow->jump = 0;
    follow->event(follow->arg, FOLLOW_SHORTER);
}

/* The old file was read to its end. */
static void name_check(struct follow *follow)
{
    struct stat st;
    int64_t now = swi_now_ns();
    if (now - follow->compared_ns < LOOK_NS || stat(follow->path, &st) != 0)
        return;
    follow->compared_ns = now;
    if (st.st_dev == follow->device && st.st_ino == follow->inode)
        return;
    file_close(follow);
    follow->jump = 0;
    if (file_open(follow))
        follow->event(follow->arg, FOLLOW_NEW_RUN);
}

/* Goes on further behind, maybe within a line. */
static void jump(struct follow *follow)
{
    swi_log_bytes_begin(&follow->bytes, follow->jump);
    follow->offset = follow->jump;
    follow->jump = 0;
    follow->rest_size = 0;
    follow->skip = true;
}

size_t follow_turn(struct follow *follow)
{
    if (follow->bytes.fd < 0 && !file_open(follow))
        return 0;
    truncation_check(follow);
    ssize_t size =
        swi_log_bytes_read(&follow->bytes, follow->rest + follow->rest_size, FOLLOW_MOST);
    if (size < 0 && errno == EBADMSG) {
        follow->event(follow->arg, FOLLOW_DAMAGED);
        follow->rest_size = 0;
        follow->skip = false;
        return 1;
    }
    if (size <= 0) {
        name_check(follow);
        return 0;
    }
    follow->offset += size;
    follow->rest_size += (size_t)size;
    lines_give(follow);
    if (follow->jump)
        jump(follow);
    return (size_t)size;
}
