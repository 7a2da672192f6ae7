/* SPDX-License-Identifier: MIT */
#include "mpi/joined.h"

#include "core/clock/now.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Longer waits sleep, to leave the processor to the other ranks. */
#define SPIN_NS INT64_C(2000000)
#define NAP_NS 50000

struct swi_lent {
    struct swi_lent *next;
    max_align_t memory[];
};

static struct swi_lent *kept; /* memory that MPI may still use; reachable, so not a leak */

void swi_wait_begin(struct swi_wait *wait, struct swi_joined *joined, double seconds,
                    struct sw_error *err)
{
    static const double longest = 1e9;
    double limit = seconds > 0 ? seconds : joined->options.seconds;
    limit = limit > 0 ? limit : SW_MPI_SECONDS;
    limit = limit < longest ? limit : longest;
    *wait = (struct swi_wait){.joined = joined,
                              .until_ns = swi_now_ns() + (int64_t)(limit * 1e9),
                              .seconds = limit,
                              .err = err};
}

int swi_wait_end(struct swi_wait *wait, int rc)
{
    for (struct swi_lent *lent = wait->lent, *next; lent; lent = next) {
        next = lent->next;
        if (wait->joined->broken) {
            lent->next = kept;
            kept = lent;
        } else {
            free(lent);
        }
    }
    wait->lent = NULL;
    return rc;
}

void *swi_wait_lend(struct swi_wait *wait, size_t size)
{
    struct swi_lent *lent = calloc(1, sizeof *lent + (size ? size : 1));
    if (!lent) {
        sw_error_set(wait->err, SW_ENOMEM, "not enough memory to join the ranks");
        return NULL;
    }
    lent->next = wait->lent;
    wait->lent = lent;
    return lent->memory;
}

int swi_wait_check(struct swi_wait *wait, int returned)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int size = 0;
    if (returned == MPI_SUCCESS)
        return 0;
    wait->joined->broken = true;
    MPI_Error_string(returned, text, &size);
    return sw_error_set(wait->err, SW_EIO, "MPI: %s; the run log of each rank is there", text);
}

/* Reports that this rank has given up: rank 0 to all, the others to rank 0. The requests are never
 * completed and the text is static, because a rank that never comes does not receive it. */
static void absence_announce(const struct swi_joined *joined)
{
    static char gone;
    MPI_Request request;
    if (joined->comm == MPI_COMM_NULL)
        return;
    for (int r = joined->rank ? 0 : 1; r < (joined->rank ? 1 : joined->size); r++)
        if (MPI_Isend(&gone, 1, MPI_CHAR, r, SWI_TAG_GIVEN_UP, joined->comm, &request) !=
            MPI_SUCCESS)
            return;
}

static int late(struct swi_wait *wait)
{
    wait->joined->broken = true;
    return sw_error_set(wait->err, SW_ETIME,
                        "not all of %d ranks came within %g s, so they are not joined; "
                        "`stepwatch merge` joins their run logs",
                        wait->joined->size, wait->seconds);
}

static int give_up(struct swi_wait *wait)
{
    absence_announce(wait->joined);
    return late(wait);
}

int swi_wait_is_late(struct swi_wait *wait)
{
    int there = 0;
    int rc = swi_wait_check(wait, MPI_Iprobe(MPI_ANY_SOURCE, SWI_TAG_GIVEN_UP, wait->joined->comm,
                                             &there, MPI_STATUS_IGNORE));
    return rc < 0 ? rc : there ? late(wait) : 0;
}

int swi_wait_for(struct swi_wait *wait, int started)
{
    int64_t began = swi_now_ns();
    int rc = swi_wait_check(wait, started), done = 0;
    if (rc < 0)
        return rc;
    for (;;) {
        rc = swi_wait_check(wait, MPI_Test(&wait->request, &done, MPI_STATUS_IGNORE));
        if (rc < 0 || done)
            return rc;
        int64_t now = swi_now_ns();
        if (now > wait->until_ns)
            return give_up(wait);
        if (now - began < SPIN_NS)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
}
