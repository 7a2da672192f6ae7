/* SPDX-License-Identifier: MIT */
/* misuse_list.h - wrong calls, counted by kind and action, as a report lists them. */
#ifndef CORE_REPORT_MISUSE_LIST_H
#define CORE_REPORT_MISUSE_LIST_H

#include "core/rows/action.h"

#include <stepwatch/report.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum swi_misuse {
    SWI_BEGUN_TWICE,
    SWI_NOT_BEGUN,        /* ended without a begin */
    SWI_CANCEL_NOT_BEGUN, /* cancelled without a begin */
    SWI_TOO_DEEP,
    SWI_OPEN_AT_CLOSE,
    SWI_AROUND,      /* a batch was open when `other` began */
    SWI_DISCARDED,   /* still open when `other` ended */
    SWI_IN_HANDLER,  /* in a signal handler that interrupted a call */
    SWI_COUNTED_BACK /* sw_count() of a negative number; the action is a counter */
};

/* The most entries with a count of their own. All others are counted together. */
enum { SWI_MISUSES_MAX = 64 };

struct swi_misuses {
    pthread_mutex_t lock;
    size_t count;
    struct swi_misuse_item {
        enum swi_misuse kind;
        int action;
        int other; /* -1 if there is none */
        int64_t times;
        bool reported; /* its message was sent */
    } item[SWI_MISUSES_MAX];
    int64_t more;
    atomic_bool unreported; /* a message is due */
};

/* Bytes of the longest text of an item. */
enum { SWI_MISUSE_TEXT = 2 * SWI_NAME_MAX + 128 };

void swi_misuses_init(struct swi_misuses *misuses);
void swi_misuses_fini(struct swi_misuses *misuses);

/* Writes what the calls of an item did wrong. */
void swi_misuse_text(char *text, size_t size, const struct swi_misuse_item *item);

/* Sets all counts to 0. A misuse that was reported before is not reported again. */
void swi_misuses_reset(struct swi_misuses *misuses);

/* Appends the counted misuses to the report's list. Returns false if memory runs out before all of
 * them are appended. */
bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report);

/* Gives a report its own copy of the list of another report. */
bool swi_misuses_copy(struct sw_report *report, const struct sw_report *other);

void swi_misuses_free(const struct sw_report *report);

#endif
