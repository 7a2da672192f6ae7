/* SPDX-License-Identifier: MIT */
/* follow.h - reads a run log that grows: torn at its end, replaced by a new run of the same name,
 * cut, removed. Whatever is in it, a turn ends soon and holds little. */
#ifndef TOOLS_WATCH_FOLLOW_H
#define TOOLS_WATCH_FOLLOW_H

#include "sinks/common/runlog/log_bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the last epoch of a log ----------------------------------------------------------------- */

struct log_tail {
    off_t jump;   /* what is between the log's begin and this place is not needed; 0: it is */
    int64_t from; /* offset of the line that begins the last epoch, as struct follow counts it */
};

/* Finds the line that begins the last epoch. In a log of many MiB, looks only at its end, and jumps
 * to the last line "index" before the epoch; an epoch that began before the first such line of the
 * end is read from that line on. All is 0 if there is no epoch, or no file. */
struct log_tail tail_find(const char *path);

/* Returns whether a line before the last epoch is left out: steps, metrics and regions. The lines
 * about the run, its epochs and its alerts are not. */
bool tail_leaves_out(const char *line, size_t size);

/* ---- following a log ------------------------------------------------------------------------- */

/* What is read in a turn, and the longest line. */
enum { FOLLOW_MOST = 1 << 20 };

/* What happened to the file. */
enum follow_event {
    FOLLOW_DAMAGED, /* a line was too long, or a part of a compressed log is damaged */
    FOLLOW_NEW_RUN, /* another file has the name: it is read from its start on */
    FOLLOW_SHORTER  /* it was cut: it is read from its start again */
};

struct follow {
    char *path;
    struct swi_log_bytes bytes; /* its fd is -1 while the file is not there yet */
    dev_t device;
    ino_t inode;
    off_t jump;      /* where to go on in the file after the first turn; 0: where that ended */
    int64_t offset;  /* of what was read, in the text of the log; after a jump, from there on */
    int64_t line_at; /* offset of the line that is handed over */
    char *rest;      /* of a line whose end is not there yet */
    size_t rest_size, room;
    bool skip;           /* the line is too long: its end is left out, too */
    int64_t compared_ns; /* when the name was last compared with the file */
    /* Without the newline: a NUL is in its place. */
    void (*line)(void *arg, char *line, size_t size);
    void (*event)(void *arg, enum follow_event event);
    void *arg;
};

/* line, event, arg: to be set afterwards. Returns false if out of memory. */
bool follow_init(struct follow *follow, const char *path);
void follow_fini(struct follow *follow);

/* Hands over what is new, at most FOLLOW_MOST bytes. Returns how many bytes that were. */
size_t follow_turn(struct follow *follow);

#endif
