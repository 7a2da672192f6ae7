/* SPDX-License-Identifier: MIT */
/* interfaces.h - what the network interfaces of the machine have received and sent. */
#ifndef MONITORS_COMMON_INTERFACES_H
#define MONITORS_COMMON_INTERFACES_H

#include "monitors/common/kernel_files.h"

struct swi_interface {
    char name[64];
    uint64_t bytes[2]; /* received, sent, since it exists */
};

/* Returns the interfaces that count, so that each byte counts once: a bond, a bridge, a VLAN or a
 * VPN has the bytes of the interfaces below it, and a container those of its host's interface.
 * *list: the caller's to free(). */
size_t swi_interfaces_read(const struct swi_machine *machine, struct swi_interface **list);

/* The sums of these. */
void swi_interfaces_sum(const struct swi_machine *machine, double *received, double *sent);

#endif
