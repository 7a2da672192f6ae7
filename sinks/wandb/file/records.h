/* SPDX-License-Identifier: MIT */
/* records.h - writes the named values of a run to its .wandb file: rows, the summary, the
 * configuration. */
#ifndef SINKS_WANDB_FILE_RECORDS_H
#define SINKS_WANDB_FILE_RECORDS_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/file/record_messages.h"
#include "sinks/wandb/values/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct swi_timestamp_message swi_wandb_timestamp(double wall_s);
size_t swi_wandb_texts_count(const char *const *texts);

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

#endif
