/* SPDX-License-Identifier: MIT */
/* piece.h - times rare and long work of stepwatch on threads of the program: marks, records,
 * reports. All other work is sampled (sampling.h). */
#ifndef CORE_LOOP_PIECE_H
#define CORE_LOOP_PIECE_H

struct sw_profiler;
struct swi_thread;

struct swi_piece {
    const struct sw_profiler *sw;
    struct swi_thread *thread; /* NULL: the calling thread is not measured */
};

struct swi_piece swi_piece_begin(const struct sw_profiler *sw);
void swi_piece_end(struct swi_piece *piece);

/* From here to the end of the block is a piece. A piece within another one is part of it. */
#define SWI_PIECE(sw)                                                                              \
    __attribute__((cleanup(swi_piece_end), unused)) struct swi_piece swi_piece_ =                  \
        swi_piece_begin(sw)

#endif
