/* SPDX-License-Identifier: MIT */
#include "core/plugins/kind.h"

#include "config.h"

#include <stepwatch/sink.h>

#include <stddef.h>

/* ---- sinks that are linked into the library: ./configure --enable-builtin-sinks -------------- */

#define DECLARE(name) extern const struct sw_sink_plugin swi_sink_##name;
#define ADDRESS(name) &swi_sink_##name,

BUILTIN_SINKS(DECLARE)

static const struct sw_sink_plugin *const builtin[] = {BUILTIN_SINKS(ADDRESS) NULL};

/* Returns the i-th descriptor, a struct sw_sink_plugin, or NULL after the last. */
static const void *builtin_at(size_t i)
{
    return i < sizeof builtin / sizeof *builtin ? builtin[i] : NULL;
}

/* ---- the kinds of plugins, sinks and monitors ------------------------------------------------ */

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

/* What follows from the names of a kind: "sink" and "SINK". */
#define KIND(name, NAME)                                                                           \
    .word = #name, .symbol = "sw_" #name "_plugin", .head = "SW_" #NAME "_HEADER",                 \
    .header = #name ".h", .magic = SW_##NAME##_MAGIC, .abi = SW_##NAME##_ABI,                      \
    .size = sizeof(struct sw_##name##_plugin), .least = UP_TO(struct sw_##name##_plugin, close),   \
    .options_at = offsetof(struct sw_##name##_plugin, options),                                    \
    .state_at = offsetof(struct sw_##name##_plugin, state_size)

const struct swi_kind swi_kind_sink = {
    KIND(sink, SINK),    .key = "logger_callback", .other = &swi_kind_monitor,
    .check = sink_check, .builtin = builtin_at,
};

const struct swi_kind swi_kind_monitor = {
    KIND(monitor, MONITOR),
    .key = "monitors",
    .other = &swi_kind_sink,
    .check = monitor_check,
};
