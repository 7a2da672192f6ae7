/* SPDX-License-Identifier: MIT */
/* outcome.h - the result of an upload, as text or JSON. */
#ifndef TOOLS_UPLOADS_OUTCOME_H
#define TOOLS_UPLOADS_OUTCOME_H

#include <stepwatch/wandb.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct outcome {
    const char *path; /* borrowed: where the run is */
    char id[136];
    char url[2048]; /* address of its page; "" after a dry run */
    enum sw_wandb_state state;
    int exit_code;
    int64_t rows, rows_sent; /* of a run of wandb; rows is -1 for one of MLflow */
    int64_t values_sent;     /* of a run of MLflow */
    int64_t files, files_failed;
    int64_t skipped;    /* what is damaged, or what the service refused */
    int64_t torn_bytes; /* of an incomplete record at the end of the file */
};

/* Prints a line about a run that did not fail. */
void outcome_print(const struct outcome *outcome, bool dry_run);

/* Returns the same as an object (docs/command.md), with the error if its code is not 0; NULL if out
 * of memory. */
json_t *outcome_json(const struct outcome *outcome, const struct sw_error *err);

#endif
