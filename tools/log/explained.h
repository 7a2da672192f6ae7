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

/* Gets a fit. It may take the advice over, and leave another one. */
typedef void explained_fn(void *arg, struct explained_fit *fit);

struct explained {
    struct replay replay; /* what the log lacks, for replay_say_ending() */
    struct log_fits fits;
    explained_fn *each; /* gets each fit with training steps */
    void *arg;
    int64_t told; /* fits with training steps */
    int worst;    /* the worst level of all findings; -1: there are none */
};

/* Begins with nothing. each: called in the order of the fits, possibly on another thread, while the
 * log is being read, so that their findings take no memory. */
void explained_init(struct explained *explained, const char *path, explained_fn *each, void *arg);
/* Reads the log and judges its fits. An empty log has no fits. Returns 0 or a negative code. Call
 * explained_free() in any case. */
int explained_read(struct explained *explained, struct sw_error *err);
void explained_free(struct explained *explained);

#endif
