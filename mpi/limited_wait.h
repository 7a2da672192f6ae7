/* SPDX-License-Identifier: MIT */
/* limited_wait.h - waits for other ranks with a limit. A request that is given up is never freed,
 * and neither is its memory, because MPI may still use both. */
#ifndef MPI_LIMITED_WAIT_H
#define MPI_LIMITED_WAIT_H

#include "mpi/joined.h"

#include <stddef.h>

/* How long one call waits, and the memory that it lends to MPI. */
struct swi_limited_wait {
    struct swi_joined *joined;
    int64_t until_ns;
    double seconds;
    struct swi_lent *lent;
    struct sw_error *err;
};

/* Begins a wait. seconds 0: the limit in the options of joined. */
void swi_limited_wait_begin(struct swi_limited_wait *wait, struct swi_joined *joined,
                            double seconds, struct sw_error *err);

/* Checks whether the others have given up waiting before this rank came. Then it must not begin
 * what they will never finish. Returns 0, or SW_ETIME with joined marked as broken. */
int swi_limited_wait_is_late(struct swi_limited_wait *wait);

/* Frees the lent memory, unless MPI may still use it. Returns rc. */
int swi_limited_wait_end(struct swi_limited_wait *wait, int rc);

/* Returns zeroed memory that MPI may use until the end. Returns NULL and sets err if out of memory.
 */
void *swi_limited_wait_lend(struct swi_limited_wait *wait, size_t size);

/* Waits for the request that an MPI function has just started. started: its return value. Marks
 * joined as broken after a failure. Returns 0, SW_ETIME or SW_EIO. */
int swi_limited_wait_wait(struct swi_limited_wait *wait, int started, MPI_Request *request);

/* Checks the return value of an MPI function that does not wait. Returns 0 or SW_EIO. */
int swi_limited_wait_check(struct swi_limited_wait *wait, int returned);

#endif
