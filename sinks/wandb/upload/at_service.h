/* SPDX-License-Identifier: MIT */
/* at_service.h - what of a file the service has already, whoever sent it and whatever came behind
 * it. */
#ifndef SINKS_WANDB_UPLOAD_AT_SERVICE_H
#define SINKS_WANDB_UPLOAD_AT_SERVICE_H

#include "sinks/wandb/upload/ask/api.h"
#include "sinks/wandb/upload/keep.h"

/* Of a file; counts begin with its first record. */
struct swi_held {
    int64_t rows, events, lines, files; /* in the file */
    double first_s, last_s;             /* of its rows and statistics; NAN: it has none */
    bool row_found, event_found;        /* the service's last one is the file's */
    int64_t step;                       /* by the file, of that row */
    double runtime_s;                   /* too */
    int64_t row_at, event_at;           /* their places in the file, */
    int64_t row_number, event_number;   /* and the numbers of their records */
    int64_t rows_there, events_there, lines_there; /* that the service has: the first so many */
    int64_t number;                                /* all records up to this number are stored */
};

/* Reads the file: the first five lines of the struct. */
int swi_held_scan(struct swi_held *held, const char *log_path, const struct swi_status *status,
                  struct sw_error *err);

/* Finds how many are there. keep: of this run, or NULL. Where other rows are behind those of the
 * file, the service is asked which it has: SW_EIO if it does not say. */
int swi_held_count(struct swi_held *held, const char *log_path, const struct swi_keep *keep,
                   const struct swi_status *status, struct swi_link *link,
                   const struct swi_model *model, struct sw_error *err);

#endif
