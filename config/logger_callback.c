/* SPDX-License-Identifier: MIT */
#include "config/logger_callback.h"

#include "config/plugin_entries.h"
#include "config/sink_settings.h"

void swi_logger_callback_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_entries sinks = swi_sink_entries(reading);
    swi_entries_read(reading, &sinks, node);
}

void swi_logger_callback_complete(struct swi_yaml_reader *reading)
{
    const struct swi_profiler_keys *keys = &reading->config->keys;
    swi_sink_add_where_not_named(reading, "table", keys->show_report, SWI_KEY_SHOW_REPORT);
    swi_sink_add_where_not_named(reading, "markdown", keys->markdown, SWI_KEY_MARKDOWN);
    swi_sink_add_where_not_named(reading, "csv", keys->save_csv, SWI_KEY_SAVE_CSV);
    if (keys->given[SWI_KEY_PLAIN].given)
        swi_sink_hand_on(reading, SWI_KEY_PLAIN, "table", "plain", keys->plain ? "true" : "false");
    swi_sink_spare(reading, "table", "path");
    swi_sink_hand_on(reading, SWI_KEY_CSV_NAME, "csv", "path", swi_profiler_keys_csv_name(keys));
}
