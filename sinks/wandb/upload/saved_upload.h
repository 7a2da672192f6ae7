/* SPDX-License-Identifier: MIT */
/* saved_upload.h - the saved state of an upload: where a file's rows begin at the service and how
 * many are stored. It is saved beside the file before the first row is sent and with each post, so
 * that a later upload stores each row once, even if another process has continued the run
 * meanwhile. */
#ifndef SINKS_WANDB_UPLOAD_SAVED_UPLOAD_H
#define SINKS_WANDB_UPLOAD_SAVED_UPLOAD_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

struct swi_saved_upload {
    char run[512];                   /* ENTITY/PROJECT/ID; "" if an older release wrote it */
    int64_t history, events, output; /* lines at the service before this file's first line */
    int64_t step;                    /* first step that was free for this file */
    int64_t rest;                    /* lines that no record has: printed before the program died */
    int64_t alerts;                  /* how many were sent, from the first of the file on */
    bool fixed;                      /* the shift is known */
    int64_t shift;                   /* added to the file's own steps */
    double runtime_s;                /* of earlier processes of the run */

    /* Numbers of records. Records up to `placed` existed before `step` was chosen. Records up to
     * `sent` are stored. Records after that up to `tried` were being sent. */
    int64_t placed, sent, tried;
};

/* Reads RUN.wandb.upload. Returns false if it does not exist or cannot be read. */
bool swi_saved_upload_load(struct swi_saved_upload *keep, const char *log_path);

/* Writes it. lasting: waits until it is on the disk. */
int swi_saved_upload_save(const struct swi_saved_upload *keep, const char *log_path, bool lasting,
                          struct sw_error *err);

#endif
