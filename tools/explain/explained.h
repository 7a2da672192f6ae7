/* SPDX-License-Identifier: MIT */
/* explained.h - where the runs of run logs lose time. */
#ifndef TOOLS_EXPLAIN_EXPLAINED_H
#define TOOLS_EXPLAIN_EXPLAINED_H

#include "tools/explain/log_fits.h"
#include "tools/log/run_replay.h"

/* A fit and what the rules say of it. */
struct explained_fit {
    int64_t number; /* 1 for the first fit of the run */
    size_t steps;   /* of training */
    bool dropped;   /* and the first of them is left out */
    struct swi_advice advice;
};

struct explained {
    struct replay replay; /* what the log lacks, for replay_say_ending() */
    struct log_fits fits;
    size_t count;
    struct explained_fit *fit; /* those with steps of training */
};

/* Reads a log and judges its fits. 0, or a negative code; it is to be given to explained_free() in
 * any case. An empty log has no fits. */
int explained_read(struct explained *explained, const char *path, struct sw_error *err);
void explained_free(struct explained *explained);

/* Judges what log_fits_line() took so far, anew each time. 0 or SW_ENOMEM. */
int explained_judge(struct explained *explained, struct sw_error *err);

/* The worst level of all findings; -1: there are none. */
int explained_worst(const struct explained *explained);

#endif
