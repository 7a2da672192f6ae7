/* SPDX-License-Identifier: MIT */
/* already_stored.h - finds out which parts of a file the service has already, whoever sent them and
 * whatever was added after them. */
#ifndef SINKS_WANDB_UPLOAD_ALREADY_STORED_H
#define SINKS_WANDB_UPLOAD_ALREADY_STORED_H

#include "sinks/wandb/upload/ask/api.h"
#include "sinks/wandb/upload/saved_upload.h"

/* Counts of a file, from its first record on. */
struct swi_missing_records {
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
int swi_missing_records_scan(struct swi_missing_records *held, const char *log_path,
                             const struct swi_status *status, struct sw_error *err);

/* Finds how much the service has. keep: of this run, or NULL. If other rows follow those of the
 * file, asks the service which it has. Returns SW_EIO if it does not answer that. */
int swi_missing_records_count(struct swi_missing_records *held, const char *log_path,
                              const struct swi_saved_upload *keep, const struct swi_status *status,
                              struct swi_link *link, const struct swi_model *model,
                              struct sw_error *err);

#endif
