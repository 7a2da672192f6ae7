/* SPDX-License-Identifier: MIT */
#include "core/plugins/descriptor.h"
#include "core/plugins/grown.h"
#include "core/plugins/name.h"
#include "core/plugins/option_check.h"
#include "core/plugins/option_names.h"
#include "core/text/printable.h"

#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_MAX = 16 << 20, QUEUE_MAX = 1 << 20 };

/* The sizes of the fields that every plugin of this ABI has. Later fields are 0 in a plugin without
 * them. */
#define PLUGIN_LEAST (offsetof(struct sw_sink_plugin, close) + sizeof(void *))
#define OPTION_LEAST (offsetof(struct sw_option, help) + sizeof(char *))
enum { SIZE_MOST = 4096 };

static int header_check(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    if (plugin->magic != SW_SINK_MAGIC)
        return sw_error_set(
            err, SW_ESINK,
            "its sw_sink_plugin is not a sink descriptor: magic is 0x%08x, expected "
            "0x%08x; begin it with SW_SINK_HEADER",
            plugin->magic, SW_SINK_MAGIC);
    if (plugin->abi != SW_SINK_ABI)
        return sw_error_set(err, SW_ESINK,
                            "it was built for sink ABI %u, this stepwatch has %u: rebuild it",
                            plugin->abi, SW_SINK_ABI);
    if (plugin->plugin_size < PLUGIN_LEAST || plugin->plugin_size > SIZE_MOST)
        return sw_error_set(err, SW_ESINK,
                            "its descriptor has %u bytes, expected %zu to %d: rebuild it with this "
                            "stepwatch's sink.h",
                            plugin->plugin_size, PLUGIN_LEAST, SIZE_MOST);
    if (plugin->option_size < OPTION_LEAST || plugin->option_size > SIZE_MOST)
        return sw_error_set(err, SW_ESINK,
                            "an entry of its option table has %u bytes, expected %zu to %d: "
                            "rebuild it with this stepwatch's sink.h",
                            plugin->option_size, OPTION_LEAST, SIZE_MOST);
    return 0;
}

static int name_check(const struct sw_sink_plugin *plugin, const char *expected,
                      struct sw_error *err)
{
    if (!plugin->name || !swi_name_valid(plugin->name))
        return sw_error_set(
            err, SW_ESINK,
            "its name \"%s\" is not valid: expected a to z, 0 to 9 and _, at most 32, a "
            "letter first",
            SWI_PRINTABLE(plugin->name ? plugin->name : ""));
    if (expected && strcmp(plugin->name, expected) != 0)
        return sw_error_set(
            err, SW_ESINK,
            "the file is named %s.so, but its sink is named \"%s\": the names must match", expected,
            plugin->name);
    return 0;
}

static int content_check(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    if (!plugin->version || !plugin->license || !plugin->summary)
        return sw_error_set(err, SW_ESINK, "it has no %s",
                            !plugin->version   ? "version"
                            : !plugin->license ? "license"
                                               : "summary");
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
    if (plugin->state_size > STATE_MAX)
        return sw_error_set(err, SW_ESINK, "its state of %zu bytes is too large: at most %d",
                            plugin->state_size, STATE_MAX);
    return swi_options_check(plugin->options, plugin->state_size, err);
}

/* ---- plugins of older and newer headers ---------------------------------------------------------
 */

/* A copy of a descriptor with the fields that this core has. */
struct adopted {
    struct adopted *next;
    const struct sw_sink_plugin *from;
    struct sw_sink_plugin plugin;
    struct sw_option option[];
};

static const struct sw_option *option_at(const struct sw_sink_plugin *plugin, size_t i)
{
    return (const void *)((const char *)plugin->options + i * plugin->option_size);
}

/* Returns the number of options without the last entry, which has no name. */
static size_t options_count(const struct sw_sink_plugin *plugin)
{
    size_t count = 0;
    while (plugin->options && count <= SWI_OPTION_NAMES_MAX && option_at(plugin, count)->name)
        count++;
    return count;
}

static int options_copy(struct sw_option *to, const struct sw_sink_plugin *from, size_t count,
                        struct sw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!swi_grown_copy(&to[i], sizeof to[i], option_at(from, i), from->option_size))
            return sw_error_set(err, SW_ESINK,
                                "its option %s uses fields that stepwatch " PACKAGE_VERSION
                                " does not know: the sink needs a newer stepwatch",
                                SWI_PRINTABLE(option_at(from, i)->name));
    return 0;
}

static int adopted_fill(struct adopted *adopted, const struct sw_sink_plugin *from, size_t count,
                        struct sw_error *err)
{
    struct sw_sink_plugin *plugin = &adopted->plugin;
    adopted->from = from;
    if (!swi_grown_copy(plugin, sizeof *plugin, from, from->plugin_size))
        return sw_error_set(err, SW_ESINK,
                            "its descriptor uses fields that stepwatch " PACKAGE_VERSION
                            " does not know: the sink needs a newer stepwatch");
    plugin->plugin_size = sizeof *plugin;
    plugin->option_size = sizeof(struct sw_option);
    plugin->options = from->options ? adopted->option : NULL;
    return options_copy(adopted->option, from, count, err);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct adopted *all; /* never freed, because plugins stay loaded too */

static const struct sw_sink_plugin *adopted_find(const struct sw_sink_plugin *from)
{
    pthread_mutex_lock(&lock);
    const struct adopted *at = all;
    while (at && at->from != from)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at ? &at->plugin : NULL;
}

static void adopted_keep(struct adopted *adopted)
{
    pthread_mutex_lock(&lock);
    adopted->next = all;
    all = adopted;
    pthread_mutex_unlock(&lock);
}

void swi_descriptor_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

static int check(const struct sw_sink_plugin *plugin, const char *expected, struct sw_error *err)
{
    int rc = name_check(plugin, expected, err);
    return rc < 0 ? rc : content_check(plugin, err);
}

static int adopt(const struct sw_sink_plugin *from, const char *expected,
                 const struct sw_sink_plugin **plugin, struct sw_error *err)
{
    size_t count = options_count(from);
    struct adopted *adopted = calloc(1, sizeof *adopted + (count + 1) * sizeof(struct sw_option));
    if (!adopted)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    int rc = adopted_fill(adopted, from, count, err);
    if (rc == 0)
        rc = check(&adopted->plugin, expected, err);
    if (rc < 0) {
        free(adopted);
        return rc;
    }
    adopted_keep(adopted);
    *plugin = &adopted->plugin;
    return 0;
}

int swi_descriptor_take(const struct sw_sink_plugin *from, const char *expected,
                        const struct sw_sink_plugin **plugin, struct sw_error *err)
{
    if (!from)
        return sw_error_set(err, SW_ESINK,
                            "it exports no symbol sw_sink_plugin: it is not a stepwatch sink");
    int rc = header_check(from, err);
    if (rc < 0)
        return rc;
    bool same = from->plugin_size == sizeof *from && from->option_size == sizeof(struct sw_option);
    *plugin = same ? from : adopted_find(from);
    return *plugin ? check(*plugin, expected, err) : adopt(from, expected, plugin, err);
}
