/* SPDX-License-Identifier: MIT */
/* finding.h - a statement about where a run loses time: evidence, effect, and what to try.
 *
 * The report of a finished fit has findings: see struct sw_report. docs/why-is-my-loop-slow.md
 * describes each of them. */
#ifndef STEPWATCH_FINDING_H
#define STEPWATCH_FINDING_H

#include <stepwatch/error.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** How much a finding matters. */
enum sw_finding_level {
    SW_FINDING_NOTE,   /**< worth knowing */
    SW_FINDING_MEDIUM, /**< costs a noticeable part of the time */
    SW_FINDING_HIGH    /**< costs much of the time, makes the report wrong, or will end the run */
};

/** What a piece of evidence is: the field that has it. */
enum sw_evidence_kind {
    SW_EVIDENCE_NUMBER, /**< number */
    SW_EVIDENCE_COUNT,  /**< count */
    SW_EVIDENCE_TEXT,   /**< text */
    SW_EVIDENCE_STEPS,  /**< numbers of training steps: `count` of them, in `step` */
    SW_EVIDENCE_FLAG    /**< none: the name says it all */
};

/** One piece of evidence of a finding, such as the share of draw in a step. */
struct sw_evidence {
    const char *name; /**< such as "share", "low", "period": stable */
    int kind;         /**< enum sw_evidence_kind: ignore kinds that you do not know */
    double number;    /**< for shares, 1 is 100 %; if the name ends in _ns, nanoseconds */
    int64_t count;
    const char *text; /**< such as the name of an action, as the user gave it */
    const int64_t *step;
};

/** A finding. Texts are in English, without a line break at the end. */
struct sw_finding {
    const char *id; /**< such as "input-bound": stable, unlike the text */
    enum sw_finding_level level;
    double gain; /**< how much faster training, or the run, would be: 0.5 is 50 %; 0: unknown */
    const char *text;      /**< what was found, and its effect */
    const char *next;      /**< what to try */
    size_t evidence_count; /**< see sw_finding_evidence() */
    size_t evidence_size;  /**< bytes from one piece of evidence to the next */
    const struct sw_evidence *evidence;
    const char *formula; /**< the condition that was met, and how gain follows from the evidence */
};

/** Returns piece of evidence i of a finding, from 0; i is less than finding->evidence_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_evidence *
sw_finding_evidence(const struct sw_finding *finding, size_t i)
{
    return (const struct sw_evidence *)(const void *)((const char *)finding->evidence +
                                                      i * finding->evidence_size);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
