/* SPDX-License-Identifier: MIT */
#include "mpi/limited_wait.h"
#include "core/process/own_floats.h"
#include "mpi/rank_clocks.h"
#include "mpi/rank_rows.h"

#include <stdlib.h>
#include <string.h>

static struct swi_joined *joined_new(struct sw_profiler *sw, const struct sw_mpi_options *options)
{
    struct swi_joined *joined = calloc(1, sizeof *joined);
    if (!joined)
        return NULL;
    joined->sw = sw;
    joined->comm = joined->epoch_comm = MPI_COMM_NULL;
    sw_mpi_options_init(&joined->options);
    if (options)
        memcpy(&joined->options, options,
               options->size < sizeof *options ? options->size : sizeof *options);
    return joined;
}

/* Until a communicator has an error handler, that of its parent applies. */
static int communicator_make(struct swi_limited_wait *wait, MPI_Comm from, MPI_Comm *comm)
{
    MPI_Request request;
    int rc = swi_limited_wait_wait(wait, MPI_Comm_idup(from, comm, &request), &request);
    return rc < 0 ? rc
                  : swi_limited_wait_check(wait, MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
}

/* Called first by MPI_Finalize(). Does not touch what a rank still waits for. */
static int finalized(MPI_Comm self, int key, void *value, void *extra)
{
    struct swi_joined *joined = value;
    (void)self;
    (void)key;
    (void)extra;
    if (joined->broken)
        return MPI_SUCCESS;
    MPI_Op_free(&joined->add_rows);
    MPI_Type_free(&joined->row);
    joined->broken = true;
    return MPI_SUCCESS;
}

static int finalize_watch(struct swi_joined *joined)
{
    int key = MPI_KEYVAL_INVALID;
    int rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalized, &key, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(MPI_COMM_SELF, key, joined);
    return rc == MPI_SUCCESS ? MPI_Comm_free_keyval(&key) : rc;
}

static int communicators_make(struct swi_limited_wait *wait, MPI_Comm comm)
{
    struct swi_joined *joined = wait->joined;
    int rc = swi_limited_wait_check(wait, MPI_Comm_size(comm, &joined->size));
    if (rc == 0)
        rc = communicator_make(wait, comm, &joined->comm);
    if (rc == 0)
        rc = swi_limited_wait_check(wait, MPI_Comm_rank(joined->comm, &joined->rank));
    if (rc == 0 && joined->options.epochs)
        rc = communicator_make(wait, joined->comm, &joined->epoch_comm);
    if (rc == 0)
        rc = swi_limited_wait_check(wait, swi_rank_rows_init(joined));
    if (rc == 0)
        rc = swi_limited_wait_check(wait, finalize_watch(joined));
    return rc;
}

/* Returns 0 if stepwatch is on in all ranks, 1 if it is off in all. */
static int all_measure(struct swi_limited_wait *wait)
{
    int *count = swi_limited_wait_lend(wait, 2 * sizeof *count);
    const struct swi_joined *joined = wait->joined;
    MPI_Request request;
    if (!count)
        return SW_ENOMEM;
    count[0] = joined->sw != NULL;
    int rc = swi_limited_wait_wait(
        wait, MPI_Iallreduce(&count[0], &count[1], 1, MPI_INT, MPI_SUM, joined->comm, &request),
        &request);
    if (rc < 0 || count[1] == joined->size)
        return rc;
    return count[1] == 0 ? 1
                         : sw_error_set(wait->err, SW_EINVAL,
                                        "stepwatch is off on %d of %d ranks, so they are not "
                                        "joined: check $STEPWATCH and the configuration there",
                                        joined->size - count[1], joined->size);
}

static int join(struct swi_limited_wait *wait, MPI_Comm comm)
{
    struct swi_joined *joined = wait->joined;
    int rc = communicators_make(wait, comm);
    if (rc == 0)
        rc = all_measure(wait);
    if (rc == 0)
        rc = sw_keep_steps(joined->sw, wait->err);
    if (rc == 0)
        rc = swi_rank_clocks_init(wait);
    if (rc == 0)
        rc = swi_rank_clocks_compare(wait);
    joined->broken = joined->broken || rc < 0;
    return rc;
}

int sw_mpi_open(struct sw_profiler *sw, MPI_Comm comm, const struct sw_mpi_options *options,
                struct sw_error *err)
{
    SWI_OWN_FLOATS;
    struct sw_error own = {0};
    struct swi_limited_wait wait;
    int rc = swi_joined_allowed(err);
    if (rc < 0)
        return rc;
    struct swi_joined *joined = joined_new(sw, options);
    if (!joined)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to join the ranks");
    swi_limited_wait_begin(&wait, joined, 0, err ? err : &own);
    swi_joined_keep(joined);
    rc = join(&wait, comm);
    sw_error_free(&own);
    return swi_limited_wait_end(&wait, rc > 0 ? 0 : rc);
}
