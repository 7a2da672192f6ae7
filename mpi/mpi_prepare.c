/* SPDX-License-Identifier: MIT */
#include "mpi/joined.h"
#include "core/process/own_floats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
