/* SPDX-License-Identifier: MIT */
/* Ids of a process are consecutive, so the place of a span is usually its id modulo the room. */
#include "sinks/common/trace_formats/span_table.h"

#include <stdlib.h>

enum { FIRST = 16 };

static size_t place_of(const struct swi_span_table *table, size_t process, int64_t id)
{
    return ((size_t)id + process * 0x9e3779b9u) & (table->room - 1);
}

static size_t next(const struct swi_span_table *table, size_t place)
{
    return (place + 1) & (table->room - 1);
}

static void put(struct swi_span_table *table, const struct swi_begun_span *span)
{
    size_t place = place_of(table, span->process, span->id);
    while (table->item[place].track)
        place = next(table, place);
    table->item[place] = *span;
}

static bool grow(struct swi_span_table *table)
{
    struct swi_span_table grown = {.room = table->room ? 2 * table->room : FIRST,
                                   .count = table->count};
    grown.item = calloc(grown.room, sizeof *grown.item);
    if (!grown.item)
        return false;
    for (size_t i = 0; i < table->room; i++)
        if (table->item[i].track)
            put(&grown, &table->item[i]);
    free(table->item);
    *table = grown;
    return true;
}

bool swi_span_table_put(struct swi_span_table *table, const struct swi_begun_span *span)
{
    if (2 * (table->count + 1) > table->room && !grow(table))
        return false;
    put(table, span);
    table->count++;
    return true;
}

/* Moves up the spans after a freed place, unless that would bring one before its own place. */
static void close_up(struct swi_span_table *table, size_t freed)
{
    size_t last = table->room - 1;
    for (size_t at = next(table, freed); table->item[at].track; at = next(table, at)) {
        size_t own = place_of(table, table->item[at].process, table->item[at].id);
        if (((at - own) & last) < ((at - freed) & last))
            continue;
        table->item[freed] = table->item[at];
        freed = at;
    }
    table->item[freed].track = NULL;
}

bool swi_span_table_take(struct swi_span_table *table, size_t process, int64_t id,
                         struct swi_begun_span *span)
{
    if (!table->room)
        return false;
    size_t at = place_of(table, process, id);
    for (; table->item[at].id != id || table->item[at].process != process; at = next(table, at))
        if (!table->item[at].track)
            return false;
    if (!table->item[at].track)
        return false;
    *span = table->item[at];
    close_up(table, at);
    table->count--;
    return true;
}

void swi_span_table_free(struct swi_span_table *table)
{
    free(table->item);
    *table = (struct swi_span_table){0};
}
