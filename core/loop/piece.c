/* SPDX-License-Identifier: MIT */
#include "core/loop/piece.h"
#include "core/loop/sampling.h"

struct swi_piece swi_piece_begin(const struct sw_profiler *sw)
{
    bool known = swi_current.serial && swi_current.serial == atomic_load(&sw->serial);
    struct swi_piece piece = {sw, known ? swi_current.thread : NULL};
    if (piece.thread)
        swi_cost_piece_begin(&piece.thread->cost, swi_cost_now(sw));
    return piece;
}

void swi_piece_end(struct swi_piece *piece)
{
    if (piece->thread)
        swi_cost_piece_end(&piece->thread->cost, swi_cost_now(piece->sw));
}
