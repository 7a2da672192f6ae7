/* SPDX-License-Identifier: MIT */
#include "core/loop/region_fast.h"

void swi_frame_refill(struct swi_thread *thread, struct swi_row *row, int64_t start)
{
    bool traced = thread->traced != NULL; /* then `fast` has no entries */
    struct swi_frame *frame = thread->frame;
    frame->row = row;
    frame->fast = swi_fast_entry(traced ? thread->traced : thread->fast, row->action);
    frame->action = row->action;
    frame->plain = traced ? swi_plain_traced(row->action) : row->action;
    frame->inside = 0;
    frame->start = start;
    *frame->fast = NULL;
}
