/* SPDX-License-Identifier: MIT */
/* spill.h - records that the sink passes to the upload because the file cannot be written. They are
 * numbered, so that a record that is in the file too is sent once. */
#ifndef SINKS_WANDB_UPLOAD_SPILL_H
#define SINKS_WANDB_UPLOAD_SPILL_H

#include "sinks/wandb/file/record_messages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that may wait: as much as the sink keeps for its file. Records that occur once,
 * like the end of the run, may take as much again. */
enum { SWI_SPILL_HELD = 4 << 20 };

struct swi_spilled;

struct swi_spill {
    pthread_mutex_t lock;
    struct swi_spilled *first, *last;
    size_t bytes;
};

void swi_spill_init(struct swi_spill *spill);
void swi_spill_fini(struct swi_spill *spill);

/* Copies a record. Numbers must increase. Returns false if it does not fit. */
bool swi_spill_put(struct swi_spill *spill, int64_t number, const void *record, size_t size);

/* Returns the number of the first record after `after`, or 0. */
int64_t swi_spill_next(struct swi_spill *spill, int64_t after);

/* Returns that record, which the caller frees; NULL if there is none or memory runs out. */
struct swi_record_message *swi_spill_get(struct swi_spill *spill, int64_t after);

/* Drops the records up to this number. */
void swi_spill_forget(struct swi_spill *spill, int64_t number);

#endif
