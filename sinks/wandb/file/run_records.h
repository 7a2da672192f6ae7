/* SPDX-License-Identifier: MIT */
/* run_records.h - writes what a run is and has besides named values to its .wandb file, with one
 * function for each kind of record. */
#ifndef SINKS_WANDB_FILE_RUN_RECORDS_H
#define SINKS_WANDB_FILE_RUN_RECORDS_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/file/record_messages.h"
#include "sinks/wandb/run/machine.h"
#include "sinks/wandb/values/artifact.h"
#include "sinks/wandb/values/fields.h"

#include <stepwatch/values.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- named values ---------------------------------------------------------------------------- */

/* The log and the number of the last record. */
struct swi_records {
    struct swi_wandb_log log;
    int64_t number;
    int64_t lost;  /* for lack of room or memory */
    int64_t aside; /* not in the file, but accepted by `beyond` */
    /* Called if the log has no room for a record. Returns whether it is kept elsewhere. May be
     * NULL. */
    bool (*beyond)(void *arg, int64_t number, const void *record, size_t size);
    void *arg;
    struct swi_text packed; /* the last record */
};

/* Adds a record with the next number. */
void swi_records_add(struct swi_records *records, struct swi_record_message *record,
                     enum swi_record_what what);

void swi_records_config(struct swi_records *records, const struct swi_fields *row);
/* Adds one value at a path of keys, which is terminated by NULL. */
void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json);
void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step);
/* Adds a row that is not complete, and what it makes of the summary. The next record replaces both.
 */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row,
                       const struct swi_fields *summary, int64_t step);
/* Adds values that are also in the rows, or that are written again later. Returns false if there is
 * no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row);
/* Takes a value out of the summary. */
void swi_records_summary_remove(struct swi_records *records, const char *key);
void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s);

void swi_records_free(struct swi_records *records);

/* ---- the run --------------------------------------------------------------------------------- */

void swi_records_header(struct swi_records *records, const char *producer);
/* run: its texts, which may be NULL, and its tags, which NULL ends; the rest is filled in.
 * producer: the program that writes the run, and its version; may be NULL, as git. */
void swi_records_run(struct swi_records *records, struct swi_run_message run, const char *producer,
                     double started_s, const struct swi_git *git);
/* json: receives the same as the content of wandb-metadata.json. */
void swi_records_environment(struct swi_records *records,
                             const struct swi_wandb_environment *environment,
                             struct swi_text *json);

/* Adds a rule for a metric, or for those of a glob. It replaces what an earlier record says of the
 * same name if its control says so. */
void swi_records_metric(struct swi_records *records, const struct swi_metric_message *message);

/* Adds console lines, each ended by a newline. error: of standard error. */
void swi_records_output(struct swi_records *records, const char *lines, bool error, double wall_s);

/* Adds a file below files/ for the upload: of a value in a row, of the program, or of the run
 * itself, which may change until the end. */
enum swi_records_file { SWI_FILE_OF_VALUE, SWI_FILE_OF_PROGRAM, SWI_FILE_OF_RUN };
void swi_records_file(struct swi_records *records, const char *path, enum swi_records_file kind);

void swi_records_artifact(struct swi_records *records, const struct swi_wandb_artifact *artifact);

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s);

#endif
