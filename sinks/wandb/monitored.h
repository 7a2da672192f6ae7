/* SPDX-License-Identifier: MIT */
/* monitored.h - samples of monitors, by the names of wandb's System tab. */
#ifndef SINKS_WANDB_MONITORED_H
#define SINKS_WANDB_MONITORED_H

#include "sinks/wandb/values/fields.h"

#include <stepwatch/sink.h>

struct swi_total;

/* What was read, written, sent and received since the run's start. Zeroed is empty. */
struct swi_totals {
    size_t count;
    struct swi_total *item;
    int64_t time_ns; /* of the sample before */
    bool begun;
};

/* Fills a row with the keys of a sample. cpus: of the machine. */
void swi_wandb_monitored_row(struct swi_fields *row, struct swi_totals *totals,
                             const struct sw_record *record, double cpus);
void swi_wandb_totals_free(struct swi_totals *totals);

/* Returns whether the record is a sample of monitors. */
bool swi_wandb_is_sample(const struct sw_record *record);

#endif
