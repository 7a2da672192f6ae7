/* SPDX-License-Identifier: MIT */
#include "core/plugins/sink_check.h"
#include "core/counters/counter_table.h"
#include "core/report/columns.h"

#include <string.h>

/* `seen` is what the sink gets. It is the first member, so that say() can find the others. */
struct check {
    struct sw_sink_check seen;
    const struct swi_sink_settings *sink;
    struct swi_mistakes *mistakes;
    bool remarks;
};

/* Returns the place of the option's value, or of the sink if the option is not given. */
static struct swi_where place_of(const struct swi_sink_settings *sink, const char *option)
{
    for (size_t i = 0; option && i < sink->count; i++) {
        const struct swi_setting *setting = &sink->setting[i];
        if (strcmp(setting->name, option) == 0)
            return setting->count ? setting->value[0].where : setting->where;
    }
    return sink->where;
}

static void say(struct sw_sink_check *seen, bool refuses, const char *option, const char *text)
{
    struct check *check = (struct check *)seen;
    struct swi_where where = place_of(check->sink, option);
    if (refuses || check->remarks)
        swi_mistakes_add(check->mistakes, &where, "sink %s: %s%s%s", check->sink->name,
                         option ? option : "", option ? ": " : "", text);
}

/* The columns of a report, and those that counters may add to it. */
#define OF(id)                                                                                     \
    {.key = "counter/" #id,                                                                        \
     .header = "counter/" #id,                                                                     \
     .brief = "counter/" #id,                                                                      \
     .kind = SW_COLUMN_COUNTER,                                                                    \
     .flags = SW_COLUMN_OF_COUNTER},                                                               \
        {.key = "counter/" #id "/self",                                                            \
         .header = "counter/" #id "/self",                                                         \
         .brief = "counter/" #id "/self",                                                          \
         .kind = SW_COLUMN_COUNTER,                                                                \
         .flags = SW_COLUMN_OF_COUNTER},
static const struct sw_column of_counters[] = {SWI_COUNTERS(OF)};
#undef OF
enum { OF_COUNTERS = sizeof of_counters / sizeof *of_counters, COLUMNS_MOST = OF_COUNTERS + 64 };

static void columns_take(struct sw_report *columns, struct sw_column *known)
{
    swi_columns_set(columns);
    size_t count = columns->column_count < 64 ? columns->column_count : 64;
    memcpy(known, columns->column, count * sizeof *known);
    memcpy(known + count, of_counters, sizeof of_counters);
    columns->column = known;
    columns->column_count = count + OF_COUNTERS;
}

void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes)
{
    struct sw_report columns;
    struct sw_column known[COLUMNS_MOST];
    columns_take(&columns, known);
    struct check check = {.seen = {.size = sizeof check.seen,
                                   .directory = directory ? directory : "",
                                   .name = sink->name,
                                   .say = say,
                                   .column_count = columns.column_count,
                                   .column_size = columns.column_size,
                                   .column = columns.column},
                          .sink = sink,
                          .mistakes = mistakes,
                          .remarks = remarks};
    if (plugin->check)
        plugin->check(state, &check.seen);
}
