/* SPDX-License-Identifier: MIT */
#include "core/loop/loop_thread.h"
#include "core/loop/sampling.h"
#include "core/loop/note_event.h"

void swi_loop_begin(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_thread *nobody = NULL;
    if (thread->claimed || !atomic_compare_exchange_strong(&sw->measured.claim, &nobody, thread))
        return;
    thread->claimed = true;
    if (!atomic_load_explicit(&thread->claim_order, memory_order_relaxed))
        atomic_store(&thread->claim_order, atomic_fetch_add(&sw->measured.claims, 1) + 1);
    swi_note_event(sw, thread, swi_clock_tick(&sw->measured.clock),
                   swi_event_what(SWI_EVENT_CLAIM, 0, 0));
    swi_sampling_wait(sw, thread);
}

/* The other threads note it at their next call, which the new serial makes look. */
uint64_t swi_loop_leave(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!thread->claimed)
        return 0;
    uint64_t fits = atomic_fetch_add(&sw->measured.fits_ended, 1) + 1;
    thread->claimed = false;
    thread->fits_seen = fits;
    swi_sampling_next_fit(sw, thread);
    return fits;
}

void swi_loop_left(struct sw_profiler *sw)
{
    atomic_store(&sw->measured.claim, NULL);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}
