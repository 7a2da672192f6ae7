/* SPDX-License-Identifier: MIT */
/* stall.h - decides when a loop that makes no steps has stalled. The limits depend on what the loop
 * is doing, and are learned from how long that usually takes. The caller passes the time and looks
 * at the loop. */
#ifndef CORE_WATCHDOG_STALL_H
#define CORE_WATCHDOG_STALL_H

#include <stdbool.h>
#include <stdint.h>

/* What the loop is doing. */
enum swi_stage {
    SWI_STAGE_START,      /* before the first step */
    SWI_STAGE_STEP,       /* in a training step */
    SWI_STAGE_VALID_STEP, /* in a validation step */
    SWI_STAGE_VALID,      /* in validation without steps */
    SWI_STAGE_BETWEEN,    /* in a fit, but in neither of them, such as for a checkpoint */
    SWI_STAGE_AWAY,       /* in a pause or after a fit: not watched */
    SWI_PLACES
};

enum { SWI_STALL_STEPS = 512 };

struct swi_stall_steps {
    int64_t count;
    int64_t ring[SWI_STALL_STEPS]; /* durations of the newest steps */
    int64_t known;                 /* `count` when the following was calculated */
    int64_t high_ns;               /* 99 % of them took no longer */
    int64_t usual_ns;              /* the median */
};

/* The state. Times are nanoseconds of any clock. */
struct swi_stall {
    int64_t timeout_ns;
    enum swi_stage stage;
    int64_t since_ns;                /* when the last step ended, or the place was entered */
    int64_t first_ns;                /* when the first step began; -1 if there was none */
    struct swi_stall_steps steps[2]; /* for training and for validation */
    int64_t longest_ns[SWI_PLACES];  /* the longest stretch without steps */
    bool reported;
    int64_t reported_since_ns; /* when the last reported stall began */
};

void swi_stall_init(struct swi_stall *stall, int64_t timeout_ns, int64_t now_ns);

/* Takes what a look has found: where the loop is now, and how many steps have ended since the
 * previous look. Returns true if a reported stall is over. */
bool swi_stall_check(struct swi_stall *stall, enum swi_stage stage, int64_t steps, int64_t now_ns);

/* Returns true once per stall, when it must be reported. */
bool swi_stall_begins(struct swi_stall *stall, int64_t now_ns);

/* Leaves out a time in which the program was stopped. */
void swi_stall_leave_out(struct swi_stall *stall, int64_t ns);

#endif
