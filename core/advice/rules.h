/* SPDX-License-Identifier: MIT */
/* rules.h - the rules, in the order in which they judge. swi_rule_NAME is defined in rule_NAME.c.
 */
#ifndef CORE_ADVICE_RULES_H
#define CORE_ADVICE_RULES_H

#include "core/advice/analysis.h"
#include "core/text/buffer.h"

#include <stdint.h>

/* ---- how a rule reports what it found, and its cost ------------------------------------------ */

/* A finding while its rule writes it. */
struct swi_draft {
    const char *id;
    enum sw_finding_level level;
    double gain;
    const char *formula; /* static */
    struct swi_text text, next;
    size_t count;
    struct sw_evidence evidence[8];
    int64_t step[3];
};

void swi_draft_number(struct swi_draft *said, const char *name, double value);
void swi_draft_count(struct swi_draft *said, const char *name, int64_t value);
void swi_draft_text(struct swi_draft *said, const char *name, const char *value);
/* Adds steps by their indices, three at most. */
void swi_draft_steps(struct swi_draft *said, const struct swi_analysis *analysis, const size_t *at,
                     size_t count);

/* Adds the share of training that slow steps at a period cost, the period in steps, how much longer
 * each takes, and how many there are. */
void swi_draft_period(struct swi_draft *said, double share, int64_t period, double each_ns,
                      size_t hits);

/* What to try if the loop has to wait for a processor. */
#define SWI_TRY_OTHER_CORES                                                                        \
    "Look at the load of the machine. Give the program cores of its own (taskset, cgroups, the "   \
    "batch system), and use no more threads than cores."

/* Adds the finding, and frees its texts. The text of a rule that looks at single steps says so if
 * not all steps are known. */
void swi_find(struct swi_analysis *analysis, struct swi_draft *said);
/* Records the verdict of a rule that found nothing. */
__attribute__((format(printf, 4, 5))) void swi_check(struct swi_analysis *analysis, const char *id,
                                                     enum swi_verdict_on_rule verdict,
                                                     const char *format, ...);

/* Returns whether there is a finding with this id so far. */
bool swi_is_found(const struct swi_analysis *analysis, const char *id);

/* Returns the gain if a share of the time is saved. */
double swi_gain_of(double share);
/* Adds the effect of a gain: "59,320 samples/s instead of 20,332 (+192 %).". faster: of training;
 * faster_run: of all steps in so many ns, such as those of the whole fit. */
void swi_faster(struct swi_text *text, const struct swi_analysis *analysis, double gain);
void swi_faster_run(struct swi_text *text, const struct swi_analysis *analysis, double ns,
                    double gain);
/* Adds ", over the newest 8,192 steps", or ", over 131,072 of the 1,000,000 steps", if only these
 * are known, else nothing. */
void swi_known_steps(struct swi_text *text, const struct swi_analysis *analysis);

/* ---- numbers in the sentences of findings, independent of the locale ------------------------- */

/* A word for direct use in the expression that makes it: swi_word_percent(share).text. */
struct swi_word {
    char text[40];
};

struct swi_word swi_word_percent(double share); /* "66 %", "8.1 %" */
struct swi_word swi_word_change(double share);  /* "+31.2 %", "-0.4 %" */
struct swi_word swi_word_tenths(double value);  /* "1.0" */
struct swi_word swi_word_time(double ns);       /* "12.3 ms": three digits */
struct swi_word swi_word_bytes(double bytes);   /* "2.28 GiB", "512 MiB" */
struct swi_word swi_word_rate(double rate);     /* "59,320"; "4.81" below 99.5 */
struct swi_word swi_word_count(int64_t count);  /* "1,379" */
struct swi_word swi_word_ordinal(int64_t k);    /* "8th" */

/* Which runs a rule can judge. For other runs, its id is reported as abstained. */
enum swi_rule_needs {
    SWI_NEEDS_RUN,   /* all runs */
    SWI_NEEDS_STEPS, /* runs with at least 32 training steps */
    SWI_NEEDS_CALM   /* such runs whose durations do not vary too much */
};

struct swi_rule {
    const char *id; /* what it looks for, for the line that says for which findings there were too
                     few steps; not read with SWI_NEEDS_RUN; NULL: another rule says it for both */
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
