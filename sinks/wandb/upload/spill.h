/* SPDX-License-Identifier: MIT */
/* spill.h - records of a run whose file cannot be written, on their way from the sink to the
 * upload. They have their numbers: what is in the file as well is taken once. */
#ifndef SINKS_WANDB_UPLOAD_SPILL_H
#define SINKS_WANDB_UPLOAD_SPILL_H

#include "sinks/wandb/file/wandb.pb-c.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What waits at most: as much as the sink itself keeps for its file. What comes once, like the end
 * of the run, has as much again. */
enum { SWI_SPILL_HELD = 4 << 20 };

struct swi_spilled;

struct swi_spill {
    pthread_mutex_t lock;
    struct swi_spilled *first, *last;
    size_t bytes;
};

void swi_spill_init(struct swi_spill *spill);
void swi_spill_fini(struct swi_spill *spill);

/* Copies a record; numbers increase. Returns false if it does not fit. */
bool swi_spill_put(struct swi_spill *spill, int64_t number, const void *record, size_t size);

/* The number of the first record after `after`; 0 if there is none. */
int64_t swi_spill_next(struct swi_spill *spill, int64_t after);

/* That record, which the caller frees; NULL if there is none or memory runs out. */
SwiWandb__Record *swi_spill_get(struct swi_spill *spill, int64_t after);

/* Those up to this number are not asked for again. */
void swi_spill_forget(struct swi_spill *spill, int64_t number);

#endif
