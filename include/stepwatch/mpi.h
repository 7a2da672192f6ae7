/* SPDX-License-Identifier: MIT */
/* mpi.h - one report of all ranks of a program with MPI, while it runs: libstepwatch-mpi.
 *
 * Each rank has a profiler of its own. sw_mpi_open() joins them, and sw_mpi_report() at the end of
 * a fit gives the sinks of rank 0 one report of all ranks, with the rank that keeps the others
 * waiting. Both are collective: all ranks of the communicator call them, in the same order. No rank
 * waits for longer than the limit that you set, whatever happens to the others.
 *
 * MPI_THREAD_FUNNELED is enough. Unless MPI provides a higher level of thread support, call these
 * functions on the thread that called MPI_Init(). Never call them in a signal handler, in atexit(),
 * or after MPI_Finalize(). */
#ifndef STEPWATCH_MPI_H
#define STEPWATCH_MPI_H

#include <stepwatch/ranks.h>
#include <stepwatch/stepwatch.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** How long the functions wait for other ranks by default, in seconds. */
#define SW_MPI_SECONDS 10.0

/** How to join the ranks. All ranks must have the same options, except seconds. */
struct sw_mpi_options {
    size_t size;      /**< of this struct */
    double seconds;   /**< how long each call waits for other ranks; 0: SW_MPI_SECONDS */
    bool histograms;  /**< also join the histograms, which p50_ns to p99_ns need: 30 kB per row */
    bool epochs;      /**< you call sw_mpi_epoch() at the end of each epoch */
    bool every_clock; /**< compare the clock of every rank, not only of every host, with that of
                         rank 0 */
};

/** Sets the size, and everything else to the default. */
SW_NOT_INSTRUMENTED_ static inline void sw_mpi_options_init(struct sw_mpi_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

/**
 * Prepares options for sw_open_options(): sets the rank and the number of ranks to those of comm,
 * whatever the environment says. It also makes {run} in the names of files the same on all ranks:
 * if the launcher gives the run no name, it sets the environment variable STEPWATCH_RUN to a name
 * that all ranks share.
 *
 * Collective; call it after MPI_Init() and before other threads begin. It waits for all ranks.
 *
 * Returns 0, or SW_EINVAL if MPI is not initialised, or SW_EIO if MPI fails.
 */
SW_API int sw_mpi_prepare(struct sw_options *options, MPI_Comm comm, struct sw_error *err);

/**
 * Joins the profilers of all ranks of a communicator. From now on, each rank keeps the durations of
 * its steps. The clocks of the hosts are compared.
 *
 * sw: NULL if stepwatch is off. It must be off on all ranks or on none.
 *
 * comm: is duplicated, so that no receive of the program gets a message of stepwatch.
 *
 * options: NULL for the defaults.
 *
 * Returns 0; SW_EINVAL if MPI is not initialised, if this thread may not call the function, or if
 * stepwatch is off on only some ranks; SW_ETIME if not all ranks called the function in time;
 * SW_EIO if MPI fails; SW_ENOMEM. After a failure, sw_mpi_report() fails at once, but each rank
 * still measures.
 */
SW_API int sw_mpi_open(struct sw_profiler *sw, MPI_Comm comm, const struct sw_mpi_options *options,
                       struct sw_error *err);

/**
 * Makes one report of all ranks: call it after sw_end(sw, SW_FIT) and before sw_close(). On rank 0,
 * the sinks of sw get it (SW_RECORD_RANKS). The ranks may have different actions and numbers of
 * steps. The clocks are compared again.
 *
 * seconds: how long to wait for other ranks; 0: as long as the options of sw_mpi_open() say.
 *
 * ranks: if it is not NULL, set to the report on rank 0, which the caller frees with
 * sw_ranks_free(), and to NULL on the other ranks; unchanged on failure.
 *
 * The report names the slow rank only if the configuration has the actions in which ranks wait for
 * each other (`profiler: { wait: [allreduce] }`).
 *
 * Returns 0; SW_ETIME if not all ranks called the function in time; SW_EIO if MPI fails; SW_EINVAL
 * if sw_mpi_open() has not succeeded before; SW_ENOMEM. After SW_ETIME and SW_EIO the ranks are no
 * longer joined, and each later call fails at once. The files of each rank's own sinks are
 * complete: `stepwatch merge` makes the same report from the run logs.
 */
SW_API int sw_mpi_report(struct sw_profiler *sw, double seconds, struct sw_ranks **ranks,
                         struct sw_error *err);

/**
 * Starts joining the totals of all ranks at the end of an epoch, and never waits. The sinks of rank
 * 0 get the report at the next call of this function or of sw_mpi_report(), with `complete` set to
 * false. That report has the first 64 rows and no verdict. It is left out if the ranks have
 * different actions.
 *
 * Does nothing without the option epochs. Returns the same as sw_mpi_report().
 */
SW_API int sw_mpi_epoch(struct sw_profiler *sw, struct sw_error *err);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(int, sw_mpi_prepare,
        (struct sw_options *options, MPI_Comm comm, struct sw_error *err), (sw_error_init(err), 0))
SW_OFF_(int, sw_mpi_open,
        (struct sw_profiler *sw, MPI_Comm comm, const struct sw_mpi_options *options,
         struct sw_error *err),
        (sw_error_init(err), 0))
SW_OFF_(int, sw_mpi_report,
        (struct sw_profiler *sw, double seconds, struct sw_ranks **ranks, struct sw_error *err),
        (ranks ? (void)(*ranks = NULL) : (void)0, sw_error_init(err), 0))
SW_OFF_(int, sw_mpi_epoch, (struct sw_profiler *sw, struct sw_error *err), (sw_error_init(err), 0))
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
