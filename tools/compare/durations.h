/* SPDX-License-Identifier: MIT */
/* durations.h - reads how long each action took in each step of a recorded run. */
#ifndef TOOLS_COMPARE_DURATIONS_H
#define TOOLS_COMPARE_DURATIONS_H

#include "tools/compare/means.h"
#include "tools/compare/step_counters.h"
#include "tools/explain/explained.h"
#include "tools/log/run_replay.h"

#include <stepwatch/report.h>

/* An action in the steps of a phase: its time per step, which is 0 in steps without it. SW_STEP is
 * draw and batch. */
struct duration {
    enum sw_phase phase; /* SW_PHASE_TRAIN or SW_PHASE_VALID */
    int action_id;
    const char *action;
    struct means ns;
};

struct durations {
    struct replay replay;       /* how the log ended */
    struct explained explained; /* its findings */
    char *host;
    bool drop_first;
    size_t count;
    struct duration *item; /* step first, then in the order of the log; train before valid */
    struct step_counters counters;
    int64_t steps[SW_PHASE_VALID + 1];
    double samples; /* of the training steps */
    int fit;        /* state of the sink: the fit, and the phases seen in it */
    bool seen[SW_PHASE_VALID + 1];
};

/* Reads a log. Returns 0 or a negative code. Call durations_free() in any case. */
int durations_read(struct durations *durations, const char *path, struct sw_error *err);
void durations_free(struct durations *durations);

#endif
