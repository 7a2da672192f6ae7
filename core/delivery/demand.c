/* SPDX-License-Identifier: MIT */
#include "core/delivery/demand.h"
#include "core/delivery/worker.h"

void swi_demand_init(struct swi_demand *demand, struct swi_worker **worker)
{
    *demand = (struct swi_demand){.worker = worker};
    pthread_mutex_init(&demand->lock, NULL);
}

void swi_demand_fini(struct swi_demand *demand)
{
    pthread_mutex_destroy(&demand->lock);
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
static uint32_t add_up(struct swi_demand *demand)
{
    uint32_t all = demand->core, kinds = 0;
    for (size_t i = 0; i < demand->count; i++) {
        all |= demand->worker[i]->wants;
        kinds |= value_kinds_of(demand->worker[i]);
    }
    atomic_store(&demand->value_kinds, kinds);
    return all ^ atomic_exchange(&demand->wants, all);
}

void swi_demand_hold(struct swi_demand *demand)
{
    pthread_mutex_lock(&demand->lock);
    add_up(demand);
}

void swi_demand_release(struct swi_demand *demand, bool all_started)
{
    demand->cancelled = !all_started;
    pthread_mutex_unlock(&demand->lock);
}

bool swi_demand_may_begin(struct swi_demand *demand)
{
    pthread_mutex_lock(&demand->lock);
    bool may = !demand->cancelled;
    pthread_mutex_unlock(&demand->lock);
    return may;
}

static void changed_tell(struct swi_demand *demand, uint32_t changed)
{
    swi_demand_changed_fn *fn = atomic_load(&demand->tell);
    if (fn && changed)
        fn(demand->tell_arg, changed);
}

void swi_demand_set(struct swi_demand *demand, struct swi_worker *worker, uint32_t wants)
{
    pthread_mutex_lock(&demand->lock);
    atomic_store(&worker->wants, wants & worker->plugin.sink->wants);
    uint32_t changed = add_up(demand);
    pthread_mutex_unlock(&demand->lock);
    changed_tell(demand, changed);
}

void swi_demand_set_core(struct swi_demand *demand, uint32_t wants)
{
    pthread_mutex_lock(&demand->lock);
    demand->core = wants;
    uint32_t changed = add_up(demand);
    pthread_mutex_unlock(&demand->lock);
    changed_tell(demand, changed);
}

void swi_demand_tell(struct swi_demand *demand, swi_demand_changed_fn *tell, void *arg)
{
    demand->tell_arg = arg;
    atomic_store(&demand->tell, tell);
}

void swi_demand_stop(struct swi_demand *demand)
{
    atomic_store(&demand->stopped, true);
}
