/* SPDX-License-Identifier: MIT */
#include "tools/uploads/upload_messages.h"

#include "core/clock/now.h"
#include "tools/output/stderr.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { BETWEEN_NS = 100000000 };

void upload_progress_clear(struct upload_messages *messages)
{
    if (messages->shown)
        fputs("\r\033[K", stderr);
    messages->shown = false;
}

void upload_progress(void *arg, const struct sw_wandb_progress *progress)
{
    struct upload_messages *messages = arg;
    int64_t now_ns = swi_now_ns();
    if (!isatty(STDERR_FILENO) || (messages->shown && now_ns - messages->shown_ns < BETWEEN_NS))
        return;
    double total = (double)progress->bytes_total;
    double share = total > 0 ? (double)progress->bytes / total : 0;
    char percent[TEXT_NUMBER], rows[TEXT_NUMBER];
    fprintf(stderr, "\r\033[K%s read, %s rows sent, %" PRId64 " files", text_share(percent, share),
            text_count(rows, (double)progress->rows_sent), progress->files);
    messages->shown_ns = now_ns;
    messages->shown = true;
}

void upload_message(void *arg, int level, const char *text)
{
    static const char *const levels[] = {"", "warning: ", "error: "};
    struct upload_messages *messages = arg;
    upload_progress_clear(messages);
    say("sync", "%s: %s%s", messages->path, levels[level < 0 || level > 2 ? 2 : level], text);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

void upload_signals_catch(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool upload_interrupted(void *arg)
{
    (void)arg;
    return interrupted != 0;
}
