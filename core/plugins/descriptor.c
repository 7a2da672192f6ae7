/* SPDX-License-Identifier: MIT */
#include "core/plugins/descriptor.h"
#include "core/plugins/name.h"
#include "core/plugins/option_check.h"
#include "core/text/printable.h"

#include <string.h>

enum { STATE_MAX = 16 << 20, QUEUE_MAX = 1 << 20 };

static int header_check(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    if (plugin->magic != SW_SINK_MAGIC)
        return sw_error_set(err, SW_ESINK,
                            "its sw_sink_plugin is no sink descriptor: magic is 0x%08x, expected "
                            "0x%08x; begin it with SW_SINK_HEADER",
                            plugin->magic, SW_SINK_MAGIC);
    if (plugin->abi != SW_SINK_ABI)
        return sw_error_set(err, SW_ESINK,
                            "it was built for sink ABI %u, this stepwatch has %u: build it anew",
                            plugin->abi, SW_SINK_ABI);
    if (plugin->plugin_size != sizeof *plugin)
        return sw_error_set(err, SW_ESINK,
                            "its descriptor has %u bytes, expected %zu: build it anew with this "
                            "stepwatch's sink.h",
                            plugin->plugin_size, sizeof *plugin);
    if (plugin->option_size != sizeof(struct sw_option))
        return sw_error_set(
            err, SW_ESINK,
            "an entry of its option table has %u bytes, expected %zu: build it anew "
            "with this stepwatch's sink.h",
            plugin->option_size, sizeof(struct sw_option));
    return 0;
}

static int name_check(const struct sw_sink_plugin *plugin, const char *expected,
                      struct sw_error *err)
{
    if (!plugin->name || !swi_name_valid(plugin->name))
        return sw_error_set(err, SW_ESINK,
                            "its name \"%s\" is none: expected a to z, 0 to 9 and _, at most 32, a "
                            "letter first",
                            SWI_PRINTABLE(plugin->name ? plugin->name : ""));
    if (expected && strcmp(plugin->name, expected) != 0)
        return sw_error_set(
            err, SW_ESINK,
            "the file is named %s.so but the sink in it \"%s\": they must be the same", expected,
            plugin->name);
    return 0;
}

static int content_check(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    if (!plugin->version || !plugin->license || !plugin->summary)
        return sw_error_set(err, SW_ESINK, "it tells no %s",
                            !plugin->version   ? "version"
                            : !plugin->license ? "license"
                                               : "summary");
    if (!plugin->record)
        return sw_error_set(err, SW_ESINK, "it has no record callback");
    if (plugin->wants == 0 || plugin->wants >= SW_WANT(SW_RECORD_TYPES))
        return sw_error_set(err, SW_ESINK,
                            "it wants the records 0x%x, which are none that there are",
                            plugin->wants);
    if (plugin->queue != SW_QUEUE_DROP_OLDEST && plugin->queue != SW_QUEUE_DROP_NEWEST)
        return sw_error_set(err, SW_ESINK, "its queue policy %d is none", (int)plugin->queue);
    if (plugin->queue_records > QUEUE_MAX)
        return sw_error_set(err, SW_ESINK,
                            "its queue of %" PRIu32 " records is too long: at most %d",
                            plugin->queue_records, QUEUE_MAX);
    if (plugin->state_size > STATE_MAX)
        return sw_error_set(err, SW_ESINK, "its state of %zu bytes is too large: at most %d",
                            plugin->state_size, STATE_MAX);
    return swi_options_check(plugin->options, plugin->state_size, err);
}

int swi_descriptor_check(const struct sw_sink_plugin *plugin, const char *expected,
                         struct sw_error *err)
{
    if (!plugin)
        return sw_error_set(err, SW_ESINK,
                            "it exports no symbol sw_sink_plugin: it is no stepwatch sink");
    int rc = header_check(plugin, err);
    if (rc == 0)
        rc = name_check(plugin, expected, err);
    return rc < 0 ? rc : content_check(plugin, err);
}
