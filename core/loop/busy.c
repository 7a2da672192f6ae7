/* SPDX-License-Identifier: MIT */
#include "core/loop/busy.h"
#include "core/loop/misuse.h"

void swi_busy_tell(struct sw_profiler *sw)
{
    struct swi_thread *thread = swi_current.thread;
    int refused = swi_current.refused, action = swi_current.refused_action;
    swi_current.refused = 0;
    if (thread)
        swi_misuses_in_handlers(sw, thread, action, refused);
}
