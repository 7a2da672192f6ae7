/* SPDX-License-Identifier: MIT */
/* journal.h - writes the journal of a run: lines from which everything can be uploaded later. What
 * the disk has no room for is kept in memory, up to a limit. */
#ifndef SINKS_MLFLOW_JOURNAL_H
#define SINKS_MLFLOW_JOURNAL_H

#include "core/files/identity.h"
#include "core/text/buffer.h"

#include <stepwatch/error.h>

enum { SWI_JOURNAL_KEPT = 4 << 20 };

struct swi_journal {
    int fd;
    struct swi_identity identity;
    char *path;              /* to open it again if the program has closed the descriptor */
    struct swi_text waiting; /* not written yet */
    size_t written;          /* bytes of waiting that are */
    int64_t dropped;         /* records that there was no room for */
    bool failing;            /* the last write failed */
};

/* Creates the file, which must not exist, and locks it as long as it is open. */
int swi_journal_create(struct swi_journal *journal, const char *path, struct sw_error *err);

/* Adds the lines of a record. They are written by the next flush, or at once if there are many. */
void swi_journal_add(struct swi_journal *journal, const struct swi_text *lines);

/* Writes what waits. Returns 0, or SW_EIO if not all was written: it is kept. */
int swi_journal_flush(struct swi_journal *journal, struct sw_error *err);

/* Drops what could not be written, and counts its lines among the dropped. */
void swi_journal_give_up(struct swi_journal *journal);

/* Closes it after a last flush. Returns what that does. Frees what was not written. */
int swi_journal_finish(struct swi_journal *journal, struct sw_error *err);

#endif
