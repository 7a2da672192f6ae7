/* SPDX-License-Identifier: MIT */
/* Ids of a process are consecutive, so the place of a span is usually its id modulo the room. */
#include "sinks/common/trace_formats/timeline_state.h"

#include "core/text/characters.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns whether every viewer shows a character once it is escaped, and a terminal as well. */
static bool is_shown(uint32_t code)
{
    return code == '\t' || code == '\n' || !swi_character_is_unsafe(code);
}

void swi_timeline_repair(struct swi_text *out, const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        bool fine = length && is_shown(code);
        swi_text_add(out, fine ? text : REPLACEMENT, fine ? length : 3);
        length = length ? length : 1;
    }
}

/* Escapes a repaired text. */
static void escape_add(struct swi_text *out, const char *text, size_t size)
{
    swi_text_put(out, "\"");
    for (size_t i = 0; i < size; i++) {
        const char *escape = text[i] == '"'    ? "\\\""
                             : text[i] == '\\' ? "\\\\"
                             : text[i] == '\t' ? "\\t"
                             : text[i] == '\n' ? "\\n"
                                               : NULL;
        swi_text_add(out, escape ? escape : text + i, escape ? 2 : 1);
    }
    swi_text_put(out, "\"");
}

void swi_timeline_json(struct swi_text *out, const char *text, size_t size)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, size);
    escape_add(out, repaired.data, repaired.size);
    out->failed |= repaired.failed;
    swi_text_free(&repaired);
}

static enum swi_kind kind_of(const char *text)
{
    static const struct {
        const char *name;
        enum swi_kind kind;
    } kinds[] = {{"fit", SWI_KIND_FIT},           {"epoch", SWI_KIND_EPOCH},
                 {"train", SWI_KIND_TRAIN},       {"valid", SWI_KIND_VALID},
                 {"draw", SWI_KIND_DRAW},         {"batch", SWI_KIND_BATCH},
                 {"opt_step", SWI_KIND_OPT_STEP}, {"zero_grad", SWI_KIND_ZERO_GRAD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, text) == 0)
            return kinds[i].kind;
    return SWI_KIND_OTHER;
}

static void name_free(struct swi_timeline_name *name)
{
    free(name->text);
    free(name->json);
}

/* Viewers fail on an empty name. */
static bool name_make(struct swi_timeline_name *name, const char *text, size_t size)
{
    struct swi_text shown = {0}, json = {0};
    swi_timeline_repair(&shown, size ? text : "unnamed", size ? size : 7);
    if (shown.data)
        escape_add(&json, shown.data, shown.size);
    *name = (struct swi_timeline_name){
        .text = shown.data, .size = shown.size, .json = json.data, .json_size = json.size};
    if (!shown.data || shown.failed || json.failed) {
        name_free(name);
        return false;
    }
    name->kind = kind_of(name->text);
    return true;
}

int32_t swi_timeline_name(struct swi_timeline_names *names, const char *text, size_t size)
{
    size = strnlen(text, size);
    struct swi_timeline_name *name =
        swi_map_item(&names->keys, &names->item, sizeof *name, text, size);
    if (name && !name->text && !name_make(name, text, size)) {
        swi_map_undo(&names->keys);
        return -1;
    }
    return name ? (int32_t)(name - names->item) : -1;
}

void swi_timeline_names_free(struct swi_timeline_names *names)
{
    for (size_t i = 0; i < names->keys.count; i++)
        name_free(&names->item[i]);
    free(names->item);
    swi_map_free(&names->keys);
    names->item = NULL;
}

/* ---- uses of counters ------------------------------------------------------------------------ */

static struct swi_counted *counter_get(struct swi_uses *uses, uint32_t name, bool is_peak)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name && uses->counter[i].is_peak == is_peak)
            return &uses->counter[i];
    if (uses->count == SWI_USES_MOST)
        return NULL;
    uses->counter[uses->count] = (struct swi_counted){.name = name, .is_peak = is_peak};
    return &uses->counter[uses->count++];
}

static void lose(struct swi_uses *uses, size_t counter, size_t depth)
{
    for (size_t i = 0; i < depth && i < uses->depth; i++)
        uses->start[i].lost[counter] = true;
}

void swi_uses_add(struct swi_uses *uses, uint32_t name, bool is_peak, bool known, int64_t value,
                  size_t depth)
{
    struct swi_counted *counter = counter_get(uses, name, is_peak);
    if (!counter)
        return;
    if (!known && !is_peak)
        lose(uses, (size_t)(counter - uses->counter), depth);
    if (!known)
        return;
    counter->any = true;
    counter->value = is_peak ? value : (int64_t)((uint64_t)counter->value + (uint64_t)value);
}

bool swi_uses_begin(struct swi_uses *uses, size_t depth)
{
    if (!swi_vec_reach(&uses->start, depth, &uses->depth, sizeof *uses->start))
        return false;
    struct swi_use_start *start = &uses->start[depth];
    memset(start, 0, sizeof *start);
    for (size_t i = 0; i < uses->count; i++)
        start->value[i] = uses->counter[i].value;
    return true;
}

void swi_uses_end(struct swi_uses *uses, size_t depth)
{
    static const struct swi_use_start nothing;
    const struct swi_use_start *start = depth < uses->depth ? &uses->start[depth] : &nothing;
    uses->found = 0;
    for (size_t i = 0; i < uses->count; i++) {
        struct swi_counted *counter = &uses->counter[i];
        int64_t use = counter->is_peak
                          ? counter->value
                          : (int64_t)((uint64_t)counter->value - (uint64_t)start->value[i]);
        bool has = counter->is_peak ? counter->any : use != 0 && !start->lost[i];
        if (has)
            uses->use[uses->found++] = (struct swi_region_use){counter->name, use};
        if (counter->is_peak)
            counter->any = false;
    }
}

int64_t swi_uses_value(const struct swi_uses *uses, uint32_t name)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name && !uses->counter[i].is_peak)
            return uses->counter[i].value;
    return 0;
}

void swi_uses_free(struct swi_uses *uses)
{
    if (uses)
        free(uses->start);
    free(uses);
}

/* ---- what regions cover ---------------------------------------------------------------------- */

enum { COVERED_MOST = 4096 }; /* a power of two */

void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns - begin_ns >= 2 &&
        (coverage->room == COVERED_MOST ||
         swi_vec_grow(&coverage->item, coverage->count, &coverage->room, sizeof *coverage->item)))
        coverage->item[coverage->count++ & (coverage->room - 1)] =
            (struct swi_cover){begin_ns, end_ns};
}

const struct swi_cover *swi_region_coverage_find(const struct swi_region_coverage *coverage,
                                                 int64_t time_ns)
{
    size_t oldest = coverage->count > coverage->room ? coverage->count - coverage->room : 0;
    size_t low = oldest,
           high = coverage->count; /* the last one that begins at or before the time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (coverage->item[middle & (coverage->room - 1)].begin_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == oldest)
        return NULL;
    const struct swi_cover *cover = &coverage->item[(low - 1) & (coverage->room - 1)];
    return time_ns <= cover->end_ns ? cover : NULL;
}

void swi_region_coverage_free(struct swi_region_coverage *coverage)
{
    free(coverage->item);
    *coverage = (struct swi_region_coverage){0};
}

/* ---- spans ----------------------------------------------------------------------------------- */

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
