/* SPDX-License-Identifier: MIT */
/* machine_counts.h - what the whole machine has done since its start, how full it is, and what the
 * process may use of it. */
#ifndef MONITORS_COMMON_MACHINE_COUNTS_H
#define MONITORS_COMMON_MACHINE_COUNTS_H

#include "monitors/common/kernel_files.h"

/* Gets the time of all processors in ticks: idle, all. Returns false if it cannot be read. */
bool swi_cpu_times(const struct swi_machine *machine, uint64_t times[2]);

/* A disk or an interface. */
struct swi_traffic {
    char name[64];
    uint64_t bytes[2]; /* read and written, or received and sent, since it is there */
};

/* Returns the whole disks: no partitions, and nothing that is memory or a file or is made of other
 * disks. *list: the caller's to free(). */
size_t swi_disks_read(const struct swi_machine *machine, struct swi_traffic **list);

/* Gets the number of TCP segments that were sent again. Returns false if it cannot be read. */
bool swi_tcp_sent_again(const struct swi_machine *machine, uint64_t *segments);

/* Gets the bytes of a file system that are used. Returns their percentage as df shows it: the part
 * that only root may use counts as neither used nor available. -1 if it has no size. */
double swi_filesystem_use(const char *path, double *used);

/* Returns the interfaces that count, so that each byte counts once: a bond, a bridge, a VLAN or a
 * VPN has the bytes of the interfaces below it, and a container those of its host's interface.
 * *list: the caller's to free(). */
size_t swi_interfaces_read(const struct swi_machine *machine, struct swi_traffic **list);

/* How much memory there is for this process, and how much of it is available; -1: unknown. The
 * machine's, or that of the tightest group that it is in. */
struct swi_memory_left {
    double total, available;
    double machine_total, machine_available; /* without groups */
};

void swi_memory_find(const struct swi_machine *machine, struct swi_memory_left *memory);

#endif
