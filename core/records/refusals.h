/* SPDX-License-Identifier: MIT */
/* refusals.h - values that are not logged: refused for what the program gave, or dropped as there
 * was no room. Each name is reported once, and the totals at close. */
#ifndef CORE_RECORDS_REFUSALS_H
#define CORE_RECORDS_REFUSALS_H

#include "core/delivery/messages.h"

#include <stepwatch/values.h>

#include <stdint.h>

/* Names that are counted by themselves; the rest is counted together. */
enum { SWI_REFUSALS = 64 };

struct swi_refusal {
    char name[256];
    char why[160];
    enum sw_value_kind kind; /* SWI_NUMBER: metrics */
    int64_t count;
};

struct swi_refusals {
    pthread_mutex_t lock;
    size_t count;
    struct swi_refusal *item; /* made for the first */
    int64_t others;
    atomic_llong dropped[SW_VALUE_KINDS]; /* by kind: the budget was full */
    atomic_bool said;                     /* that it is */
    atomic_llong files;                   /* dropped, as too many were open */
    atomic_bool files_said;
    atomic_bool cut_said;  /* that a text was cut */
    atomic_bool rows_said; /* that a table was cut */
};

void swi_refusals_init(struct swi_refusals *refusals);
void swi_refusals_fini(struct swi_refusals *refusals);

/* "texts", "pictures": many values of a kind. */
const char *swi_values_plural(enum sw_value_kind kind);

/* Says why a value is refused, unless that was said of its name, and counts it. Returns SW_EINVAL.
 */
__attribute__((format(printf, 5, 6))) int swi_refuse(struct swi_refusals *refusals,
                                                     struct swi_messages *messages,
                                                     enum sw_value_kind kind, const char *name,
                                                     const char *format, ...);

/* Counts a value that the budget of `limit` bytes had no room for. Returns SW_ENOMEM. */
int swi_refusals_drop(struct swi_refusals *refusals, struct swi_messages *messages,
                      enum sw_value_kind kind, size_t limit);

/* At close: says the totals of refusals, and appends what was dropped to err. Returns rc, or
 * SW_ENOMEM where rc was 0 and something was dropped. */
int swi_refusals_tell(struct swi_refusals *refusals, struct swi_messages *messages, size_t limit,
                      int rc, struct sw_error *err);

#endif
