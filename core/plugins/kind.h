/* SPDX-License-Identifier: MIT */
/* kind.h - the kinds of plugins, sinks and monitors. All kinds are found, trusted, loaded, checked
 * and listed alike; what differs is in one row for each. */
#ifndef CORE_PLUGINS_KIND_H
#define CORE_PLUGINS_KIND_H

#include <stepwatch/monitor.h>
#include <stepwatch/sink.h>

#include <stddef.h>
#include <stdint.h>

/* The fields with which the descriptors of all kinds begin. */
struct swi_descriptor {
    uint32_t magic, abi, plugin_size, option_size;
    const char *name, *version, *license, *summary;
};

struct swi_kind {
    const char *word;   /* in messages: "sink" */
    const char *symbol; /* that a plugin exports */
    const char *head;   /* the macro that a descriptor begins with */
    const char *header; /* the file that defines it */
    const char *key;    /* of the configuration, that lists plugins of this kind */
    const struct swi_kind *other;
    uint32_t magic, abi;
    size_t size;                 /* of the descriptor in this core */
    size_t least;                /* and in the first version of the ABI */
    size_t options_at, state_at; /* of the fields options and state_size */
    /* Checks what only this kind has. */
    int (*check)(const void *plugin, struct sw_error *err);
    /* Those that are linked into the library; NULL after the last. The function is NULL for a kind
     * without any. */
    const void *(*builtin)(size_t i);
};

extern const struct swi_kind swi_kind_sink, swi_kind_monitor;

static inline const struct sw_option *swi_kind_options(const struct swi_kind *kind,
                                                       const void *plugin)
{
    return *(const struct sw_option *const *)((const char *)plugin + kind->options_at);
}

static inline size_t swi_kind_state_size(const struct swi_kind *kind, const void *plugin)
{
    return *(const size_t *)((const char *)plugin + kind->state_at);
}

/* ---- plugins that are part of the program: sw_sink_register(), sw_monitor_register() --------- */

/* Returns the registered plugin of a kind and a name, or NULL. user: set to what it was registered
 * with. */
const void *swi_registered_find(const struct swi_kind *kind, const char *name, void **user);

/* Returns the i-th one of a kind, or NULL after the last. */
const void *swi_registered_at(const struct swi_kind *kind, size_t i);

/* Makes the lock free in the child of a fork. */
void swi_registered_child(void);

#endif
