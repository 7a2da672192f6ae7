/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/output_log.h"

#include "sinks/wandb/notices.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
    struct swi_text line = {0};
    swi_text_put(&line, record->line->text);
    swi_text_put(&line, "\n");
    if (line.failed)
        sw_sink_lost(w->sink, 1);
    else
        swi_wandb_output(w, line.data, record->line->level >= SW_ERROR, record->wall_s);
    swi_text_free(&line);
}

/* Writes what there is room for, and keeps the rest. */
static bool append(struct swi_text *text, int fd)
{
    ssize_t written = 0;
    size_t done = 0;
    while (done < text->size && (written = write(fd, text->data + done, text->size - done)) > 0)
        done += (size_t)written;
    memmove(text->data, text->data + done, text->size - done + 1);
    text->size -= done;
    return text->size == 0;
}

void swi_wandb_output_flush(struct wandb *w)
{
    char path[PATH_MAX + 32];
    if (!w->output.size)
        return;
    snprintf(path, sizeof path, "%s/files/output.log", w->folder);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool written = fd >= 0 && append(&w->output, fd);
    if (!written && !w->output_failing)
        swi_wandb_say(w, 1, "%s: cannot be written: %s", path, strerror(errno));
    w->output_failing = !written;
    if (fd >= 0)
        close(fd);
}
