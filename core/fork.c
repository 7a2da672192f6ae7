/* SPDX-License-Identifier: MIT */
#include "core/fork.h"
#include "core/delivery/run_copy.h"
#include "core/counters/named_events.h"
#include "core/counters/user.h"
#include "core/exit.h"
#include "core/files/file.h"
#include "core/files/write_lock.h"
#include "core/loop/inherited_profiler.h"
#include "core/plugins/descriptor.h"
#include "core/plugins/register.h"
#include "core/process/last_thread.h"
#include "core/process/capture_signal.h"
#include "core/process/child.h"
#include "core/process/crash.h"
#include "core/process/signals.h"
#include "core/rows/action.h"

#include <pthread.h>

/* The child has one thread, however many the parent had. */
static void become(void)
{
    swi_inherited_child();
    swi_action_child();
    swi_user_counters_child();
    swi_named_events_child();
    swi_last_thread_child();
    swi_registered_child();
    swi_descriptor_child();
    swi_run_child();
    swi_stdout_child();
    swi_write_lock_child();
    swi_fault_child();
    swi_signals_child();
    swi_capture_signal_child();
    swi_exit_inherit();
}

static void after_fork_child(void)
{
    swi_exit_forked();
    swi_child_enter(become);
}

__attribute__((constructor)) static void fork_watch(void)
{
    pthread_atfork(swi_exit_fork, swi_exit_forked, after_fork_child);
}

void swi_process_enter(void)
{
    if (!swi_child_claim())
        return;
    swi_exit_unlock();
    swi_child_enter(become);
}
