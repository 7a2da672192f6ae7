/* SPDX-License-Identifier: MIT */
#include "core/delivery/hung_sink.h"
#include "core/clock/clock.h"
#include "core/delivery/worker_messages.h"

/* Since when a sink has taken no value, though some wait; 0: it takes them. */
static int64_t idle_since(struct swi_worker *worker, int64_t now)
{
    struct swi_hung_sink *idle = &worker->idle_values;
    uint64_t taken;
    size_t waiting = swi_queue_values(&worker->queue, &taken);
    if (!waiting || taken != idle->taken)
        idle->since_ns = 0;
    else if (!idle->since_ns)
        idle->since_ns = now;
    idle->taken = taken;
    return idle->since_ns;
}

static void values_drop(struct swi_worker *worker)
{
    swi_queue_drop_values(&worker->queue);
    if (!worker->idle_values.said)
        swi_worker_say(worker, SW_WARNING,
                       "takes no values: those that wait for it were dropped, so that the other "
                       "sinks get new ones");
    worker->idle_values.said = true;
}

void swi_hung_sink_look(struct swi_worker *const *worker, size_t count, struct swi_budget *budget)
{
    const int64_t stuck_ns = INT64_C(5000000000);
    int64_t now = budget && atomic_load(&budget->used) ? swi_monotonic_ns() : 0;
    bool full = now && atomic_exchange(&budget->full, false);
    for (size_t i = 0; now && i < count; i++) {
        int64_t since = idle_since(worker[i], now);
        if (full && since && now - since >= stuck_ns)
            values_drop(worker[i]);
    }
}
