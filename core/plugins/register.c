/* SPDX-License-Identifier: MIT */
#include "core/plugins/register.h"
#include "core/plugins/builtin.h"
#include "core/plugins/descriptor.h"

#include <pthread.h>
#include <string.h>

enum { SINKS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const struct sw_sink_plugin *plugin;
    void *user;
} registered[SINKS_MAX];
static size_t count;

static const struct sw_sink_plugin *plugin_at(size_t i, void **user)
{
    pthread_mutex_lock(&lock);
    const struct sw_sink_plugin *plugin =
        i < count ? registered[i].plugin : swi_builtin_at(i - count);
    *user = i < count ? registered[i].user : NULL;
    pthread_mutex_unlock(&lock);
    return plugin;
}

const struct sw_sink_plugin *swi_registered_at(size_t i)
{
    void *user;
    return plugin_at(i, &user);
}

const struct sw_sink_plugin *swi_registered_find(const char *name, void **user)
{
    const struct sw_sink_plugin *plugin;
    for (size_t i = 0; (plugin = plugin_at(i, user)); i++)
        if (strcmp(plugin->name, name) == 0)
            return plugin;
    return NULL;
}

void swi_registered_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* Returns the index of a sink of this name, or count if there is none. */
static size_t place_of(const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(registered[i].plugin->name, name) != 0)
        i++;
    return i;
}

static int add(const struct sw_sink_plugin *plugin, void *user, struct sw_error *err)
{
    size_t i = place_of(plugin->name);
    if (i < count && registered[i].plugin != plugin)
        return sw_error_set(err, SW_EINVAL, "another sink is already registered as %s",
                            plugin->name);
    if (i == SINKS_MAX)
        return sw_error_set(err, SW_EINVAL,
                            "sink %s: %d sinks are already registered, which is the maximum",
                            plugin->name, SINKS_MAX);
    registered[i].plugin = plugin;
    registered[i].user = user;
    if (i == count)
        count++;
    return 0;
}

int sw_sink_register(const struct sw_sink_plugin *plugin, void *user, struct sw_error *err)
{
    if (!plugin)
        return sw_error_set(err, SW_EINVAL, "the sink to register is NULL");
    int rc = swi_descriptor_take(plugin, NULL, &plugin, err);
    if (rc < 0)
        return sw_error_prefix(err, "the sink cannot be registered");
    pthread_mutex_lock(&lock);
    rc = add(plugin, user, err);
    pthread_mutex_unlock(&lock);
    return rc;
}
