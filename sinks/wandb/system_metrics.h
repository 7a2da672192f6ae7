/* SPDX-License-Identifier: MIT */
/* system_metrics.h - system metrics of the machine. */
#ifndef SINKS_WANDB_SYSTEM_METRICS_H
#define SINKS_WANDB_SYSTEM_METRICS_H

#include "monitors/common/machine_counts.h"

enum { SWI_DISKS = 8 };

/* A sample of the machine, from which differences are taken. */
struct swi_sample {
    int64_t time_ns; /* monotonic; 0: none yet */
    int64_t cpu_ns;  /* of this process, */
    int64_t read_ns; /* at this time: the record that asks for it can be older; 0: unknown */
    double sent, received, sent_again;
    size_t disk_count;
    struct swi_disk disk[SWI_DISKS];
};

struct wandb;

/* Returns the number of CPUs that the process may use. */
double swi_wandb_cpus(void);

/* Writes the system metrics if they are due. */
void swi_wandb_system_metrics(struct wandb *w, int64_t now_ns);

/* The same, if they are wanted of this run and no monitor measures them. */
void swi_wandb_system_look(struct wandb *w, int64_t now_ns);

#endif
