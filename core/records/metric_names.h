/* SPDX-License-Identifier: MIT */
/* metric_names.h - names of metrics: each is copied once, and kept for as long as the profiler. */
#ifndef CORE_RECORDS_METRIC_NAMES_H
#define CORE_RECORDS_METRIC_NAMES_H

#include <stdbool.h>

struct swi_names;

struct swi_names *swi_names_new(void);
void swi_names_free(struct swi_names *names);

/* Returns the kept copy of a name; NULL without memory, and where there are so many names that no
 * more are kept (always: not then). Any thread. */
const char *swi_names_get(struct swi_names *names, const char *name, bool always);

/* A name that is not kept, but belongs to the record that its value goes into. */
struct swi_own_name {
    struct swi_own_name *next;
    char text[];
};
struct swi_own_name *swi_own_name_new(const char *text);
void swi_own_names_free(struct swi_own_name *names);

#endif
