/* SPDX-License-Identifier: MIT */
/* replayed_costs.h - what a replayed run cost, as its own reports say. A replay cannot measure it.
 */
#ifndef CORE_REPORT_REPLAYED_COSTS_H
#define CORE_REPORT_REPLAYED_COSTS_H

#include <stdbool.h>
#include <stddef.h>

struct swi_replayed_costs {
    bool ended; /* no fit that is open goes on: its costs are known as well */
    size_t count, room;
    struct swi_replayed_cost {
        int fit;
        double own_ns; /* NAN: unknown */
        double joules; /* 0: unknown */
    } * item;          /* by fit */
};

/* Adds what a fit cost, in place of what was added for the same fit. */
void swi_replayed_costs_add(struct swi_replayed_costs *costs, const struct swi_replayed_cost *cost);

/* Returns what a fit cost. */
struct swi_replayed_cost swi_replayed_costs_of(const struct swi_replayed_costs *costs, int fit);

void swi_replayed_costs_fini(struct swi_replayed_costs *costs);

#endif
