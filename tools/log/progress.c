/* SPDX-License-Identifier: MIT */
#include "tools/log/log_lines.h"

#include "core/clock/now.h"
#include "tools/output/print.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_MS = 500, EACH_MS = 100, LINES = 256, NAME = 48 };

static int64_t now_ms(void)
{
    return swi_now_ns() / 1000000;
}

void progress_begin(struct progress *progress, const struct log *log)
{
    struct stat about;
    *progress = (struct progress){.log = log, .on = isatty(STDERR_FILENO)};
    if (progress->on && fstat(log->bytes.fd, &about) == 0 && S_ISREG(about.st_mode))
        progress->size = about.st_size;
    progress->next_ms = now_ms() + FIRST_MS;
}

static void show(const struct progress *progress)
{
    char text[TEXT_NUMBER];
    fputs("\r\033[K", stderr);
    text_shown(stderr, progress->log->path, NAME);
    if (progress->size > 0)
        fprintf(stderr, ": %s read",
                text_share(text, (double)progress->log->bytes.offset / (double)progress->size));
    else
        fprintf(stderr, ": %s lines read", text_count(text, (double)progress->log->number));
    fflush(stderr);
}

void progress_update(struct progress *progress)
{
    if (!progress->on || progress->log->number % LINES || now_ms() < progress->next_ms)
        return;
    show(progress);
    progress->shown = true;
    progress->next_ms = now_ms() + EACH_MS;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
