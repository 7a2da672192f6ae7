/* SPDX-License-Identifier: MIT */
/* metric_record.h - records of metrics: names, values that the user logged, and samples of
 * monitors. */
#ifndef CORE_RECORDS_METRIC_RECORD_H
#define CORE_RECORDS_METRIC_RECORD_H

#include "core/records/recorder.h"

#include <stepwatch/values.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- names of metrics and of other values ---------------------------------------------------- */

/* Each is interned: copied once, for as long as the profiler, with the kind of its first value. */

struct swi_names;

struct swi_names *swi_names_new(void);
void swi_names_free(struct swi_names *names);

/* The kind of a name that is a number's. */
#define SWI_NUMBER ((enum sw_value_kind)0)

/* Names of other values that may be interned. */
enum { SWI_VALUE_NAMES = 4096 };

/* Returns the interned name for a value of a kind that is not a number. NULL where the name
 * has values of another kind, which *is is set to; and, with *is the kind itself, where there are
 * too many names or no memory. */
const char *swi_names_take(struct swi_names *names, const char *name, enum sw_value_kind kind,
                           enum sw_value_kind *is);

/* The kind of a name; SWI_NUMBER if it has none yet. */
enum sw_value_kind swi_names_kind(struct swi_names *names, const char *name);

/* Returns a metric's interned name. Returns NULL if out of memory, if the limit of interned
 * names is reached and `always` is false, or if the name has values of another kind. Any thread may
 * call it. */
const char *swi_names_get(struct swi_names *names, const char *name, bool always);

/* The number of an interned name, from 1 on; 0: it has none, because there are too many. */
uint16_t swi_metric_name_number(const char *interned);
/* Returns the interned name of a number; NULL if there is none. */
const char *swi_metric_name_of(const struct swi_names *names, unsigned number);

/* What the values of an interned name were so far. */
enum { SWI_NAME_WAS_NUMBER = 1, SWI_NAME_REPORTED_NAN = 2 };

/* The byte in front of an interned name; any thread may change it. */
static inline atomic_uchar *swi_name_seen(const char *interned)
{
    return (atomic_uchar *)(uintptr_t)(interned - 1);
}

/* A comparison would raise an exception for a signalling NaN, which the program may have made. */
static inline bool swi_is_nan(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits << 1 > UINT64_C(0x7ff) << 53;
}

/* Takes a value of an interned name. Returns whether it was a number before, is not one any more,
 * and that was not told yet: it is to be told now. */
static inline bool swi_name_turns_nan(const char *interned, double value)
{
    atomic_uchar *flags = swi_name_seen(interned);
    unsigned char was = atomic_load_explicit(flags, memory_order_relaxed);
    if (!swi_is_nan(value)) {
        if (!was)
            atomic_fetch_or_explicit(flags, SWI_NAME_WAS_NUMBER, memory_order_relaxed);
        return false;
    }
    return was == SWI_NAME_WAS_NUMBER &&
           atomic_fetch_or_explicit(flags, SWI_NAME_REPORTED_NAN, memory_order_relaxed) ==
               SWI_NAME_WAS_NUMBER;
}

/* 1 + the step of the last value of an interned name that had a step of its own; 0: none. Any
 * thread may change it. */
atomic_llong *swi_name_own_step(const char *interned);

/* A name that is not interned. The record with its value owns it. */
struct swi_own_name {
    struct swi_own_name *next;
    char text[];
};
struct swi_own_name *swi_own_name_new(const char *text);
void swi_own_names_free(struct swi_own_name *names);

enum { SWI_VALUES_MAX = 48 };

/* The user's values of the current step that were not sent yet. Only the loop's thread writes it.
 */
struct swi_values {
    struct swi_value {
        const char *name;
        double value;
    } item[SWI_VALUES_MAX];
    struct swi_own_name *own_names; /* the names in `item` that are not interned */
    int64_t sent_tick;              /* when the last metrics record was sent */
    size_t count;                   /* comes last: each step reads it, but mostly not the values */
};

/* Makes the record own these names: it frees them when it is freed. */
void swi_own_names_give(struct swi_record *record, struct swi_own_name *names);

/* ---- records of samples of monitors ---------------------------------------------------------- */

/* When a sample was taken, and the last training step that had ended then. */
struct swi_sampled_at {
    int64_t tick;
    int64_t step;
};

struct swi_sampled_at swi_sampled_now(const struct swi_recorder *records);

/* Hands one sample over, if some sink wants samples and there are values. Names are copied. Any
 * thread. */
void swi_recorder_sample(struct swi_recorder *records, const struct sw_metric *values, size_t count,
                         struct swi_sampled_at at);

#endif
