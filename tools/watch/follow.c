/* SPDX-License-Identifier: MIT */
#include "tools/watch/follow.h"

#include "core/clock/now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    log_bytes_fini(&follow->bytes);
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
    log_bytes_restart(&follow->bytes);
}

static bool file_open(struct follow *follow)
{
    struct stat st;
    log_bytes_init(&follow->bytes,
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

static void cut_look(struct follow *follow)
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
static void name_look(struct follow *follow)
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
    log_bytes_begin(&follow->bytes, follow->jump);
    follow->offset = follow->jump;
    follow->jump = 0;
    follow->rest_size = 0;
    follow->skip = true;
}

size_t follow_turn(struct follow *follow)
{
    if (follow->bytes.fd < 0 && !file_open(follow))
        return 0;
    cut_look(follow);
    ssize_t size = log_bytes_read(&follow->bytes, follow->rest + follow->rest_size, FOLLOW_MOST);
    if (size < 0 && errno == EBADMSG) {
        follow->event(follow->arg, FOLLOW_DAMAGED);
        follow->rest_size = 0;
        follow->skip = false;
        return 1;
    }
    if (size <= 0) {
        name_look(follow);
        return 0;
    }
    follow->offset += size;
    follow->rest_size += (size_t)size;
    lines_give(follow);
    if (follow->jump)
        jump(follow);
    return (size_t)size;
}
