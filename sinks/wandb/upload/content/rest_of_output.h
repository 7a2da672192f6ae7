/* SPDX-License-Identifier: MIT */
/* rest_of_output.h - what a program printed that died before its sink had read it: it is in the
 * file behind its standard output, and RUN.wandb.console says from where on. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_REST_OF_OUTPUT_H
#define SINKS_WANDB_UPLOAD_CONTENT_REST_OF_OUTPUT_H

#include "core/text/buffer.h"

#include <stdint.h>

struct swi_rest_of_output {
    struct swi_text lines[2]; /* of standard output and standard error */
    int64_t count;            /* of lines */
    int exit_status;          /* -1: unknown */
    double printed_s;         /* when its file was last written */
};

/* Reads the rest, at most its last 4 MiB. record: number of the last record in the run's file. A
 * file that is no longer the one that the program wrote counts as missing. */
void swi_rest_of_output_load(struct swi_rest_of_output *rest, const char *log_path, int64_t record);

void swi_rest_of_output_free(struct swi_rest_of_output *rest);

/* Calls take for pieces of the lines, each of whole lines. take returns 0 or a code that ends it,
 * which is returned. */
int swi_rest_of_output_each(struct swi_rest_of_output *rest,
                            int (*take)(void *arg, const char *lines, bool error), void *arg);

#endif
