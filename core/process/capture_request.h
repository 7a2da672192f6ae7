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

#endif
