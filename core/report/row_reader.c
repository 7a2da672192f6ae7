/* SPDX-License-Identifier: MIT */
#include "core/report/row_reader.h"

#include <stdlib.h>

bool swi_row_reader_init(struct swi_row_reader *view, struct swi_thread *thread)
{
    const struct swi_row *row = thread->rows;
    *view = (struct swi_row_reader){.thread = thread, .rows = row ? row->number + (size_t)1 : 0};
    view->row = calloc(view->rows + 1, sizeof(*view->row));
    for (; row && view->row; row = row->next)
        view->row[row->number] = row;
    return view->row;
}

void swi_row_reader_fini(struct swi_row_reader *view)
{
    free(view->row);
}

bool swi_row_reader_has(const struct swi_row_reader *view, size_t i)
{
    return swi_row_is_known(view->thread, view->row[i]) && !swi_row_is_empty(view->row[i]);
}

static bool room_make(struct swi_row_reader_row *row, size_t count)
{
    if (row->room >= count)
        return true;
    struct swi_octave_copy *room = realloc(row->durations, 2 * count * sizeof *room);
    if (!room)
        return false;
    row->durations = room;
    row->room = 2 * count;
    return true;
}

bool swi_row_reader_get(const struct swi_row_reader *view, size_t i, struct swi_row_reader_row *row)
{
    const struct swi_row *from = view->row[i];
    const struct swi_rates *rates = from->rates;
    row->duration_count = swi_histogram_copy(&from->histogram, NULL, 0);
    row->rate_count = rates ? swi_histogram_copy(&rates->histogram, NULL, 0) : 0;
    if (!room_make(row, row->duration_count + row->rate_count))
        return false;
    swi_row_copy(from, &row->copy);
    row->uses = swi_row_counter_use_copy(from, row->use, SWI_SLOTS);
    swi_histogram_copy(&from->histogram, row->durations, row->duration_count);
    row->rates = row->rate_count ? row->durations + row->duration_count : NULL;
    if (rates)
        swi_histogram_copy(&rates->histogram, row->durations + row->duration_count,
                           row->rate_count);
    return true;
}
