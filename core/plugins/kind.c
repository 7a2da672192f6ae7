/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "core/plugins/kind.h"
#include "core/process/own_floats.h"

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stddef.h>
#include <string.h>

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

enum { PLUGINS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered {
    const struct swi_kind *kind;
    const struct swi_descriptor *plugin;
    void *user;
} registered[PLUGINS_MAX];
static size_t count;

/* The i-th one of a kind that the program registered; i becomes less by how many there are. */
static const struct registered *registered_at(const struct swi_kind *kind, size_t *i)
{
    for (size_t k = 0; k < count; k++)
        if (registered[k].kind == kind && (*i)-- == 0)
            return &registered[k];
    return NULL;
}

static const struct swi_descriptor *plugin_at(const struct swi_kind *kind, size_t i, void **user)
{
    pthread_mutex_lock(&lock);
    const struct registered *own = registered_at(kind, &i);
    const struct swi_descriptor *plugin = own             ? own->plugin
                                          : kind->builtin ? kind->builtin(i)
                                                          : NULL;
    *user = own ? own->user : NULL;
    pthread_mutex_unlock(&lock);
    return plugin;
}

const void *swi_registered_at(const struct swi_kind *kind, size_t i)
{
    void *user;
    return plugin_at(kind, i, &user);
}

const void *swi_registered_find(const struct swi_kind *kind, const char *name, void **user)
{
    const struct swi_descriptor *plugin;
    for (size_t i = 0; (plugin = plugin_at(kind, i, user)); i++)
        if (strcmp(plugin->name, name) == 0)
            return plugin;
    return NULL;
}

void swi_registered_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* Where a plugin of this kind and name is; count if there is none. */
static size_t place_of(const struct swi_kind *kind, const char *name)
{
    size_t i = 0;
    while (i < count &&
           (registered[i].kind != kind || strcmp(registered[i].plugin->name, name) != 0))
        i++;
    return i;
}

static int add(const struct swi_kind *kind, const struct swi_descriptor *plugin, void *user,
               struct sw_error *err)
{
    size_t i = place_of(kind, plugin->name);
    if (i < count && registered[i].plugin != plugin)
        return sw_error_set(err, SW_EINVAL, "another %s is already registered as %s", kind->word,
                            plugin->name);
    if (i == PLUGINS_MAX)
        return sw_error_set(err, SW_EINVAL,
                            "%s %s: %d plugins are already registered, which is the maximum",
                            kind->word, plugin->name, PLUGINS_MAX);
    registered[i] = (struct registered){kind, plugin, user};
    if (i == count)
        count++;
    return 0;
}

static int take_and_add(const struct swi_kind *kind, const void *from, void *user,
                        struct sw_error *err)
{
    const void *plugin;
    if (!from)
        return sw_error_set(err, SW_EINVAL, "the %s to register is NULL", kind->word);
    int rc = swi_descriptor_take(kind, from, NULL, &plugin, err);
    if (rc < 0)
        return sw_error_prefix(err, "the %s cannot be registered", kind->word);
    pthread_mutex_lock(&lock);
    rc = add(kind, plugin, user, err);
    pthread_mutex_unlock(&lock);
    return rc;
}

int sw_sink_register(const struct sw_sink_plugin *plugin, void *user, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    return take_and_add(&swi_kind_sink, plugin, user, err);
}

int sw_monitor_register(const struct sw_monitor_plugin *plugin, void *user, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    return take_and_add(&swi_kind_monitor, plugin, user, err);
}
