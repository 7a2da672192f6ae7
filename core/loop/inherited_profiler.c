/* SPDX-License-Identifier: MIT */
#include "core/loop/calling_thread.h"
#include "core/loop/state.h"

#include <stdio.h>
#include <unistd.h>

static atomic_uint calls; /* on inherited profilers */
static atomic_bool reported;
static _Atomic(struct sw_profiler *) called;

#define SENTENCE                                                                                   \
    "this process (%d) was forked after sw_open(), which process %d called: nothing is measured "  \
    "here; call sw_open() after fork() or daemon()"

/* Reports a child whose parent did not open the profiler, as after daemon() or a double fork.
 * Children that work for their parent, like those of a data loader, are not reported. */
static bool is_on_its_own(const struct sw_profiler *sw)
{
    return getppid() != sw->records.run.pid;
}

static void tell(struct sw_profiler *sw)
{
    char text[256];
    if (!is_on_its_own(sw) || atomic_exchange(&reported, true))
        return;
    snprintf(text, sizeof text, SENTENCE, (int)getpid(), (int)sw->records.run.pid);
    swi_say_in_child(&sw->records.messages, text);
}

void swi_inherited_off(struct sw_profiler *sw)
{
    sw->measured.forked = true;
    atomic_store(&sw->measured.dead, true);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}

/* A parent that is about to end may still exist at the first call, so the check is repeated, less
 * and less often. */
void swi_inherited_called(struct sw_profiler *sw)
{
    unsigned count = atomic_fetch_add(&calls, 1) + 1;
    atomic_store(&called, sw);
    if (!(count & (count - 1)) && !atomic_load(&reported))
        tell(sw);
}

void swi_inherited_exit(void)
{
    struct sw_profiler *sw = atomic_load(&called);
    if (sw && atomic_load(&calls))
        tell(sw);
}

int swi_inherited_refuse(const struct sw_profiler *sw, struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL, SENTENCE, (int)getpid(), (int)sw->records.run.pid);
}

int swi_inherited_close(const struct sw_profiler *sw, struct sw_error *err)
{
    sw_error_init(err);
    return is_on_its_own(sw) ? swi_inherited_refuse(sw, err) : 0;
}

void swi_inherited_child(void)
{
    atomic_store(&calls, 0);
    atomic_store(&reported, false);
}
