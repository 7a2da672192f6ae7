/* SPDX-License-Identifier: MIT */
/* already_stored.h - finds out which parts of a file the service has already, whoever sent them and
 * whatever was added after them. */
#ifndef SINKS_WANDB_UPLOAD_ALREADY_STORED_H
#define SINKS_WANDB_UPLOAD_ALREADY_STORED_H

#include "sinks/wandb/upload/ask/api.h"

/* The saved state of an upload: where a file's rows begin at the service and how many are stored.
 * It is saved beside the file before the first row is sent and with each post, so that a later
 * upload stores each row once, even if another process has continued the run meanwhile. */
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
bool swi_saved_upload_load(struct swi_saved_upload *saved, const char *log_path);

/* Writes it. lasting: waits until it is on the disk. */
int swi_saved_upload_save(const struct swi_saved_upload *saved, const char *log_path, bool lasting,
                          struct sw_error *err);

/* Counts of a file, from its first record on. */
struct swi_file_counts {
    int64_t rows, events, lines, files; /* in the file */
    int64_t last;                       /* number of its last record */
    bool ended;                         /* it says how the run ended */
    double first_s, last_s;             /* of its rows and statistics; NAN if it has none */
    bool row_found, event_found;        /* the service's last one is in the file */
    int64_t step;                       /* of that row, according to the file */
    double runtime_s;                   /* of that row, according to the file */
    int64_t row_at, event_at;           /* their places in the file */
    int64_t row_number, event_number;   /* the numbers of their records */
    int64_t rows_there, events_there, lines_there; /* how many of the first ones the service has */
    int64_t number;                                /* all records up to this number are stored */
};

/* Reads the file and sets the first five lines of the struct. */
int swi_file_counts_read(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_status *status, struct sw_error *err);

/* Finds how much the service has. saved: of this run, or NULL. If other rows follow those of the
 * file, asks the service which it has. Returns SW_EIO if it does not answer that. */
int swi_file_counts_find(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_saved_upload *saved, const struct swi_status *status,
                         struct swi_link *link, const struct swi_model *model,
                         struct sw_error *err);

#endif
