/* SPDX-License-Identifier: MIT */
/* defined_rules.h - the rules of sw_define() so far, and which of them counts for a metric. */
#ifndef SINKS_COMMON_DEFINED_RULES_H
#define SINKS_COMMON_DEFINED_RULES_H

#include "core/text/map.h"

#include <stepwatch/value_records.h>

struct swi_stored_rule {
    char *pattern; /* without the star */
    size_t length; /* of it */
    bool prefix;   /* it has a star */
    char *axis;    /* NULL: the training step */
    unsigned keep; /* 0: nothing was said */
    enum sw_goal goal;
    bool hidden;
    char *unit, *description; /* may be NULL */
};

/* Initialise it as {0}. */
struct swi_defined_rules {
    size_t count;
    struct swi_map patterns;      /* with their stars */
    struct swi_stored_rule *rule; /* by the number of the pattern */
};

/* Adds a rule, or replaces that of the same pattern. Returns false if out of memory. */
bool swi_defined_rules_take(struct swi_defined_rules *rules, const struct sw_defined_rule *defined);

/* Returns the rule of a metric, or NULL: an exact name has priority over patterns, and a longer
 * pattern over a shorter one. */
const struct swi_stored_rule *swi_defined_rules_find(const struct swi_defined_rules *rules,
                                                     const char *name, size_t size);

/* Returns the number of the rule of a name itself, or -1. */
ptrdiff_t swi_defined_rules_exact(const struct swi_defined_rules *rules, const char *name,
                                  size_t size);

void swi_defined_rules_fini(struct swi_defined_rules *rules);

#endif
