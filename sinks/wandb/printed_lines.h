/* SPDX-License-Identifier: MIT */
/* printed_lines.h - what the program prints to a file, as lines of its run: read from the file
 * behind its standard output and error, or from the files that `stepwatch run` writes for it. */
#ifndef SINKS_WANDB_PRINTED_LINES_H
#define SINKS_WANDB_PRINTED_LINES_H

#include "sinks/wandb/console/followed_file.h"

struct wandb;

enum { SWI_STREAMS = 2 }; /* standard output and standard error */

struct swi_printed_lines {
    struct swi_followed_file stream[SWI_STREAMS];
    int64_t grown_ns[SWI_STREAMS];  /* when it was last read */
    int64_t opened_ns[SWI_STREAMS]; /* when its unfinished line began */
    int64_t begun_ns;
    int64_t taken; /* bytes so far */
    bool full_said;
    struct swi_text report; /* for the end, unless a sink prints the report */
    bool reported;          /* the program's output has a report */
};

/* Begins to follow what can be followed, once the run has its folder. */
void swi_wandb_printed_begin(struct wandb *w);
/* Adds new lines to the run. */
void swi_wandb_printed_look(struct wandb *w);
/* Adds the text of a report: at once, or at the end if the program's output is followed and does
 * not have it. */
void swi_wandb_printed_report(struct wandb *w, const char *text, double wall_s);
/* Adds everything that was printed up to now, and stops. */
void swi_wandb_printed_end(struct wandb *w);
void swi_wandb_printed_free(struct swi_printed_lines *output);

#endif
