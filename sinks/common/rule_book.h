/* SPDX-License-Identifier: MIT */
/* rule_book.h - the rules of sw_define() so far, and which of them counts for a metric. */
#ifndef SINKS_COMMON_RULE_BOOK_H
#define SINKS_COMMON_RULE_BOOK_H

#include <stepwatch/value_records.h>

struct swi_book_rule {
    char *pattern; /* without the star */
    bool prefix;   /* it has one */
    char *axis;    /* NULL: the training step */
    unsigned keep; /* 0: nothing was said */
    enum sw_goal goal;
    bool hidden;
    char *unit, *description; /* may be NULL */
};

/* Begins as {0}. */
struct swi_rule_book {
    size_t count;
    struct swi_book_rule *rule;
};

/* Adds a rule, or replaces that of the same pattern. False without memory. */
bool swi_rule_book_take(struct swi_rule_book *book, const struct sw_defined_rule *defined);

/* The rule of a metric: an exact name before patterns, a longer pattern before a shorter one. NULL:
 * none. */
const struct swi_book_rule *swi_rule_book_find(const struct swi_rule_book *book, const char *name);

void swi_rule_book_fini(struct swi_rule_book *book);

#endif
