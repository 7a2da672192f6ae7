/* SPDX-License-Identifier: MIT */
#include "core/plugins/register.h"
#include "core/plugins/builtin.h"
#include "core/plugins/descriptor.h"

#include <pthread.h>
#include <string.h>

enum { SINKS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct sw_sink_plugin *registered[SINKS_MAX];
static size_t count;

const struct sw_sink_plugin *swi_registered_at(size_t i)
{
    pthread_mutex_lock(&lock);
    const struct sw_sink_plugin *plugin = i < count ? registered[i] : swi_builtin_at(i - count);
    pthread_mutex_unlock(&lock);
    return plugin;
}

const struct sw_sink_plugin *swi_registered_find(const char *name)
{
    const struct sw_sink_plugin *plugin;
    for (size_t i = 0; (plugin = swi_registered_at(i)); i++)
        if (strcmp(plugin->name, name) == 0)
            return plugin;
    return NULL;
}

void swi_registered_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

static int add(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(registered[i]->name, plugin->name) == 0)
            return registered[i] == plugin
                       ? 0
                       : sw_error_set(err, SW_EINVAL, "another sink is already registered as %s",
                                      plugin->name);
    if (count == SINKS_MAX)
        return sw_error_set(err, SW_EINVAL,
                            "sink %s: %d sinks are already registered, which is the maximum",
                            plugin->name, SINKS_MAX);
    registered[count++] = plugin;
    return 0;
}

int sw_sink_register(const struct sw_sink_plugin *plugin, struct sw_error *err)
{
    if (!plugin)
        return sw_error_set(err, SW_EINVAL, "the sink to register is NULL");
    int rc = swi_descriptor_take(plugin, NULL, &plugin, err);
    if (rc < 0)
        return sw_error_prefix(err, "the sink cannot be registered");
    pthread_mutex_lock(&lock);
    rc = add(plugin, err);
    pthread_mutex_unlock(&lock);
    return rc;
}
