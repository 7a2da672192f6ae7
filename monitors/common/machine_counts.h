/* SPDX-License-Identifier: MIT */
/* machine_counts.h - what the whole machine has done since its start, and how full it is. */
#ifndef MONITORS_COMMON_MACHINE_COUNTS_H
#define MONITORS_COMMON_MACHINE_COUNTS_H

#include "monitors/common/kernel_files.h"

/* Gets the time of all processors in ticks: idle, all. Returns false if it cannot be read. */
bool swi_cpu_times(const struct swi_machine *machine, uint64_t times[2]);

struct swi_disk {
    char name[64];
    uint64_t bytes[2]; /* read, written, since it was attached */
};

/* Returns the whole disks: no partitions, and nothing that is memory or a file or is made of other
 * disks. *list: the caller's to free(). */
size_t swi_disks_read(const struct swi_machine *machine, struct swi_disk **list);

/* Gets the number of TCP segments that were sent again. Returns false if it cannot be read. */
bool swi_tcp_sent_again(const struct swi_machine *machine, uint64_t *segments);

/* Gets the bytes of a file system as df shows them: the part that only root may use counts as
 * neither used nor available. Returns the percentage that is used, or -1 if it has no size. */
double swi_filesystem_use(const char *path, double *used, double *available);

#endif
