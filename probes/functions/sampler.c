/* SPDX-License-Identifier: MIT */
#include "probes/functions/sampler.h"
#include "probes/functions/libc_calls.h"
#include "probes/functions/thread_state.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Not a whole number of milliseconds, so that it does not keep step with the loop. */
enum { PERIOD_NS = 1003009 };

static atomic_bool ended;

/* In this mode, only this thread writes `self`. */
static void sample(struct fn_own *own, void *passed)
{
    const int64_t ticks = *(const int64_t *)passed;
    if (own->state != FN_SLOT_LIVE)
        return;
    struct fn_node *cur = atomic_load_explicit(&own->cur, memory_order_relaxed);
    if (!cur)
        return;
    cur->self += ticks;
    atomic_store_explicit(&own->sampled, own->sampled + ticks, memory_order_relaxed);
}

/* If this thread could not run for a while, it adds all the time that has passed. */
static void *run(void *unused)
{
    int64_t due = swi_now_ns(), last = fn_now();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (!atomic_load(&ended)) {
        fn_looking_wait(&due, PERIOD_NS);
        int64_t now = fn_now(), ticks = now - last;
        if (!atomic_load(&ended))
            fn_owns_each(sample, &ticks);
        last = now;
    }
    return unused;
}

void fn_sampler_start(enum fn_times times)
{
    if (times == FN_SAMPLED)
        fn_looking_start(run);
}

void fn_sampler_end(void)
{
    atomic_store(&ended, true);
}

/* ---- a thread that looks at the others ---- */

/* The functions of this library that have these names would sample the thread. A program that is
 * linked statically has none of them, and finds none of libc's. */
bool fn_looking_start(void *(*look)(void *))
{
    const struct fn_libc *libc = fn_libc();
    __typeof__(&pthread_sigmask) mask =
        libc->pthread_sigmask ? libc->pthread_sigmask : pthread_sigmask;
    __typeof__(&pthread_create) create =
        libc->pthread_create ? libc->pthread_create : pthread_create;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    mask(SIG_BLOCK, &all, &before);
    bool fine = create(&thread, NULL, look, NULL) == 0;
    if (fine) {
        pthread_setname_np(thread, "sw-functions");
        pthread_detach(thread);
    }
    mask(SIG_SETMASK, &before, NULL);
    return fine;
}

int64_t fn_looking_wait(int64_t *due_ns, int64_t period_ns)
{
    *due_ns += period_ns;
    struct timespec until = {*due_ns / 1000000000, *due_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    int64_t missed = (swi_now_ns() - *due_ns) / period_ns;
    *due_ns += missed * period_ns;
    return 1 + missed;
}
