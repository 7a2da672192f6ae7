/* SPDX-License-Identifier: MIT */
/* misuse_list.h - calls that did not fit, counted by kind and action, as a report lists them. */
#ifndef CORE_REPORT_MISUSE_LIST_H
#define CORE_REPORT_MISUSE_LIST_H

#include "core/rows/action.h"

#include <stepwatch/report.h>

#include <pthread.h>

enum swi_misuse {
    SWI_BEGUN_TWICE,
    SWI_NOT_BEGUN,        /* ended without a begin */
    SWI_CANCEL_NOT_BEGUN, /* cancelled without one */
    SWI_TOO_DEEP,
    SWI_OPEN_AT_CLOSE,
    SWI_AROUND,   /* a batch was open when `other` began */
    SWI_DISCARDED /* still open when `other` ended */
};

/* Other than these are counted together. */
enum { SWI_MISUSES_MAX = 64 };

struct swi_misuses {
    pthread_mutex_t lock;
    size_t count;
    struct swi_misuse_item {
        enum swi_misuse kind;
        int action;
        int other; /* -1: none */
        int64_t times;
    } item[SWI_MISUSES_MAX];
    int64_t more;
};

/* The longest text of an item. */
enum { SWI_MISUSE_TEXT = 2 * SWI_NAME_MAX + 128 };

void swi_misuses_init(struct swi_misuses *misuses);
void swi_misuses_fini(struct swi_misuses *misuses);

/* What an item says of its calls. */
void swi_misuse_text(char *text, size_t size, const struct swi_misuse_item *item);

/* Begins to count anew. What was said is not said again. */
void swi_misuses_reset(struct swi_misuses *misuses);

/* Appends those that were counted to the report's list; false without memory for all of them. */
bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report);

/* Gives a report its own copy of another one's list. */
bool swi_misuses_copy(struct sw_report *report, const struct sw_report *other);

void swi_misuses_free(const struct sw_report *report);

#endif
