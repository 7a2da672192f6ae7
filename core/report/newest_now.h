/* SPDX-License-Identifier: MIT */
/* newest_now.h - the newest steps of a fit that is still open, when the end of the program cuts it
 * off: with those that wait to be added up. */
#ifndef CORE_REPORT_NEWEST_NOW_H
#define CORE_REPORT_NEWEST_NOW_H

#include "core/rows/measured.h"

/* Returns a copy of the steps that the findings need, for swi_newest_give_back(); NULL if nobody
 * wants findings, the loop's thread is in the middle of a change, or memory ran out. Call it with
 * the lock held. */
struct swi_newest_steps *swi_newest_now(struct swi_measured *measured,
                                        const struct swi_thread *loop);

#endif
