/* SPDX-License-Identifier: MIT */
/* run_reading.h - an upload reads its run: the records of the file, and those that the file had no
 * room for. */
#ifndef SINKS_WANDB_UPLOAD_RUN_READING_H
#define SINKS_WANDB_UPLOAD_RUN_READING_H

#include "sinks/wandb/upload/upload.h"

/* Gets the next record, valid until the next call. Returns 1, or 0 if there is none yet. */
int swi_upload_next(struct swi_upload *upload, const struct swi_record_message **record,
                    struct sw_error *err);

/* Reads the description of the run: up to its first row, or to the end of the file so far. */
int swi_upload_meet(struct swi_upload *upload, struct sw_error *err);

/* Fills the next post. Returns 1 if it is full, 0 if there are no more records. */
int swi_upload_fill(struct swi_upload *upload, struct sw_error *err);

/* Frees the record that swi_upload_next() returned last, if the file had no room for it. */
void swi_upload_spilled_free(struct swi_upload *upload);

#endif
