/* SPDX-License-Identifier: MIT */
#include "mpi/joined.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct swi_joined
    *all; /* kept until the program ends, because MPI may still use the memory */

struct swi_joined *swi_joined_find(const struct sw_profiler *sw)
{
    pthread_mutex_lock(&lock);
    struct swi_joined *joined = all;
    while (joined && joined->sw != sw)
        joined = joined->next;
    pthread_mutex_unlock(&lock);
    return joined;
}

/* The newest is found first, because a profiler may have the address of one that was closed. */
void swi_joined_keep(struct swi_joined *joined)
{
    pthread_mutex_lock(&lock);
    joined->next = all;
    all = joined;
    pthread_mutex_unlock(&lock);
}

int swi_joined_allowed(struct sw_error *err)
{
    int begun = 0, ended = 0, level = MPI_THREAD_SINGLE, main_thread = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return sw_error_set(err, SW_EINVAL, "MPI %s",
                            ended ? "has ended: call this before MPI_Finalize()"
                                  : "is not initialised: call MPI_Init() first");
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    if (level < MPI_THREAD_SERIALIZED && !main_thread)
        return sw_error_set(err, SW_EINVAL,
                            "MPI may be called only on the thread that called MPI_Init(), which is "
                            "not this one");
    return 0;
}
