/* SPDX-License-Identifier: MIT */
/* explained.h - finds where the runs of run logs lose time. */
#ifndef TOOLS_LOG_EXPLAINED_H
#define TOOLS_LOG_EXPLAINED_H

#include "tools/log/log_fits.h"
#include "tools/log/run_replay.h"

/* A fit and the findings of the rules. */
struct explained_fit {
    int64_t number; /* 1 for the first fit of the run */
    int64_t steps;  /* of training */
    int64_t judged; /* of these: fewer in a long fit */
    bool dropped;   /* the first of them is left out */
    struct swi_advice advice;
};

struct explained {
    struct replay replay; /* what the log lacks, for replay_say_ending() */
    struct log_fits fits;
    size_t count;
    struct explained_fit *fit; /* those with training steps */
};

/* Reads a log and judges its fits. An empty log has no fits. Returns 0 or a negative code. Call
 * explained_free() in any case. */
int explained_read(struct explained *explained, const char *path, struct sw_error *err);
/* Judges the fits, which somebody else has filled. Returns 0 or SW_ENOMEM. */
int explained_judge(struct explained *explained, struct sw_error *err);
void explained_free(struct explained *explained);

/* Returns the worst level of all findings, or -1 if there are none. */
int explained_worst(const struct explained *explained);

#endif
