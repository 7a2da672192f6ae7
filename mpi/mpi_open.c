/* SPDX-License-Identifier: MIT */
/* Joins the ranks, before and after the profiler is opened. */
#include "core/process/own_floats.h"
#include "mpi/joined.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- which profilers ---- */

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

/* Keeps it in place of an earlier one of the same profiler. The newest is found first, because a
 * profiler may have the address of one that was closed. */
static void joined_keep(struct swi_joined *joined)
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

/* ---- before the profiler is opened ---- */

enum { RUN_SIZE = 128 };

/* Makes the name that all ranks share, on rank 0. The host is part of it, because two runs may
 * begin in the same second. */
static void name_make(char name[RUN_SIZE])
{
    char host[64] = "";
    time_t now = time(NULL);
    struct tm tm;
    gethostname(host, sizeof host - 1);
    size_t used = gmtime_r(&now, &tm) ? strftime(name, RUN_SIZE, "%Y%m%d-%H%M%S", &tm) : 0;
    snprintf(name + used, RUN_SIZE - used, "-%s-%ld", host, (long)getpid());
}

static int mpi_failed(int returned, struct sw_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int size = 0;
    MPI_Error_string(returned, text, &size);
    return sw_error_set(err, SW_EIO, "MPI: %s", text);
}

static bool launcher_names_run(void)
{
    static const char *const variables[] = {"STEPWATCH_RUN", "SLURM_JOB_ID", "FLUX_JOB_ID",
                                            "LSB_JOBID",     "PBS_JOBID",    "PALS_APID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return true;
    }
    return false;
}

int sw_mpi_prepare(struct sw_options *options, MPI_Comm comm, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    int rank = 0, size = 1, rc = swi_joined_allowed(err);
    char name[RUN_SIZE] = "";
    if (rc < 0)
        return rc;
    rc = MPI_Comm_rank(comm, &rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(comm, &size);
    if (rc == MPI_SUCCESS && rank == 0 && !launcher_names_run())
        name_make(name);
    if (rc == MPI_SUCCESS)
        rc = MPI_Bcast(name, RUN_SIZE, MPI_CHAR, 0, comm);
    if (rc != MPI_SUCCESS)
        return mpi_failed(rc, err);
    if (*name)
        setenv("STEPWATCH_RUN", name, 0);
    options->rank = rank;
    options->ranks = size;
    return 0;
}

/* ---- joining ---- */

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
static int communicator_make(struct swi_wait *wait, MPI_Comm from, MPI_Comm *comm)
{
    int rc = swi_wait_for(wait, MPI_Comm_idup(from, comm, &wait->request));
    return rc < 0 ? rc : swi_wait_check(wait, MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
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

static int communicators_make(struct swi_wait *wait, MPI_Comm comm)
{
    struct swi_joined *joined = wait->joined;
    int rc = swi_wait_check(wait, MPI_Comm_size(comm, &joined->size));
    if (rc == 0)
        rc = communicator_make(wait, comm, &joined->comm);
    if (rc == 0)
        rc = swi_wait_check(wait, MPI_Comm_rank(joined->comm, &joined->rank));
    if (rc == 0 && joined->options.epochs)
        rc = communicator_make(wait, joined->comm, &joined->epoch_comm);
    if (rc == 0)
        rc = swi_wait_check(wait, swi_rank_rows_init(joined));
    if (rc == 0)
        rc = swi_wait_check(wait, finalize_watch(joined));
    return rc;
}

/* Returns 0 if stepwatch is on in all ranks, 1 if it is off in all. */
static int all_measure(struct swi_wait *wait)
{
    int *count = swi_wait_lend(wait, 2 * sizeof *count);
    const struct swi_joined *joined = wait->joined;
    if (!count)
        return SW_ENOMEM;
    count[0] = joined->sw != NULL;
    int rc = swi_wait_for(wait, MPI_Iallreduce(&count[0], &count[1], 1, MPI_INT, MPI_SUM,
                                               joined->comm, &wait->request));
    if (rc < 0 || count[1] == joined->size)
        return rc;
    return count[1] == 0 ? 1
                         : sw_error_set(wait->err, SW_EINVAL,
                                        "stepwatch is off on %d of %d ranks, so they are not "
                                        "joined: check $STEPWATCH and the configuration there",
                                        joined->size - count[1], joined->size);
}

static int join(struct swi_wait *wait, MPI_Comm comm)
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
    struct swi_wait wait;
    int rc = swi_joined_allowed(err);
    if (rc < 0)
        return rc;
    struct swi_joined *joined = joined_new(sw, options);
    if (!joined)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to join the ranks");
    swi_wait_begin(&wait, joined, 0, err ? err : &own);
    joined_keep(joined);
    rc = join(&wait, comm);
    sw_error_free(&own);
    return swi_wait_end(&wait, rc > 0 ? 0 : rc);
}
