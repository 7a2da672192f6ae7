/* SPDX-License-Identifier: MIT */
#include "core/rows/piece.h"
#include "core/rows/current.h"

struct swi_piece swi_piece_begin(const struct swi_measured *measured)
{
    bool known = swi_current.serial && swi_current.serial == atomic_load(&measured->serial);
    struct swi_piece piece = {&measured->clock, known ? swi_current.thread : NULL, {0}};
    if (piece.thread && piece.thread->apart)
        swi_memory_keep(&piece.memory);
    if (piece.thread)
        swi_cost_piece_begin(&piece.thread->cost, swi_cost_now(piece.clock));
    return piece;
}

void swi_piece_end(struct swi_piece *piece)
{
    if (piece->thread)
        swi_cost_piece_end(&piece->thread->cost, swi_cost_now(piece->clock));
    swi_memory_take_back(&piece->memory);
}
