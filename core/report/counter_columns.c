/* SPDX-License-Identifier: MIT */
#include "core/report/counter_columns.h"

#include "core/counters/counter.h"
#include "core/counters/perf_events.h"
#include "core/report/columns.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what follows from the counters of a row and its time ------------------------------------ */

/* Counters of the system have no rates: their totals are what people compare. */
static bool is_own(const struct swi_slot *slot)
{
    return slot->kind == SW_COUNTER_SUM && !swi_counters_find(slot->name) &&
           !swi_event_is_named(slot->name);
}

static bool is_called(const struct swi_slot *slot, const char *name)
{
    return strcmp(slot->name, name) == 0;
}

static struct swi_derived per_second(const struct swi_slot *slot, size_t i)
{
    if (is_called(slot, "flops"))
        return (struct swi_derived){SWI_PER_SECOND, i, i, 1, "gflop_per_s", "GFLOP/s", "GFLOP/s"};
    if (is_called(slot, "bytes"))
        return (struct swi_derived){SWI_PER_SECOND, i, i, 1, "gb_per_s", "GB/s", "GB/s"};
    return (struct swi_derived){.how = SWI_PER_SECOND, .a = i, .b = i, .scale = 1e9, .unit = ""};
}

static bool slot_find(const struct swi_slot *slot, size_t count, const char *name, size_t *i)
{
    for (*i = 0; *i < count; ++*i)
        if (is_called(&slot[*i], name))
            return true;
    return false;
}

/* Ratios of two counters, where both are measured. */
static const struct {
    const char *a, *b;
    double scale;
    const char *key, *header, *unit;
} ratios[] = {
    {"flops", "bytes", 1, "flop_per_byte", "FLOP/Byte", "FLOP/byte"},
    {"instructions", "cycles", 1, "ipc", "IPC", "instructions/cycle"},
    {"cache_misses", "instructions", 1000, "cache_misses_per_1000", "Cache Misses/1000",
     "misses/1000 instructions"},
    {"cycles", "cpu", 1, "ghz", "GHz", "GHz"},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };
_Static_assert(RATIOS + 2 == SWI_DERIVED_MAX - SWI_SLOTS, "there is room for all");

static size_t ratios_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count)
{
    size_t found = 0, a, b;
    for (size_t i = 0; i < RATIOS; i++)
        if (slot_find(slot, count, ratios[i].a, &a) && slot_find(slot, count, ratios[i].b, &b))
            derived[found++] = (struct swi_derived){
                SWI_PER_OTHER, a, b, ratios[i].scale, ratios[i].key, ratios[i].header,
                ratios[i].unit};
    return found;
}

/* Sets what follows from these counters, at most SWI_DERIVED_MAX. Returns how much. peak_flops: 0
 * if it is not known. */
static size_t derived_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count,
                           double peak_flops)
{
    size_t found = 0, flops, cpu;
    for (size_t i = 0; i < count; i++)
        if (is_own(&slot[i]))
            derived[found++] = per_second(&slot[i], i);
    found += ratios_find(derived + found, slot, count);
    if (slot_find(slot, count, "flops", &flops) && peak_flops > 0)
        derived[found++] =
            (struct swi_derived){SWI_OF_PEAK, flops, flops, 100e9 / peak_flops, "mfu", "MFU", "%"};
    if (slot_find(slot, count, "cpu", &cpu))
        derived[found++] =
            (struct swi_derived){SWI_OF_TIME, cpu, cpu, 100, "cpu_percent", "CPU %", "%"};
    return found;
}

/* INT64_MAX stands for whatever is larger, too. */
static bool is_known(int64_t total)
{
    return total != SW_COUNTER_NONE && total != INT64_MAX;
}

/* The model's utilization is that of whole training steps. */
static bool has_value(const struct swi_derived *derived, const struct sw_report_row *row)
{
    bool step = row->phase_id == SW_PHASE_TRAIN && row->action_id == SW_STEP;
    return is_known(row->counter[derived->a].total) && is_known(row->counter[derived->b].total) &&
           (derived->how != SWI_OF_PEAK || step);
}

/* Returns its value in a row, or NAN if the row has none. */
static double derived_value(const struct swi_derived *derived, const struct sw_report_row *row)
{
    if (!row->counter || !has_value(derived, row))
        return NAN;
    double total = (double)row->counter[derived->a].total;
    double by =
        derived->how == SWI_PER_OTHER ? (double)row->counter[derived->b].total : row->total_ns;
    return by > 0 ? total / by * derived->scale : NAN;
}

/* ---- the counters of a report ---------------------------------------------------------------- */

/* Each counter has a column for its total and one for its own part. KEY_BEFORE and the others are
 * the sizes of texts in their keys and labels. */
enum {
    COLUMNS_EACH = 2,
    KEY_BEFORE = sizeof "counter/",
    KEY_AFTER = sizeof "/self",
    LABEL_BEFORE = sizeof "Self ",
    RATE_AFTER = sizeof "_per_s" + sizeof "/s"
};

void swi_counter_columns_take(struct swi_counter_columns *columns,
                              const struct swi_counters *counters, double peak_flops)
{
    *columns = (struct swi_counter_columns){0};
    for (int i = 0; i < swi_counters_count(counters); i++) {
        if (!swi_counters_shows(counters, i))
            continue;
        columns->is[columns->counters] = swi_counters_slot(counters, i);
        columns->slot[columns->counters++] = i;
    }
    columns->derived = derived_find(columns->derive, columns->is, columns->counters, peak_flops);
    columns->row_size = sizeof(struct sw_report_row) +
                        columns->counters * sizeof(struct sw_counter_total) +
                        columns->derived * sizeof(double);
}

static size_t text_size(const struct swi_slot *slot)
{
    return 4 * strlen(slot->name) + strlen(slot->label) + 2 * KEY_BEFORE + KEY_AFTER +
           LABEL_BEFORE + RATE_AFTER;
}

static char *text_put(char **at, const char *before, const char *text, const char *after)
{
    char *begin = *at;
    *at += sprintf(begin, "%s%s%s", before, text, after) + 1;
    return begin;
}

static size_t value_at(size_t counter, size_t field)
{
    return sizeof(struct sw_report_row) + counter * sizeof(struct sw_counter_total) + field;
}

static void columns_of(struct sw_column *column, char **text, const struct swi_slot *slot,
                       size_t counter)
{
    column[0] =
        (struct sw_column){.key = text_put(text, "counter/", slot->name, ""),
                           .header = slot->label,
                           .brief = slot->label,
                           .unit = slot->unit,
                           .kind = SW_COLUMN_COUNTER,
                           .flags = SW_COLUMN_OF_COUNTER,
                           .offset = value_at(counter, offsetof(struct sw_counter_total, total))};
    if (slot->shown != SWI_SHOWN_BY_NAME)
        column[0].flags |= SW_COLUMN_STANDARD;
    column[1] = column[0];
    if (slot->shown != SWI_SHOWN_BOTH)
        column[1].flags &= ~SW_COLUMN_STANDARD;
    column[1].key = text_put(text, "counter/", slot->name, "/self");
    column[1].header = column[1].brief = text_put(text, "Self ", slot->label, "");
    column[1].offset = value_at(counter, offsetof(struct sw_counter_total, self));
}

static size_t derived_at(const struct swi_counter_columns *columns, size_t i)
{
    return value_at(columns->counters, 0) + i * sizeof(double);
}

/* Shown with `columns: all`, or by its name. */
static struct sw_column derived_column(const struct swi_counter_columns *columns, char **text,
                                       size_t i)
{
    const struct swi_derived *derived = &columns->derive[i];
    const char *name = columns->is[derived->a].name;
    struct sw_column column = {.key = derived->key,
                               .header = derived->header,
                               .unit = derived->unit,
                               .kind = SW_COLUMN_RATE,
                               .offset = derived_at(columns, i)};
    if (!column.key) {
        column.key = text_put(text, "", name, "_per_s");
        column.header = text_put(text, "", name, "/s");
        column.unit = column.header;
    }
    column.brief = column.header;
    return column;
}

/* Returns the place of the columns: after the share of the time. */
static size_t place_in(const struct sw_report *report)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (sw_report_column(report, i)->offset == offsetof(struct sw_report_row, share))
            return i + 1;
    return report->column_count;
}

/* A peak has no part of its own. */
static size_t columns_each(const struct swi_slot *slot)
{
    return slot->kind == SW_COUNTER_PEAK ? 1 : COLUMNS_EACH;
}

static bool memory_get(struct swi_counter_columns *columns, const struct sw_report *report)
{
    size_t text = 1;
    for (size_t i = 0; i < columns->counters; i++)
        text += text_size(&columns->is[i]);
    columns->text = malloc(text);
    columns->column =
        calloc(report->column_count + COLUMNS_EACH * columns->counters + columns->derived,
               sizeof *columns->column);
    return columns->text && columns->column;
}

bool swi_counter_columns_set(struct swi_counter_columns *columns, struct sw_report *report)
{
    swi_columns_set(report);
    report->row_size = columns->row_size;
    report->counter_count = columns->counters;
    report->counter_size = sizeof(struct sw_counter_total);
    if (!columns->counters)
        return true;
    if (!memory_get(columns, report))
        return false;
    size_t place = place_in(report), to = place, before = report->column_count;
    char *text = columns->text;
    memcpy(columns->column, report->column, place * sizeof *columns->column);
    for (size_t i = 0; i < columns->counters; i++) {
        struct sw_column both[COLUMNS_EACH];
        columns_of(both, &text, &columns->is[i], i);
        memcpy(&columns->column[to], both, columns_each(&columns->is[i]) * sizeof *both);
        to += columns_each(&columns->is[i]);
    }
    for (size_t i = 0; i < columns->derived; i++)
        columns->column[to++] = derived_column(columns, &text, i);
    memcpy(&columns->column[to], &report->column[place], (before - place) * sizeof *report->column);
    columns->columns = to + before - place;
    report->column = columns->column;
    report->column_count = columns->columns;
    return true;
}

void swi_counter_columns_fini(struct swi_counter_columns *columns)
{
    free(columns->column);
    free(columns->text);
    columns->column = NULL;
    columns->text = NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

void swi_counter_values_find(const struct swi_counter_columns *columns, struct sw_report_row *row)
{
    row->counter = columns->counters ? (struct sw_counter_total *)(row + 1) : NULL;
}

static bool has_use(const struct swi_counters *counters, int slot, const struct sw_report_row *row)
{
    return row->phase_id != SW_PHASE_SPANS && swi_counters_applies(counters, slot, row->action_id);
}

/* Each call is read at its begin and at its end. Steps are draws and batches, which have it. */
static double reading_ns(const struct swi_slot *slot, const struct sw_report_row *row)
{
    return row->action_id == SW_STEP ? 0 : 2 * slot->reading_ns * (double)row->calls;
}

static struct sw_counter_total value_of(const struct swi_slot *slot,
                                        const struct sw_report_row *row, const struct swi_use *use)
{
    struct sw_counter_total value = {.name = slot->name,
                                     .kind = slot->kind,
                                     .total = SW_COUNTER_NONE,
                                     .self = SW_COUNTER_NONE,
                                     .unit = slot->unit,
                                     .standard = (int)slot->shown};
    if (!use)
        return value;
    value.missed = use->missed;
    value.calls = row->calls - use->missed;
    if (value.calls <= 0)
        return value;
    value.reading_ns = reading_ns(slot, row);
    value.total = use->total;
    if (row->action_id != SW_STEP && slot->kind == SW_COUNTER_SUM) {
        value.self = use->self;
        value.inner = use->inner;
    }
    return value;
}

static void derived_set(const struct swi_counter_columns *columns, struct sw_report_row *row)
{
    for (size_t i = 0; i < columns->derived; i++) {
        double derived = derived_value(&columns->derive[i], row);
        memcpy((char *)row + derived_at(columns, i), &derived, sizeof derived);
    }
}

void swi_counter_values_set(const struct swi_counter_columns *columns,
                            const struct swi_counters *counters, struct sw_report_row *row,
                            const struct swi_use *use, size_t uses)
{
    static const struct swi_use nothing;
    struct sw_counter_total *value = (struct sw_counter_total *)(row + 1);
    swi_counter_values_find(columns, row);
    for (size_t i = 0; i < columns->counters; i++) {
        int slot = columns->slot[i];
        const struct swi_use *known = (size_t)slot < uses ? &use[slot] : &nothing;
        value[i] = value_of(&columns->is[i], row, has_use(counters, slot, row) ? known : NULL);
    }
    derived_set(columns, row);
}

static const struct sw_counter_total *
counter_find(const struct sw_report *report, const struct sw_report_row *row, const char *name)
{
    for (size_t i = 0; row->counter && i < report->counter_count; i++)
        if (strcmp(sw_row_counter(report, row, i)->name, name) == 0)
            return sw_row_counter(report, row, i);
    return NULL;
}

void swi_counter_values_take(const struct swi_counter_columns *columns, struct sw_report_row *row,
                             const struct sw_report *from, const struct sw_report_row *from_row)
{
    struct sw_counter_total *value = (struct sw_counter_total *)(row + 1);
    swi_counter_values_find(columns, row);
    for (size_t i = 0; i < columns->counters; i++) {
        const struct sw_counter_total *known = counter_find(from, from_row, columns->is[i].name);
        value[i] = value_of(&columns->is[i], row, NULL);
        if (!known)
            continue;
        value[i].total = known->total;
        value[i].self = known->self;
        value[i].inner = SW_HAS(from->counter_size, known, inner) ? known->inner : 0;
        value[i].calls = known->calls;
        value[i].missed = known->missed;
        value[i].reading_ns = known->reading_ns;
    }
    derived_set(columns, row);
}
