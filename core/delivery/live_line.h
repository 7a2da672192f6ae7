/* SPDX-License-Identifier: MIT */
/* live_line.h - the line that a sink shows on a terminal, and other output to the same terminal. */
#ifndef CORE_DELIVERY_LIVE_LINE_H
#define CORE_DELIVERY_LIVE_LINE_H

#include "core/text/buffer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* For how long the line is not drawn again after the program has printed. */
#define SWI_LIVE_REST_NS INT64_C(250000000)

struct swi_live_line {
    pthread_mutex_t lock; /* held while other output is printed */
    int fd;
    bool shown;           /* must be wiped before other output */
    struct swi_text wipe; /* the text that wipes it */
    bool unended;         /* the program's last line is not complete */
    int64_t printed_ns;   /* time of the program's last output; 0 if there was none */
    atomic_bool used;     /* sw_print() was called */
};

void swi_live_line_init(struct swi_live_line *line);
void swi_live_line_fini(struct swi_live_line *line);

/* Returns what sw_sink_live() returns: 1, 0 or SW_EIO. */
int swi_live_line_show(struct swi_live_line *line, int fd, const char *wipe, const char *text);

/* Call these before and after output to stderr. The line is not shown in between. */
void swi_live_line_aside(struct swi_live_line *line);
void swi_live_line_again(struct swi_live_line *line);

/* Prints a text of the program to standard output. Returns false if it fails. */
bool swi_live_line_print(struct swi_live_line *line, const char *text, size_t size);

/* Call it in the child of a fork. The line belongs to the parent. */
void swi_live_line_child(struct swi_live_line *line);

#endif
