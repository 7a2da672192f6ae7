/* SPDX-License-Identifier: MIT */
/* container.h - the end of fit, epoch, train and valid. */
#ifndef CORE_LOOP_CONTAINER_H
#define CORE_LOOP_CONTAINER_H

#include "core/loop/state.h"

/* Ends the innermost region, which is one of these. */
void swi_container_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);

/* Ends the fit that is open; where there was none, one of all that was measured. Returns when. The
 * caller vouches that no other thread is at it. */
int64_t swi_fit_close(struct sw_profiler *sw);

#endif
