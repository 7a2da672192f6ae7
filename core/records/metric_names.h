/* SPDX-License-Identifier: MIT */
/* metric_names.h - names of metrics. Each is copied once and kept until the profiler is closed. */
#ifndef CORE_RECORDS_METRIC_NAMES_H
#define CORE_RECORDS_METRIC_NAMES_H

#include <stdbool.h>

struct swi_names;

struct swi_names *swi_names_new(void);
void swi_names_free(struct swi_names *names);

/* Returns the kept copy of a name. Returns NULL if out of memory, or if the limit of kept names is
 * reached and `always` is false. Any thread may call it. */
const char *swi_names_get(struct swi_names *names, const char *name, bool always);

/* A name that is not kept. The record with its value owns it. */
struct swi_own_name {
    struct swi_own_name *next;
    char text[];
};
struct swi_own_name *swi_own_name_new(const char *text);
void swi_own_names_free(struct swi_own_name *names);

#endif
