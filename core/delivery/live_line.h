/* SPDX-License-Identifier: MIT */
/* live_line.h - the line that a sink shows on a terminal, and whoever else prints there. */
#ifndef CORE_DELIVERY_LIVE_LINE_H
#define CORE_DELIVERY_LIVE_LINE_H

#include "core/text/buffer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How long the line is not drawn again after the program has printed. */
#define SWI_LIVE_REST_NS INT64_C(250000000)

struct swi_live_line {
    pthread_mutex_t lock; /* held while anything is printed beside the line */
    int fd;
    bool shown;           /* and has to be wiped before anything is printed */
    struct swi_text wipe; /* what does that */
    bool unended;         /* the program's last line has no end yet */
    int64_t printed_ns;   /* when the program printed last; 0: never */
    atomic_bool used;     /* by sw_print() */
};

void swi_live_line_init(struct swi_live_line *line);
void swi_live_line_fini(struct swi_live_line *line);

/* As sw_sink_live() has it: 1, 0 or SW_EIO. */
int swi_live_line_show(struct swi_live_line *line, int fd, const char *wipe, const char *text);

/* Around whatever is printed to stderr: the line is not there meanwhile. */
void swi_live_line_aside(struct swi_live_line *line);
void swi_live_line_again(struct swi_live_line *line);

/* Prints a text of the program's to standard output. Returns false where that failed. */
bool swi_live_line_print(struct swi_live_line *line, const char *text, size_t size);

/* In the child of a fork: the lock is free, and the line is the parent's. */
void swi_live_line_child(struct swi_live_line *line);

#endif
