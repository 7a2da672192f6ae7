/* SPDX-License-Identifier: MIT */
/* piece.h - times rare and long work of stepwatch on threads of the program: marks, records,
 * reports. All other work is sampled (core/loop/sampling.h). */
#ifndef CORE_ROWS_PIECE_H
#define CORE_ROWS_PIECE_H

#include "core/counters/counted_memory.h"
#include "core/rows/measured.h"

struct swi_piece {
    const struct swi_clock *clock;
    struct swi_thread *thread;     /* NULL: the calling thread is not measured */
    struct swi_memory_kept memory; /* what it allocates is nobody's */
};

void swi_piece_begin(struct swi_piece *piece, const struct swi_measured *measured);
void swi_piece_end(struct swi_piece *piece);

/* Times the rest of the block as a piece. A piece within another one is part of it. */
#define SWI_PIECE(measured)                                                                        \
    __attribute__((cleanup(swi_piece_end), unused)) struct swi_piece swi_piece_;                   \
    swi_piece_begin(&swi_piece_, measured)

/* Reads the clock for costs: the counter, or CLOCK_MONOTONIC. */
static inline int64_t swi_cost_now(const struct swi_clock *clock)
{
    return clock->counter ? swi_counter() : swi_monotonic_ns();
}

#endif
