/* SPDX-License-Identifier: MIT */
/* notices.c - sends the sink's messages, or with WANDB_SILENT keeps them for the run's folder. */
#include "sinks/wandb/notices.h"

#include "core/text/address_user.h"
#include "core/text/escape.h"
#include "core/text/iso_date.h"
#include "sinks/wandb/wandb_sink.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* More than all messages of a sink. */
enum { KEPT_MAX = 1 << 20 };

static void keep(struct wandb *w, int level, const char *text)
{
    static const char *const names[] = {"INFO", "WARNING", "ERROR"};
    char date[SWI_ISO_DATE];
    if (w->unsaid.size > KEPT_MAX || !swi_iso_date(date, time(NULL), -1, "Z"))
        return;
    swi_text_format(&w->unsaid, "%s %s ", date, names[level < 0 || level > 2 ? 2 : level]);
    swi_escape_terminal(&w->unsaid, text);
    swi_text_put(&w->unsaid, "\n");
}

void swi_wandb_say(struct wandb *w, int level, const char *format, ...)
{
    char text[4096 + 512]; /* it may have a path */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    swi_address_clean(text);
    if (w->silent)
        keep(w, level, text);
    else
        sw_sink_say(w->sink, level, "%s", text);
}

void swi_wandb_say_flush(struct wandb *w)
{
    char path[PATH_MAX + 32];
    if (!w->unsaid.size || !w->folder[0])
        return;
    snprintf(path, sizeof path, "%s/logs", w->folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/logs/debug.log", w->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    /* If the disk is full, it waits for the next flush. */
    ssize_t size = fd < 0 ? 0 : write(fd, w->unsaid.data, w->unsaid.size);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return;
    memmove(w->unsaid.data, w->unsaid.data + size, w->unsaid.size - (size_t)size + 1);
    w->unsaid.size -= (size_t)size;
}
