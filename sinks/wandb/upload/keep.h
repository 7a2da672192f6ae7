/* SPDX-License-Identifier: MIT */
/* keep.h - where a file's rows begin at the service: written down beside the file before the first
 * row is sent, so that whoever uploads it later stores each row where it is already. */
#ifndef SINKS_WANDB_UPLOAD_KEEP_H
#define SINKS_WANDB_UPLOAD_KEEP_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

struct swi_keep {
    int64_t history, events, output; /* first lines that are of this file */
    int64_t step;                    /* first step that is free for it */
    int64_t alerts;                  /* that were sent, from the first of the file on */
    double runtime_s;                /* of earlier processes of the run */
};

/* RUN.wandb.upload. False where there is none that can be read. */
bool swi_keep_load(struct swi_keep *keep, const char *log_path);
int swi_keep_save(const struct swi_keep *keep, const char *log_path, struct sw_error *err);

#endif
