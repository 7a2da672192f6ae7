/* SPDX-License-Identifier: MIT */
/* capture_request.h - a page of memory with which another process of the same user requests a
 * capture of this one: sw_capture_process(). The kernel shows it among the open files of the
 * process and checks who may open it. Nothing is left behind in any folder. */
#ifndef CORE_PROCESS_CAPTURE_REQUEST_H
#define CORE_PROCESS_CAPTURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct swi_request_page;

struct swi_capture_request {
    struct swi_request_page *page; /* NULL if it could not be made */
    int fd;
    dev_t device; /* of fd, because the program may have closed it and opened another file */
    ino_t inode;
    uint64_t taken;
};

/* Makes the page. steps: of a capture for which no number is given. Sets page to NULL on failure.
 */
void swi_capture_request_open(struct swi_capture_request *request, int64_t steps);
void swi_capture_request_close(struct swi_capture_request *request);

/* Returns the number of steps that were requested since the last call, or 0. */
int64_t swi_capture_request_take(struct swi_capture_request *request);

/* ---- a signal that requests a capture: SIGUSR1 or SIGUSR2, if it is configured --------------- */

/* Counts the signal from now on. Returns false and changes nothing if the program handles or
 * ignores the signal. */
bool swi_capture_signal_take(int signal);
/* Ends the counting. The last user restores the default action, unless the program has installed a
 * handler since. */
void swi_capture_signal_give(int signal);

/* Returns how often the signal was received. */
unsigned swi_capture_signal_count(int signal);

/* Makes the lock free in the child of a fork. */
void swi_capture_signal_child(void);

#endif
