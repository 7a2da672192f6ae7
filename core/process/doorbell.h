/* SPDX-License-Identifier: MIT */
/* doorbell.h - a page of memory with which another process of the same user requests a capture of
 * this one: sw_capture_process(). The kernel shows it among the open files of the process and
 * checks who may open it. Nothing is left behind in any folder. */
#ifndef CORE_PROCESS_DOORBELL_H
#define CORE_PROCESS_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct swi_bell;

struct swi_doorbell {
    struct swi_bell *bell; /* NULL if it could not be made */
    int fd;
    dev_t device; /* of fd, because the program may have closed it and opened another file */
    ino_t inode;
    uint64_t heard;
};

/* Makes the page. steps: of a capture for which no number is given. Sets bell to NULL on failure.
 */
void swi_doorbell_open(struct swi_doorbell *door, int64_t steps);
void swi_doorbell_close(struct swi_doorbell *door);

/* Returns the number of steps that were requested since the last call, or 0. */
int64_t swi_doorbell_rung(struct swi_doorbell *door);

#endif
