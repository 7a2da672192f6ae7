/* SPDX-License-Identifier: MIT */
/* doorbell.h - a page of memory by which another process of the same user asks this one for a
 * capture: sw_capture_process(). The kernel shows it among the files of the process, and lets in
 * whom it lets look at them. Nothing is left behind in any folder. */
#ifndef CORE_PROCESS_DOORBELL_H
#define CORE_PROCESS_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct swi_bell;

struct swi_doorbell {
    struct swi_bell *bell; /* NULL: there is none */
    int fd;
    dev_t device; /* of fd: the program may have closed it, and opened another file */
    ino_t inode;
    uint64_t heard;
};

/* steps: of a capture for which nobody says a number. Leaves bell NULL where there is none to be
 * had. */
void swi_doorbell_open(struct swi_doorbell *door, int64_t steps);
void swi_doorbell_close(struct swi_doorbell *door);

/* Returns how many steps somebody asked for since the last call; 0: nobody did. */
int64_t swi_doorbell_rung(struct swi_doorbell *door);

#endif
