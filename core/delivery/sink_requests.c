/* SPDX-License-Identifier: MIT */
#include "core/delivery/sink_requests.h"
#include "core/delivery/worker.h"

void swi_sink_requests_init(struct swi_sink_requests *requests, struct swi_worker **worker)
{
    *requests = (struct swi_sink_requests){.worker = worker};
    pthread_mutex_init(&requests->lock, NULL);
}

void swi_sink_requests_fini(struct swi_sink_requests *requests)
{
    pthread_mutex_destroy(&requests->lock);
}

/* Kinds of values that a sink takes: by its descriptor, as long as it wants any. */
static uint32_t value_kinds_of(const struct swi_worker *worker)
{
    uint32_t wants = worker->wants, kinds = worker->plugin.sink->values, taken = 0;
    if (wants & SW_WANT(SW_RECORD_VALUE))
        taken = (kinds ? kinds : UINT32_MAX) & ~SW_WANT_VALUE(SW_VALUE_LINE);
    return wants & SW_WANT(SW_RECORD_LINE) ? taken | SW_WANT_VALUE(SW_VALUE_LINE) : taken;
}

/* Adds up what is wanted. Returns the changed kinds. */
static uint32_t add_up(struct swi_sink_requests *requests)
{
    uint32_t all = requests->core, kinds = 0;
    for (size_t i = 0; i < requests->count; i++) {
        all |= requests->worker[i]->wants;
        kinds |= value_kinds_of(requests->worker[i]);
    }
    atomic_store(&requests->value_kinds, kinds);
    return all ^ atomic_exchange(&requests->wants, all);
}

void swi_sink_requests_hold(struct swi_sink_requests *requests)
{
    pthread_mutex_lock(&requests->lock);
    add_up(requests);
}

void swi_sink_requests_release(struct swi_sink_requests *requests, bool all_started)
{
    requests->cancelled = !all_started;
    pthread_mutex_unlock(&requests->lock);
}

bool swi_sink_requests_may_begin(struct swi_sink_requests *requests)
{
    pthread_mutex_lock(&requests->lock);
    bool may = !requests->cancelled;
    pthread_mutex_unlock(&requests->lock);
    return may;
}

static void changed_tell(struct swi_sink_requests *requests, uint32_t changed)
{
    swi_sink_requests_changed_fn *fn = atomic_load(&requests->tell);
    if (fn && changed)
        fn(requests->tell_arg, changed);
}

void swi_sink_requests_set(struct swi_sink_requests *requests, struct swi_worker *worker,
                           uint32_t wants)
{
    pthread_mutex_lock(&requests->lock);
    atomic_store(&worker->wants, wants & worker->plugin.sink->wants);
    uint32_t changed = add_up(requests);
    pthread_mutex_unlock(&requests->lock);
    changed_tell(requests, changed);
}

void swi_sink_requests_set_core(struct swi_sink_requests *requests, uint32_t wants)
{
    pthread_mutex_lock(&requests->lock);
    requests->core = wants;
    uint32_t changed = add_up(requests);
    pthread_mutex_unlock(&requests->lock);
    changed_tell(requests, changed);
}

void swi_sink_requests_tell(struct swi_sink_requests *requests, swi_sink_requests_changed_fn *tell,
                            void *arg)
{
    requests->tell_arg = arg;
    atomic_store(&requests->tell, tell);
}

void swi_sink_requests_stop(struct swi_sink_requests *requests)
{
    atomic_store(&requests->stopped, true);
}
