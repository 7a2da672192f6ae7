/* SPDX-License-Identifier: MIT */
#include "core/plugins/kind.h"

#include "core/plugins/builtin.h"

enum { QUEUE_MAX = 1 << 20 };

/* Of both kinds: the fields that every plugin of an ABI has. Later ones are 0 in a plugin without
 * them. */
#define UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
#define BEGINS_AS(type)                                                                            \
    _Static_assert(offsetof(type, option_size) == offsetof(struct swi_descriptor, option_size) &&  \
                       offsetof(type, name) == offsetof(struct swi_descriptor, name) &&            \
                       offsetof(type, summary) == offsetof(struct swi_descriptor, summary),        \
                   "descriptors begin alike")
BEGINS_AS(struct sw_sink_plugin);
BEGINS_AS(struct sw_monitor_plugin);

static int sink_check(const void *descriptor, struct sw_error *err)
{
    const struct sw_sink_plugin *plugin = descriptor;
    if (!plugin->record)
        return sw_error_set(err, SW_ESINK, "it has no record callback");
    if (plugin->wants == 0)
        return sw_error_set(err, SW_ESINK, "it asks for no record types");
    if (plugin->wants >= SW_WANT(SW_RECORD_TYPES))
        return sw_error_set(err, SW_ESINK, "it asks for unknown record types (0x%x)",
                            plugin->wants);
    if (plugin->queue != SW_QUEUE_DROP_OLDEST && plugin->queue != SW_QUEUE_DROP_NEWEST)
        return sw_error_set(err, SW_ESINK, "its queue policy %d does not exist",
                            (int)plugin->queue);
    if (plugin->queue_records > QUEUE_MAX)
        return sw_error_set(err, SW_ESINK,
                            "its queue of %" PRIu32 " records is too long: at most %d",
                            plugin->queue_records, QUEUE_MAX);
    return 0;
}

static int monitor_check(const void *descriptor, struct sw_error *err)
{
    const struct sw_monitor_plugin *plugin = descriptor;
    if (!plugin->sample)
        return sw_error_set(err, SW_ESINK, "it has no sample callback");
    return 0;
}

static const void *sink_builtin(size_t i)
{
    return swi_builtin_at(i);
}

static const void *no_builtin(size_t i)
{
    (void)i;
    return NULL;
}

const struct swi_kind swi_kind_sink = {
    .word = "sink",
    .symbol = "sw_sink_plugin",
    .head = "SW_SINK_HEADER",
    .header = "sink.h",
    .key = "logger_callback",
    .other = &swi_kind_monitor,
    .magic = SW_SINK_MAGIC,
    .abi = SW_SINK_ABI,
    .size = sizeof(struct sw_sink_plugin),
    .least = UP_TO(struct sw_sink_plugin, close),
    .options_at = offsetof(struct sw_sink_plugin, options),
    .state_at = offsetof(struct sw_sink_plugin, state_size),
    .check = sink_check,
    .builtin = sink_builtin,
};

const struct swi_kind swi_kind_monitor = {
    .word = "monitor",
    .symbol = "sw_monitor_plugin",
    .head = "SW_MONITOR_HEADER",
    .header = "monitor.h",
    .key = "monitors",
    .other = &swi_kind_sink,
    .magic = SW_MONITOR_MAGIC,
    .abi = SW_MONITOR_ABI,
    .size = sizeof(struct sw_monitor_plugin),
    .least = UP_TO(struct sw_monitor_plugin, close),
    .options_at = offsetof(struct sw_monitor_plugin, options),
    .state_at = offsetof(struct sw_monitor_plugin, state_size),
    .check = monitor_check,
    .builtin = no_builtin,
};
