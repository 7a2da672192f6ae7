/* SPDX-License-Identifier: MIT */
/* finding_draft.h - how a rule reports what it found, and its cost. */
#ifndef CORE_ADVICE_FINDING_DRAFT_H
#define CORE_ADVICE_FINDING_DRAFT_H

#include "core/advice/analysis.h"
#include "core/text/buffer.h"

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
/* Adds the effect of a gain: "59,320 samples/s instead of 20,332 (+192 %)". faster: of training;
 * faster_run: of the run, including everything but training. */
void swi_rates_put(struct swi_text *text, double rate, double gain, bool samples);
void swi_faster(struct swi_text *text, const struct swi_analysis *analysis, double gain);
void swi_faster_run(struct swi_text *text, const struct swi_analysis *analysis, double gain);
/* Adds ", over the newest 8,192 steps", or ", over 131,072 of the 1,000,000 steps", if only these
 * are known, else nothing. */
void swi_known_steps(struct swi_text *text, const struct swi_analysis *analysis);

#endif
