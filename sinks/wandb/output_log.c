/* SPDX-License-Identifier: MIT */
/* output_log.c - lines of output of the run: on the service's page, and in files/output.log. */
#include "sinks/wandb/wandb_sink.h"
#include "core/text/address_user.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Writes what the disk has room for, and keeps the rest for the next time. Returns whether it wrote
 * all; errno says why not. */
static bool append(const char *path, struct swi_text *text)
{
    SWI_CLOSED int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return false;
    size_t done = swi_fd_write(fd, text->data, text->size);
    memmove(text->data, text->data + done, text->size - done + 1);
    text->size -= done;
    return text->size == 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

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
    append(path, &w->unsaid);
}

/* How many bytes may wait for a disk that is full. The run's file has them, too. */
enum { WAITING_MAX = 4 << 20 };

void swi_wandb_output(struct wandb *w, const char *lines, bool error, double wall_s)
{
    swi_records_output(&w->records, lines, error, wall_s);
    if (w->output.size < WAITING_MAX)
        swi_text_put(&w->output, lines);
    if (!w->output_begun)
        swi_records_file(&w->records, "output.log", SWI_FILE_OF_RUN);
    w->output_begun = true;
}

void swi_wandb_line(struct wandb *w, const struct sw_record *record)
{
    SWI_FREED struct swi_text line = {0};
    swi_text_put(&line, record->line->text);
    swi_text_put(&line, "\n");
    if (line.failed)
        sw_sink_lost(w->sink, 1);
    else
        swi_wandb_output(w, line.data, record->line->level >= SW_ERROR, record->wall_s);
}

void swi_wandb_output_flush(struct wandb *w)
{
    char path[PATH_MAX + 32];
    if (!w->output.size)
        return;
    snprintf(path, sizeof path, "%s/files/output.log", w->folder);
    bool written = append(path, &w->output);
    if (!written && !w->output_failing)
        swi_wandb_say(w, 1, "%s: cannot be written: %s", path, strerror(errno));
    w->output_failing = !written;
}
