/* SPDX-License-Identifier: MIT */
#include "core/rows/piece.h"
#include "core/rows/current.h"

void swi_piece_begin(struct swi_piece *piece, const struct swi_measured *measured)
{
    bool known = swi_current.serial && swi_current.serial == atomic_load(&measured->serial);
    piece->clock = &measured->clock;
    piece->thread = known ? swi_current.thread : NULL;
    piece->memory.here = NULL;
    if (piece->thread && piece->thread->apart)
        swi_memory_keep(&piece->memory);
    if (piece->thread)
        swi_cost_piece_begin(&piece->thread->cost, swi_cost_now(piece->clock));
}

void swi_piece_end(struct swi_piece *piece)
{
    if (piece->thread)
        swi_cost_piece_end(&piece->thread->cost, swi_cost_now(piece->clock));
    swi_memory_take_back(&piece->memory);
}
