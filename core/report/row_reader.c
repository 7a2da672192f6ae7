/* SPDX-License-Identifier: MIT */
#include "core/report/row_reader.h"
#include "core/trace/trace.h"

#include <stdlib.h>

/* Up to this many rows are always copied at once. */
enum { FEW = 64 };

static uint64_t moment_of(const struct swi_row *row)
{
    return atomic_load_explicit(&row->moment, memory_order_acquire);
}

/* ---- which rows there are -------------------------------------------------------------------- */

static bool rows_list(struct swi_row_reader *view)
{
    const struct swi_row *row = atomic_load_explicit(&view->thread->rows, memory_order_acquire);
    view->rows = row ? row->number + (size_t)1 : 0;
    view->row = calloc(view->rows + 1, sizeof(*view->row));
    for (; row && view->row; row = row->next)
        view->row[row->number] = row;
    return view->row;
}

static bool places_make(struct swi_row_reader *view)
{
    view->place = calloc(view->rows + 1, sizeof(*view->place));
    return view->place;
}

/* Nothing is known of rows that were added after the list was made. */
static bool copies_list(struct swi_row_reader *view)
{
    if (!places_make(view))
        return false;
    for (size_t i = 0; i < view->snapshot.rows; i++) {
        const struct swi_snapshot_row *copy = &view->snapshot.row[i];
        if (copy->row->number < view->rows)
            view->place[copy->row->number] = copy;
    }
    return true;
}

/* ---- what was kept --------------------------------------------------------------------------- */

static bool is_meant(const struct swi_row_reader *view, const struct swi_kept *kept)
{
    return kept->thread == view->thread && kept->changed >= view->since &&
           kept->changed < view->number && view->number <= kept->until;
}

static bool kept_list(struct swi_row_reader *view)
{
    const struct swi_past *past = view->thread->past;
    uint64_t newest = atomic_load_explicit(&past->newest, memory_order_acquire);
    if (!places_make(view))
        return false;
    for (uint64_t number = newest; number >= view->number; number--)
        for (const struct swi_kept *kept = swi_past_since(past, number); kept; kept = kept->next)
            if (is_meant(view, kept) && kept->row->number < view->rows)
                view->place[kept->row->number] = kept;
    return true;
}

/* Finds a copy of the row that was kept since. */
static const struct swi_kept *kept_find(const struct swi_row_reader *view,
                                        const struct swi_row *row)
{
    const struct swi_past *past = view->thread->past;
    uint64_t newest = atomic_load_explicit(&past->newest, memory_order_acquire);
    for (uint64_t number = newest; number >= view->number; number--)
        for (const struct swi_kept *kept = swi_past_since(past, number); kept; kept = kept->next)
            if (kept->row == row && is_meant(view, kept))
                return kept;
    return NULL;
}

/* ---- the beginning --------------------------------------------------------------------------- */

static bool snapshot_take(struct swi_row_reader *view, bool with_rows)
{
    enum swi_snapshot_rc rc = swi_snapshot_take(&view->snapshot, view->thread, with_rows);
    view->torn = rc == SWI_SNAPSHOT_TORN;
    view->traced = view->snapshot.traced;
    if (view->number == SWI_NOW)
        view->since = view->snapshot.since;
    return rc != SWI_SNAPSHOT_NO_MEMORY;
}

static void later_forget(struct swi_row_reader *view)
{
    view->snapshot.ended_count = 0;
    view->traced = SWI_GET(view->thread->trace_seen);
}

/* A thread that has not looked since the moment is unchanged until it looks. */
static bool moment_init(struct swi_row_reader *view)
{
    view->traced = swi_trace_published(atomic_load(&view->thread->trace));
    uint64_t looked = atomic_load_explicit(&view->thread->moment, memory_order_acquire);
    view->from = SWI_VIEW_KEPT;
    if (looked < view->since)
        return true; /* it has nothing of this fit */
    if (looked < view->number && !snapshot_take(view, false))
        return false;
    if (looked < view->number && view->snapshot.moment < view->number)
        view->from = SWI_VIEW_LIVE;
    else
        later_forget(view);
    return rows_list(view) && (view->from == SWI_VIEW_LIVE || kept_list(view));
}

bool swi_row_reader_init(struct swi_row_reader *view, struct swi_thread *thread,
                         const struct swi_moment *moment, bool large)
{
    *view =
        (struct swi_row_reader){.thread = thread, .number = moment->number, .since = moment->since};
    if (moment->number != SWI_NOW)
        return moment_init(view);
    const struct swi_row *row = atomic_load_explicit(&thread->rows, memory_order_acquire);
    bool live = large && row && row->number >= FEW;
    view->from = live ? SWI_VIEW_LIVE : SWI_VIEW_COPY;
    return snapshot_take(view, !live) && rows_list(view) && (live || copies_list(view));
}

void swi_row_reader_fini(struct swi_row_reader *view)
{
    swi_snapshot_fini(&view->snapshot);
    free(view->row);
    free(view->place);
}

/* ---- row by row ------------------------------------------------------------------------------ */

static bool is_live(const struct swi_row_reader *view, const struct swi_row *row)
{
    uint64_t moment = moment_of(row);
    return moment >= view->since && moment < view->number;
}

static bool copy_has(const struct swi_snapshot_row *copy)
{
    return copy && (copy->copy.count || copy->copy.rate_count);
}

/* A row that changes meanwhile is kept first. */
static bool live_has(const struct swi_row_reader *view, const struct swi_row *row)
{
    bool live = is_live(view, row);
    if (live && !swi_row_is_empty(row))
        return true;
    SWI_FENCE(memory_order_acquire);
    if (view->from != SWI_VIEW_KEPT || (live && is_live(view, row)))
        return false;
    return kept_find(view, row);
}

bool swi_row_reader_has(const struct swi_row_reader *view, size_t i)
{
    size_t ended;
    const void *place = view->place ? view->place[i] : NULL;
    swi_row_reader_ended(view, i, &ended);
    if (ended)
        return true;
    if (view->from == SWI_VIEW_COPY)
        return copy_has(place);
    return place || live_has(view, view->row[i]);
}

static bool room_make(struct swi_row_reader_row *row, size_t count)
{
    if (row->rooms >= count)
        return true;
    struct swi_octave_copy *room = realloc(row->room, 2 * count * sizeof *room);
    if (!room)
        return false;
    row->room = room;
    row->rooms = 2 * count;
    return true;
}

static size_t octaves_of(const struct swi_histogram *histogram)
{
    return swi_histogram_copy(histogram, NULL, 0);
}

/* Octaves may be added during the copy. They belong to later values. */
static bool live_get(const struct swi_row *from, struct swi_row_reader_row *row)
{
    const struct swi_rates *rates = atomic_load_explicit(&from->rates, memory_order_acquire);
    size_t durations = octaves_of(&from->histogram),
           more = rates ? octaves_of(&rates->histogram) : 0;
    if (!room_make(row, durations + more))
        return false;
    swi_row_copy(from, &row->copy);
    row->use = row->own;
    row->uses = swi_row_counter_use_copy(from, row->own, SWI_SLOTS);
    swi_histogram_copy(&from->histogram, row->room, durations);
    if (more)
        swi_histogram_copy(&rates->histogram, row->room + durations, more);
    row->durations = row->room;
    row->duration_count = durations;
    row->rates = more ? row->room + durations : NULL;
    row->rate_count = more;
    SWI_FENCE(memory_order_acquire);
    return true;
}

static void kept_get(const struct swi_kept *kept, struct swi_row_reader_row *row)
{
    swi_kept_copy(kept, &row->copy);
    row->durations = kept->octave;
    row->duration_count = kept->durations;
    row->rates = kept->octave + kept->durations;
    row->rate_count = kept->rates;
    row->use = kept->use;
    row->uses = kept->uses;
}

static void copy_get(const struct swi_row_reader *view, const struct swi_snapshot_row *copy,
                     struct swi_row_reader_row *row)
{
    row->copy = copy->copy;
    row->durations = view->snapshot.octave + copy->octaves_at;
    row->duration_count = copy->durations;
    row->rates = row->durations + copy->durations;
    row->rate_count = copy->rates;
    row->use = view->snapshot.use + copy->uses_at;
    row->uses = copy->uses;
}

static void nothing_get(struct swi_row_reader_row *row)
{
    row->copy = (struct swi_row_copy){0};
    row->duration_count = row->rate_count = row->uses = 0;
}

/* Gets the row as it was at the moment: from the row if it is still unchanged after it was read,
 * otherwise from its kept copy. */
static bool moment_get(const struct swi_row_reader *view, const struct swi_row *from,
                       const struct swi_kept *kept, struct swi_row_reader_row *row)
{
    if (!kept && moment_of(from) < view->since) {
        nothing_get(row);
        return true;
    }
    if (!kept && is_live(view, from)) {
        bool fine = live_get(from, row);
        if (!fine || is_live(view, from))
            return fine;
    }
    kept = kept ? kept : kept_find(view, from);
    if (kept)
        kept_get(kept, row);
    else
        nothing_get(row);
    return true;
}

bool swi_row_reader_get(const struct swi_row_reader *view, size_t i, struct swi_row_reader_row *row)
{
    const void *place = view->place ? view->place[i] : NULL;
    if (view->from == SWI_VIEW_KEPT)
        return moment_get(view, view->row[i], place, row);
    if (view->from == SWI_VIEW_LIVE && is_live(view, view->row[i]))
        return live_get(view->row[i], row);
    if (place)
        copy_get(view, place, row);
    else
        nothing_get(row);
    return true;
}

/* The list is sorted by the numbers of the rows. */
const struct swi_snapshot_ended *swi_row_reader_ended(const struct swi_row_reader *view, size_t i,
                                                      size_t *count)
{
    const struct swi_snapshot_ended *ended = view->snapshot.ended;
    size_t low = 0, high = view->snapshot.ended_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ended[middle].row->number < i)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < view->snapshot.ended_count;)
        if (ended[low + *count].row->number == i)
            ++*count;
        else
            break;
    return *count ? ended + low : NULL;
}

bool swi_row_reader_holds(const struct swi_row_reader *view)
{
    if (view->from != SWI_VIEW_LIVE || view->torn || !view->row)
        return true;
    SWI_FENCE(memory_order_acquire);
    return SWI_GET(view->thread->sequence) == view->snapshot.sequence;
}
