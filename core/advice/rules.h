/* SPDX-License-Identifier: MIT */
/* rules.h - the rules, in the order in which they judge. swi_rule_NAME is defined in rule_NAME.c.
 */
#ifndef CORE_ADVICE_RULES_H
#define CORE_ADVICE_RULES_H

#include "core/advice/analysis.h"

/* Which runs a rule can judge. For other runs, its id is reported as abstained. */
enum swi_rule_needs {
    SWI_NEEDS_RUN,   /* all runs */
    SWI_NEEDS_STEPS, /* runs with at least 32 training steps */
    SWI_NEEDS_CALM   /* such runs whose durations do not vary too much */
};

struct swi_rule {
    const char *id; /* what it looks for; NULL: another rule reports that both abstain */
    enum swi_rule_needs needs;
    void (*analysis)(struct swi_analysis *analysis);
};

/* A rule that explains a slow step removes it from the rules that follow. */
#define SWI_RULES(EACH)                                                                            \
    EACH(tiny_steps)                                                                               \
    EACH(overhead)                                                                                 \
    EACH(misuse)                                                                                   \
    EACH(never_ended)                                                                              \
    EACH(memory_growth)                                                                            \
    EACH(warm_up)                                                                                  \
    EACH(input_bound)                                                                              \
    EACH(epoch_start)                                                                              \
    EACH(loader_bursts)                                                                            \
    EACH(periodic)                                                                                 \
    EACH(slow_tail)                                                                                \
    EACH(drift)                                                                                    \
    EACH(two_kinds)                                                                                \
    EACH(launches_only)                                                                            \
    EACH(phase)                                                                                    \
    EACH(unmeasured_batch)                                                                         \
    EACH(ragged)                                                                                   \
    EACH(validation)                                                                               \
    EACH(unmeasured)                                                                               \
    EACH(straggler)
#define SWI_RULE_DECLARE(name) extern const struct swi_rule swi_rule_##name;
SWI_RULES(SWI_RULE_DECLARE)

#endif
