/* SPDX-License-Identifier: MIT */
#include "core/plugins/sink_check.h"
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

void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes)
{
    struct sw_report columns;
    swi_columns_set(&columns);
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
