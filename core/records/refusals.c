/* SPDX-License-Identifier: MIT */
#include "core/records/recorder.h"

#include <inttypes.h>
#include <stdlib.h>

void swi_refusals_init(struct swi_refusals *refusals)
{
    pthread_mutex_init(&refusals->lock, NULL);
}

void swi_refusals_fini(struct swi_refusals *refusals)
{
    free(refusals->item);
    pthread_mutex_destroy(&refusals->lock);
}

static const char *name_of(enum sw_value_kind kind, bool several)
{
    static const char *const names[SW_VALUE_KINDS][2] = {
        [0] = {"number", "numbers"},
        [SW_VALUE_TEXT] = {"text", "texts"},
        [SW_VALUE_TABLE] = {"table", "tables"},
        [SW_VALUE_HISTOGRAM] = {"histogram", "histograms"},
        [SW_VALUE_IMAGES] = {"picture", "pictures"},
        [SW_VALUE_FILE] = {"file", "files"},
        [SW_VALUE_LINE] = {"line", "lines"},
    };
    return names[kind][several];
}

const char *swi_values_plural(enum sw_value_kind kind)
{
    return name_of(kind, true);
}

/* ---- refused --------------------------------------------------------------------------------- */

/* Call it with the lock. Returns NULL if the name is new and cannot be kept. */
static struct swi_refusal *refusal_of(struct swi_refusals *refusals, enum sw_value_kind kind,
                                      const char *name)
{
    struct swi_refusal *item = refusals->item;
    for (size_t i = 0; i < refusals->count; i++)
        if (item[i].kind == kind && strncmp(item[i].name, name, sizeof item[i].name - 1) == 0)
            return &item[i];
    if (!item)
        item = refusals->item = calloc(SWI_REFUSALS, sizeof *item);
    if (!item || refusals->count == SWI_REFUSALS)
        return NULL;
    item += refusals->count++;
    item->kind = kind;
    snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

/* Returns whether this is the first of its name. */
static bool count(struct swi_refusals *refusals, enum sw_value_kind kind, const char *name,
                  const char *why)
{
    pthread_mutex_lock(&refusals->lock);
    struct swi_refusal *refusal = refusal_of(refusals, kind, name);
    bool first = refusal && refusal->count++ == 0;
    if (first)
        snprintf(refusal->why, sizeof refusal->why, "%s", why);
    refusals->others += !refusal;
    pthread_mutex_unlock(&refusals->lock);
    return first;
}

int swi_refuse(struct swi_refusals *refusals, struct swi_messages *messages,
               enum sw_value_kind kind, const char *name, const char *format, ...)
{
    char why[sizeof refusals->item->why];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    if (count(refusals, kind, name, why))
        swi_say(messages, SW_WARNING, "%s of \"%.255s\" are refused: %s", name_of(kind, true), name,
                why);
    return SW_EINVAL;
}

/* If something happened only once, it needs no total. */
static void refusals_say(struct swi_refusals *refusals, struct swi_messages *messages)
{
    for (size_t i = 0; i < refusals->count; i++) {
        const struct swi_refusal *refusal = &refusals->item[i];
        if (refusal->count > 1)
            swi_say(messages, SW_WARNING, "%" PRId64 " %s of \"%s\" were refused: %s",
                    refusal->count, name_of(refusal->kind, true), refusal->name, refusal->why);
    }
    if (refusals->others)
        swi_say(messages, SW_WARNING, "%" PRId64 " values of other names were refused",
                refusals->others);
}

/* ---- dropped --------------------------------------------------------------------------------- */

/* "64MiB" if it is exactly that. */
static const char *size_text(char text[32], size_t bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    int unit = 0;
    for (; unit < 3 && bytes && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(text, 32, "%zu%s", bytes, units[unit]);
    return text;
}

int swi_refusals_drop(struct swi_refusals *refusals, struct swi_messages *messages,
                      enum sw_value_kind kind, size_t limit)
{
    char text[32];
    atomic_fetch_add(&refusals->dropped[kind], 1);
    if (!atomic_exchange(&refusals->reported, true))
        swi_say(messages, SW_WARNING,
                "%s are dropped: values_memory (%s) is full; the total is reported at close",
                name_of(kind, true), size_text(text, limit));
    return SW_ENOMEM;
}

int swi_refusals_report(struct swi_refusals *refusals, struct swi_messages *messages, size_t limit,
                        int rc, struct sw_error *err)
{
    char text[32];
    long long files = atomic_load(&refusals->files);
    refusals_say(refusals, messages);
    if (files) {
        sw_error_append(err, "%s%lld %s dropped: too many waited to be copied",
                        err->code ? "\n" : "", files, files > 1 ? "files were" : "file was");
        rc = err->code = rc < 0 ? rc : SW_ENOMEM;
    }
    for (int i = 1; i < SW_VALUE_KINDS; i++) {
        enum sw_value_kind kind = (enum sw_value_kind)i;
        long long dropped = atomic_load(&refusals->dropped[kind]);
        if (!dropped)
            continue;
        sw_error_append(err, "%s%lld %s %s dropped: values_memory (%s) was full",
                        err->code ? "\n" : "", dropped, name_of(kind, dropped > 1),
                        dropped > 1 ? "were" : "was", size_text(text, limit));
        rc = rc < 0 ? rc : SW_ENOMEM;
        err->code = rc;
    }
    return rc;
}
