/* SPDX-License-Identifier: MIT */
/* keep.h - where a file's rows begin at the service and how many are there, written down beside the
 * file before the first row is sent and with each post, so that whoever uploads it later stores
 * each row once, also where another process of the run has gone on meanwhile. */
#ifndef SINKS_WANDB_UPLOAD_KEEP_H
#define SINKS_WANDB_UPLOAD_KEEP_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

struct swi_keep {
    char run[512];                   /* ENTITY/PROJECT/ID; "": an older release wrote it */
    int64_t history, events, output; /* lines of the service that come before this file's first */
    int64_t step;                    /* first step that was free for it */
    int64_t alerts;                  /* that were sent, from the first of the file on */
    bool fixed;                      /* the shift is known: */
    int64_t shift;                   /* added to the file's own steps */
    double runtime_s;                /* of earlier processes of the run */

    /* Numbers of records: all up to `placed` were there before `step` was looked for, all up to
     * `sent` are stored, and of what lies behind, up to `tried` was on its way. */
    int64_t placed, sent, tried;
};

/* Reads RUN.wandb.upload. False if it does not exist or cannot be read. */
bool swi_keep_load(struct swi_keep *keep, const char *log_path);

/* lasting: waits for the disk. */
int swi_keep_save(const struct swi_keep *keep, const char *log_path, bool lasting,
                  struct sw_error *err);

#endif
