/* SPDX-License-Identifier: MIT */
/* Ids are consecutive, so a span's place is usually its id modulo the room. */
#include "core/rows/open_spans.h"

#include <stdlib.h>

enum { FIRST = 64 };

static size_t place_of(const struct swi_open_spans *spans, int64_t id)
{
    return (size_t)id & (spans->room - 1);
}

static size_t next(const struct swi_open_spans *spans, size_t place)
{
    return (place + 1) & (spans->room - 1);
}

static void put(struct swi_open_spans *spans, const struct swi_open_span *span)
{
    size_t place = place_of(spans, span->id);
    while (spans->item[place].id)
        place = next(spans, place);
    spans->item[place] = *span;
}

static bool grow(struct swi_open_spans *spans)
{
    struct swi_open_spans grown = {.room = spans->room ? 2 * spans->room : FIRST,
                                   .count = spans->count};
    grown.item = calloc(grown.room, sizeof *grown.item);
    if (!grown.item)
        return false;
    for (size_t i = 0; i < spans->room; i++)
        if (spans->item[i].id)
            put(&grown, &spans->item[i]);
    free(spans->item);
    *spans = grown;
    return true;
}

bool swi_open_spans_put(struct swi_open_spans *spans, const struct swi_open_span *span)
{
    if (spans->count >= SWI_OPEN_SPANS_MAX)
        return false;
    if (2 * (spans->count + 1) > spans->room && !grow(spans))
        return false;
    put(spans, span);
    spans->count++;
    return true;
}

/* Moves up the spans after a freed place, unless that would bring one before its own place. */
static void close_up(struct swi_open_spans *spans, size_t freed)
{
    for (size_t place = next(spans, freed); spans->item[place].id; place = next(spans, place)) {
        size_t own = place_of(spans, spans->item[place].id);
        if (((place - own) & (spans->room - 1)) < ((place - freed) & (spans->room - 1)))
            continue;
        spans->item[freed] = spans->item[place];
        freed = place;
    }
    spans->item[freed].id = 0;
}

bool swi_open_spans_take(struct swi_open_spans *spans, int64_t id, struct swi_open_span *span)
{
    if (!spans->room || id <= 0)
        return false;
    size_t place = place_of(spans, id);
    while (spans->item[place].id != id) {
        if (!spans->item[place].id)
            return false;
        place = next(spans, place);
    }
    *span = spans->item[place];
    close_up(spans, place);
    spans->count--;
    return true;
}

void swi_open_spans_free(struct swi_open_spans *spans)
{
    free(spans->item);
    *spans = (struct swi_open_spans){0};
}
