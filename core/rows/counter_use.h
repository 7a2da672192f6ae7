/* SPDX-License-Identifier: MIT */
/* counter_use.h - how much the regions of a thread use of its counters: the differences between the
 * values at their end and at their begin, by the same rules as durations. */
#ifndef CORE_ROWS_COUNTER_USE_H
#define CORE_ROWS_COUNTER_USE_H

#include "core/rows/counter_slots.h"

#include <stddef.h>

struct swi_row;
struct swi_thread;

/* Call these when the innermost region of a thread begins and ends, with the values read. The end
 * comes before the region leaves the stack. row: gets the use at once; if NULL, ended[index] gets
 * it. */
void swi_counter_use_begin(struct swi_counting *counting, int depth, int action);
void swi_counter_use_end(struct swi_counting *counting, int depth, struct swi_row *row,
                         uint32_t index);

/* Discards the innermost region. Regions that ended inside it still count. */
void swi_counter_use_drop(struct swi_counting *counting, int depth);

/* Inserts a region at a depth, and moves those above it up by one. It begins with the values at the
 * bottom of the stack, or with the current ones. */
void swi_counter_use_insert(struct swi_counting *counting, int depth, int top, bool from_bottom);

/* Marks the use of open regions as not known, because they are on another OS thread now. own: of
 * own counters, too. */
void swi_counter_use_lose(struct swi_counting *counting, int depth, bool own);

/* The same of one slot. */
void swi_counter_use_lose_slot(struct swi_counting *counting, int depth, int slot);

/* The value of an own counter is a multiple of this: call swi_counter_use_look(). */
#define SWI_MUCH (UINT64_C(1) << 62)

/* Notes for which open regions, rows and sums of a thread a slot has become too much for an
 * int64_t.
 */
void swi_counter_use_look(struct swi_thread *thread, int slot);

/* Makes the values that were read last those of the thread's first call, with nothing inside it. */
void swi_counter_use_first(struct swi_counting *counting);

/* What is counted between these calls belongs to no region. */
void swi_counter_use_pause(struct swi_counting *counting);
void swi_counter_use_resume(struct swi_counting *counting, int depth);

/* Returns how much a slot has gone up since the value in `last`, which becomes the current one.
 * SW_COUNTER_NONE if it cannot be read. */
int64_t swi_counter_use_increase(const struct swi_counting *counting, int slot, int64_t last[]);

/* What region i that ended has of a slot. False where it has nothing of it. */
bool swi_counter_use_of_ended(const struct swi_counting *counting, uint32_t i, int slot,
                              int64_t *total, int64_t *self);

/* Region i that ended: into its row, in whose sums it is not yet; to place `to`. more: it is the
 * sum of so many more regions. */
void swi_counter_use_fold(const struct swi_thread *thread, uint32_t i, int64_t more);
void swi_counter_use_shift(const struct swi_counting *counting, uint32_t to, uint32_t from);

/* Adds the use of a step to its row: that of its draws, from `from` on, and of the batch, which
 * ended last. */
void swi_counter_use_step(const struct swi_thread *thread, struct swi_row *row, uint32_t from,
                          uint32_t first, uint32_t count, int64_t more);

#endif
