/* SPDX-License-Identifier: MIT */
/* joined.c - what it costs to join the ranks of a program with MPI: mpirun -n N joined ACTIONS.
 *
 * Rank 0 prints a line for each repeat of a case: its name, the unit and the time from the moment
 * at which all ranks are there. `reduce` is the limit: sums, minima and maxima of as many rows by
 * three calls of MPI_Reduce(), written by hand. */
#include <stepwatch/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPEATS 5
#define STEPS 20

static int rank, ranks, actions;

static double ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fail(const char *what, const struct sw_error *err)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, sw_error_text(err));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the time at which all ranks are here. */
static double together(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return ns();
}

static void figure(const char *name, double began)
{
    if (rank == 0)
        printf("%s ns %.0f\n", name, ns() - began);
}

/* One fit with as many own actions as the command line says. */
static void fit(struct sw_profiler *sw)
{
    char name[32];
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int step = 0; step < STEPS; step++) {
        sw_begin(sw, SW_BATCH);
        for (int i = 0; i < actions; i++) {
            snprintf(name, sizeof name, "action_%04d", i);
            sw_begin(sw, sw_action(name));
            sw_end(sw, sw_action(name));
        }
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
}

static struct sw_profiler *profiler(void)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open_text(
        "profiler: { mode: simple, show_report: false, drop_first_batch: false }\n", &err);
    if (!sw)
        fail("sw_open_text", &err);
    return sw;
}

static void joined(void)
{
    char name[32];
    struct sw_error err = {0};
    struct sw_profiler *sw = profiler();
    double began = together();
    if (sw_mpi_open(sw, MPI_COMM_WORLD, NULL, &err) != 0)
        fail("sw_mpi_open", &err);
    figure("attach", began);
    fit(sw);
    began = together();
    if (sw_mpi_report(sw, 60, NULL, &err) != 0)
        fail("sw_mpi_report", &err);
    snprintf(name, sizeof name, "report_%d", actions);
    figure(name, began);
    if (sw_close(sw, &err) != 0)
        fail("sw_close", &err);
}

static void by_hand(double *own, double *all)
{
    const MPI_Op operations[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    char name[32];
    double began = together();
    for (int i = 0; i < 3; i++)
        MPI_Reduce(own, all + i * actions, actions, MPI_DOUBLE, operations[i], 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "reduce_%d", actions);
    figure(name, began);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    actions = argc > 1 ? atoi(argv[1]) : 10;
    double *own = calloc((size_t)actions * 4, sizeof *own);
    for (int i = 0; own && i < REPEATS; i++) {
        joined();
        by_hand(own, own + actions);
    }
    free(own);
    MPI_Finalize();
    return own ? 0 : 1;
}
