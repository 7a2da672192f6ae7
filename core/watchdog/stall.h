/* SPDX-License-Identifier: MIT */
/* stall.h - when a loop that makes no step stands still: limits by what the loop is doing, learned
 * from how long that usually takes. Knows no clock and no thread: whoever looks says both. */
#ifndef CORE_WATCHDOG_STALL_H
#define CORE_WATCHDOG_STALL_H

#include <stdbool.h>
#include <stdint.h>

/* Where the loop is. */
enum swi_place {
    SWI_PLACE_START,      /* before the first step */
    SWI_PLACE_STEP,       /* of training */
    SWI_PLACE_VALID_STEP, /* of validation */
    SWI_PLACE_VALID,      /* in validation that ends no steps */
    SWI_PLACE_BETWEEN,    /* in a fit, outside of both: checkpoints */
    SWI_PLACE_AWAY,       /* in a pause, or after a fit: it is not watched */
    SWI_PLACES
};

enum { SWI_STALL_STEPS = 512 };

struct swi_stall_steps {
    int64_t count;
    int64_t ring[SWI_STALL_STEPS]; /* durations of the newest */
    int64_t known;                 /* of count, when what follows was computed */
    int64_t high_ns;               /* 99 % took no longer */
    int64_t usual_ns;              /* the median */
};

/* Times are nanoseconds of any clock. */
struct swi_stall {
    int64_t timeout_ns;
    enum swi_place place;
    int64_t since_ns;                /* when the last step ended, or the place was entered */
    int64_t first_ns;                /* of the first step; -1: none yet */
    struct swi_stall_steps steps[2]; /* of training and validation */
    int64_t longest_ns[SWI_PLACES];  /* stretch without steps */
    bool told;
    int64_t told_since_ns; /* when the stall began that was told last */
};

void swi_stall_init(struct swi_stall *stall, int64_t timeout_ns, int64_t now_ns);

/* What a look has found: where the loop is now, and how many steps have ended since the look
 * before. Returns whether a stall that was told is over. */
bool swi_stall_look(struct swi_stall *stall, enum swi_place place, int64_t steps, int64_t now_ns);

/* For how long nothing may happen where the loop is. */
int64_t swi_stall_limit(struct swi_stall *stall);

/* Whether the loop stands still, and that was not told yet: it is now. */
bool swi_stall_begins(struct swi_stall *stall, int64_t now_ns);

/* Leaves out a time in which nobody could do anything: the program was stopped. */
void swi_stall_leave_out(struct swi_stall *stall, int64_t ns);

#endif
