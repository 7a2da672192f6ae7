/* SPDX-License-Identifier: MIT */
/* journal.c - writes the journal of a run: lines from which everything can be uploaded later. What
 * the disk has no room for is kept in memory, up to a limit. */
#include "sinks/mlflow/mlflow_sink.h"
#include "core/text/io_code.h"
#include "core/text/opened.h"
#include "sinks/common/runlog/value_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { AT_ONCE = 65536 };

/* A file system without locks only lets others upload the run while it is being written. */
static void lock(const struct swi_journal *journal)
{
    flock(journal->fd, LOCK_EX | LOCK_NB);
}

int swi_journal_create(struct swi_journal *journal, const char *path, struct sw_error *err)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    *journal = (struct swi_journal){.fd = open(path, flags, 0644), .path = strdup(path)};
    if (journal->fd < 0 || !journal->path) {
        int rc = sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", path,
                              strerror(errno));
        free(journal->path);
        return rc;
    }
    journal->identity = swi_identity_of(journal->fd);
    lock(journal);
    return 0;
}

/* The lock ends when the program closes the descriptor. */
static bool has_file(struct swi_journal *journal)
{
    struct stat st;
    int before = journal->fd;
    bool kept = swi_identity_holds(&journal->identity, before, &st);
    if (!kept && !swi_identity_keep(&journal->identity, &journal->fd, journal->path,
                                    O_WRONLY | O_APPEND, &st))
        return false;
    if (!kept)
        lock(journal);
    return true;
}

/* Returns 0 or an errno. */
static int write_more(struct swi_journal *journal)
{
    struct swi_text *waiting = &journal->waiting;
    if (waiting->size && !has_file(journal))
        return errno;
    size_t left = waiting->size - journal->written;
    size_t size = left ? swi_fd_write(journal->fd, waiting->data + journal->written, left) : 0;
    journal->written += size;
    journal->size += (int64_t)size;
    return size < left ? errno : 0;
}

/* Drops what was written. */
static void written_drop(struct swi_journal *journal)
{
    struct swi_text *waiting = &journal->waiting;
    if (!journal->written)
        return;
    waiting->size -= journal->written;
    memmove(waiting->data, waiting->data + journal->written, waiting->size);
    journal->written = 0;
}

int swi_journal_flush(struct swi_journal *journal, struct sw_error *err)
{
    int failed = write_more(journal);
    written_drop(journal);
    journal->failing = failed != 0;
    return failed ? sw_error_set(err, swi_io_code(failed), "the journal cannot be written: %s",
                                 strerror(failed))
                  : 0;
}

void swi_journal_add(struct swi_journal *journal, const struct swi_text *lines)
{
    SW_ERROR_SCOPE(ignored);
    if (lines->failed || journal->waiting.size + lines->size > SWI_JOURNAL_KEPT) {
        journal->dropped++;
        return;
    }
    swi_text_add(&journal->waiting, lines->data ? lines->data : "", lines->size);
    if (journal->waiting.failed)
        journal->dropped++;
    journal->waiting.failed = false;
    /* A disk that is full is tried again with each flush, not with each record. */
    if (journal->waiting.size >= AT_ONCE && !journal->failing)
        swi_journal_flush(journal, &ignored);
}

void swi_journal_give_up(struct swi_journal *journal)
{
    struct swi_text *waiting = &journal->waiting;
    for (size_t i = 0; i < waiting->size; i++)
        journal->dropped += waiting->data[i] == '\n';
    waiting->size = 0;
}

/* The old one is locked until the new one is. */
void swi_journal_continue(struct swi_journal *journal, int fd, int64_t size)
{
    swi_identity_close(&journal->identity, journal->fd);
    journal->fd = fd;
    journal->identity = swi_identity_of(fd);
    journal->size = size;
}

int swi_journal_finish(struct swi_journal *journal, struct sw_error *err)
{
    int rc = swi_journal_flush(journal, err);
    swi_identity_close(&journal->identity, journal->fd);
    free(journal->path);
    swi_text_free(&journal->waiting);
    return rc;
}

/* ---- values of sw_summary() ---------------------------------------------------------------------
 *
 * MLflow shows the newest value of a metric, so a number of the summary has to be that. */

/* Without memory, the value is only not repeated. */
void swi_summary_line_add(struct swi_summary_lines *lines, struct swi_text *text,
                          const struct sw_summary_value *summary)
{
    swi_summary_line(text, summary);
    struct swi_summary_line *line = summary->text
                                        ? NULL
                                        : swi_map_item(&lines->names, &lines->item, sizeof *line,
                                                       summary->name, strlen(summary->name));
    if (line)
        *line = (struct swi_summary_line){.value = summary->value};
}

void swi_summary_lines_note(struct swi_summary_lines *lines, const struct sw_record *record)
{
    for (size_t i = 0; lines->names.count && i < record->metrics.count; i++) {
        const char *name = sw_record_metric(record, i)->name;
        ptrdiff_t number = swi_map_find(&lines->names, name, strlen(name));
        if (number >= 0)
            lines->item[number].hidden = true;
    }
}

void swi_summary_lines_end(struct swi_summary_lines *lines, struct swi_text *text)
{
    for (size_t i = 0; i < lines->names.count; i++)
        if (lines->item[i].hidden)
            swi_summary_line(text, &(struct sw_summary_value){.name = lines->names.name[i].text,
                                                              .value = lines->item[i].value});
}

void swi_summary_lines_free(struct swi_summary_lines *lines)
{
    swi_map_free(&lines->names);
    free(lines->item);
    *lines = (struct swi_summary_lines){0};
}
