/* SPDX-License-Identifier: MIT */
#include "core/rows/preempted.h"

#include "core/process/preemptions.h"
#include "core/rows/current_profiler.h"
#include "core/rows/measured.h"

void swi_preempted_open(struct swi_measured *measured)
{
    int thread = swi_current.id;
    measured->preempted = (struct swi_preempted){thread, thread, swi_preemptions_of(thread)};
}

/* Call it with the lock held. */
static int thread_of(const struct swi_measured *measured)
{
    const struct swi_thread *loop = atomic_load(&measured->loop);
    if (!loop)
        loop = measured->last_loop;
    return loop ? loop->owner_id : measured->preempted.opened_by;
}

void swi_preempted_look(struct swi_measured *measured)
{
    pthread_mutex_lock(&measured->lock);
    int thread = thread_of(measured);
    bool stays = atomic_load(&measured->loop) && measured->preempted.thread == thread;
    pthread_mutex_unlock(&measured->lock);
    if (stays || !thread)
        return;
    struct swi_preemptions count = swi_preemptions_of(thread);
    pthread_mutex_lock(&measured->lock);
    measured->preempted.thread = thread;
    measured->preempted.count = count;
    pthread_mutex_unlock(&measured->lock);
}

struct swi_preemptions swi_preempted_take(struct swi_measured *measured, int *thread)
{
    *thread = thread_of(measured);
    bool known = *thread && measured->preempted.thread == *thread;
    measured->preempted.thread = 0;
    return known ? measured->preempted.count : (struct swi_preemptions){-1, -1};
}
