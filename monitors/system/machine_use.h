/* SPDX-License-Identifier: MIT */
/* machine_use.h - what a sample has: how busy the machine and this process are. What cannot be read
 * is left out. */
#ifndef MONITORS_SYSTEM_MACHINE_USE_H
#define MONITORS_SYSTEM_MACHINE_USE_H

#include "monitors/common/machine_counts.h"
#include "monitors/common/kernel_files.h"

#include <stepwatch/monitor.h>

/* ---- a sample in the making ------------------------------------------------------------------ */

/* The state of the monitor, as far as the files here share it. */
struct swi_system {
    struct swi_machine machine;
    struct sw_monitor *monitor;
    struct swi_rate_readings rates;
    int64_t time_ns;        /* at which the present sample began */
    uint64_t cpu_before[2]; /* of the machine: idle, all */
    bool has_cpu;
    bool pss;
    bool sums;      /* of what counters have done since the first sample, instead of rates */
    int64_t pss_ns; /* when it was read last; 0: never */
    const char *const *filesystems;
};

/* Gives a value: a name with a format as for printf(). */
__attribute__((format(printf, 3, 4))) void swi_give(const struct swi_system *system, double value,
                                                    const char *format, ...);
/* Gives the rate of a number that only grows, if there is one, under a name that ends with _per_s;
 * or its sum, under what is before that. */
__attribute__((format(printf, 3, 4))) void swi_give_rate(struct swi_system *system, uint64_t number,
                                                         const char *format, ...);

/* ---- the machine ----------------------------------------------------------------------------- */

void swi_sample_cpu(struct swi_system *system);
void swi_sample_memory(struct swi_system *system, const struct swi_memory_left *memory);
/* What disks read and write, and how full file systems are. */
void swi_sample_disks(struct swi_system *system);
/* What interfaces receive and send. */
void swi_sample_network(struct swi_system *system);
/* Temperatures, and how much waits for CPU, memory and disks. */
void swi_sample_sensors(struct swi_system *system);
void swi_sample_pressure(struct swi_system *system);

/* ---- this_process.c -------------------------------------------------------------------------- */

void swi_sample_process(struct swi_system *system, const struct swi_memory_left *memory);

#endif
