/* SPDX-License-Identifier: MIT */
#include "probes/functions/sampler.h"
#include "probes/functions/thread_state.h"
#include "probes/functions/store.h"

#include <pthread.h>
#include <signal.h>

/* Not a whole number of milliseconds, so that it does not keep step with the loop. */
enum { PERIOD_NS = 1003009 };

static atomic_bool ended;

/* In this mode, only this thread writes `self`. */
static void sample(struct fn_own *own, int64_t ticks)
{
    if (own->state != FN_SLOT_LIVE)
        return;
    struct fn_node *cur = atomic_load_explicit(&own->cur, memory_order_relaxed);
    if (!cur)
        return;
    cur->self += ticks;
    atomic_store_explicit(&own->sampled, own->sampled + ticks, memory_order_relaxed);
}

static void sample_all(int64_t ticks)
{
    uint32_t count = fn_file ? atomic_load(&fn_file->threads) : 0;
    for (uint32_t i = 0; i < FN_THREADS && i < count; i++) {
        struct fn_own *own = atomic_load(&fn_owns[i]);
        if (own)
            sample(own, ticks);
    }
}

/* If this thread could not run for a while, it adds all the time that has passed. */
static void *run(void *unused)
{
    int64_t due = fn_monotonic_ns(), last = fn_now();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (!atomic_load(&ended)) {
        due += PERIOD_NS;
        struct timespec until = {due / 1000000000, due % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        int64_t now = fn_now(), late = fn_monotonic_ns() - due;
        if (atomic_load(&ended))
            break;
        sample_all(now - last);
        last = now;
        if (late > PERIOD_NS)
            due += late / PERIOD_NS * PERIOD_NS;
    }
    return unused;
}

void fn_sampler_start(enum fn_times times)
{
    pthread_t thread;
    sigset_t all, before;
    if (times != FN_SAMPLED)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&thread, NULL, run, NULL) == 0) {
        pthread_setname_np(thread, "sw-functions");
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void fn_sampler_end(void)
{
    atomic_store(&ended, true);
}
