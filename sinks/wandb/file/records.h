/* SPDX-License-Identifier: MIT */
/* records.h - what a .wandb file holds, one function for each kind of record. */
#ifndef SINKS_WANDB_FILE_RECORDS_H
#define SINKS_WANDB_FILE_RECORDS_H

#include "sinks/wandb/values/artifact.h"
#include "sinks/wandb/run/machine.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/values/fields.h"

/* Numbers records as they are added to the log. */
struct swi_records {
    struct swi_wandb_log log;
    int64_t number;
    int64_t lost;  /* for want of room or memory */
    int64_t aside; /* not in the file, but taken by: */
    /* Where the log has no room for a record: whether it is kept elsewhere. May be NULL. */
    bool (*beyond)(void *arg, int64_t number, const void *record, size_t size);
    void *arg;
    unsigned char *packed;
    size_t capacity;
};

/* Texts may be NULL: not said. */
struct swi_wandb_run {
    const char *id, *entity, *project, *group, *job_type, *name, *notes, *host;
    const char *sweep;       /* its id */
    const char *producer;    /* what writes the run, and its version */
    const char *const *tags; /* ends with NULL; may be NULL */
    double started_s;
    const struct swi_wandb_git *git; /* may be NULL */
};

void swi_records_header(struct swi_records *records, const char *producer);
void swi_records_run(struct swi_records *records, const struct swi_wandb_run *run);
void swi_records_environment(struct swi_records *records,
                             const struct swi_wandb_environment *environment);

/* That `name` is a metric; with step_metric, that the names of a glob are drawn over that. */
void swi_records_metric(struct swi_records *records, const char *name);
void swi_records_metric_glob(struct swi_records *records, const char *glob,
                             const char *step_metric);

void swi_records_config(struct swi_records *records, const struct swi_fields *row);
/* One value, at a path of keys that ends with NULL. */
void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json);
void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step);
/* A row that is not over, and its values once more as the summary's: the next record replaces both.
 */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row, int64_t step);
/* Adds values that the rows have, or that are written again later. False if there is no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row);
void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s);

/* Console lines, each ended by a newline. */
void swi_records_output(struct swi_records *records, const char *lines, double wall_s);

/* A file below files/, to be uploaded; media is a table. */
void swi_records_file(struct swi_records *records, const char *path, bool media);

void swi_records_artifact(struct swi_records *records, const struct swi_wandb_artifact *artifact);

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s);

void swi_records_free(struct swi_records *records);

#endif
