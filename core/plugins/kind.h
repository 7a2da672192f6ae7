/* SPDX-License-Identifier: MIT */
/* kind.h - the kinds of plugins, sinks and monitors. All kinds are found, trusted, loaded, checked
 * and listed alike; what differs is in one row for each. */
#ifndef CORE_PLUGINS_KIND_H
#define CORE_PLUGINS_KIND_H

#include <stepwatch/monitor.h>
#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* ---- the descriptor that a plugin exports ---------------------------------------------------- */

/* Checks whether the descriptor that a plugin exports can be used. */

/* Checks magic, ABI number, sizes, names, callbacks and option table, in this order. Nothing is
 * read that depends on a field that was not checked before. from: may be NULL (no such symbol).
 * expected: the name of the file, or NULL.
 *
 * plugin: set to from, or to a copy with the fields that this core has: a plugin that was built
 * with an older header has 0 in those it lacks, and one that was built with a newer header is
 * refused only if it uses what this core lacks. It is valid as long as from. */
int swi_descriptor_take(const struct swi_kind *kind, const void *from, const char *expected,
                        const void **plugin, struct sw_error *err);

/* Makes the lock free in the child of a fork. */
void swi_descriptor_child(void);

/* ---- copies a struct whose owner was compiled with an older or a newer header ---------------- */

/* Copies the fields that both sizes have. `to` must be zeroed before. Returns false if `from` is
 * larger and its further bytes are used: this version does not know what they mean. */
static inline bool swi_sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
    const char *bytes = from;
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    for (size_t i = to_size; i < from_size; i++)
        if (bytes[i])
            return false;
    return true;
}

#endif
