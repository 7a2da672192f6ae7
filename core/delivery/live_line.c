/* SPDX-License-Identifier: MIT */
#include "core/delivery/live_line.h"
#include "core/clock/now.h"

#include <stepwatch/error.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void swi_live_line_init(struct swi_live_line *line)
{
    *line = (struct swi_live_line){.fd = -1};
    pthread_mutex_init(&line->lock, NULL);
}

void swi_live_line_fini(struct swi_live_line *line)
{
    swi_text_free(&line->wipe);
    pthread_mutex_destroy(&line->lock);
}

void swi_live_line_child(struct swi_live_line *line)
{
    pthread_mutex_init(&line->lock, NULL);
    line->shown = false;
}

/* ---- with the lock --------------------------------------------------------------------------- */

/* Errors are ignored: the line was written in one piece, so a terminal that does not take a few
 * more bytes is gone. */
static void wipe(struct swi_live_line *line)
{
    if (!line->shown)
        return;
    line->shown = false;
    ssize_t written = write(line->fd, line->wipe.data, line->wipe.size);
    (void)written;
}

/* Lets the program print many lines in a row, and a line in several pieces. */
static bool is_resting(const struct swi_live_line *line)
{
    bool lately = line->printed_ns && swi_now_ns() - line->printed_ns < SWI_LIVE_REST_NS;
    return line->unended || lately;
}

static int show(struct swi_live_line *line, int fd, const char *wiping, const char *text)
{
    bool apart = !*wiping;
    if (!apart && is_resting(line))
        return 0;
    line->wipe.size = 0;
    swi_text_put(&line->wipe, wiping);
    if (line->wipe.failed)
        return 0;
    if (write(fd, text, strlen(text)) < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : SW_EIO;
    line->fd = fd;
    line->shown = !apart;
    return 1;
}

/* ---- shown and printed ----------------------------------------------------------------------- */

int swi_live_line_show(struct swi_live_line *line, int fd, const char *wiping, const char *text)
{
    int rc = 0;
    pthread_mutex_lock(&line->lock);
    if (*text)
        rc = show(line, fd, wiping, text);
    else
        wipe(line);
    pthread_mutex_unlock(&line->lock);
    return rc;
}

void swi_live_line_aside(struct swi_live_line *line)
{
    pthread_mutex_lock(&line->lock);
    wipe(line);
}

void swi_live_line_again(struct swi_live_line *line)
{
    pthread_mutex_unlock(&line->lock);
}

bool swi_live_line_print(struct swi_live_line *line, const char *text, size_t size)
{
    pthread_mutex_lock(&line->lock);
    /* Text in the buffer of stdout would be printed in the middle of the live line. */
    bool beside = line->fd >= 0;
    atomic_store_explicit(&line->used, true, memory_order_relaxed);
    wipe(line);
    bool good = fwrite(text, 1, size, stdout) == size;
    if (beside && fflush(stdout) != 0)
        good = false;
    line->unended = size > 0 ? text[size - 1] != '\n' : line->unended;
    line->printed_ns = swi_now_ns();
    pthread_mutex_unlock(&line->lock);
    return good;
}
