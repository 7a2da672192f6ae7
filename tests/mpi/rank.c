/* SPDX-License-Identifier: MIT */
/* rank.c - one rank of a program with MPI whose clock the program sets: rank SCENARIO. Rank 1 takes
 * 3 ms more in backward, for which the others wait in allreduce. Prints what rank 0 found. */
#include <stepwatch/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000

static int64_t now;
static int rank, size;
static const char *scenario;

static int64_t clock_now(void *arg)
{
    (void)arg;
    return now;
}

static bool is(const char *name)
{
    return strcmp(scenario, name) == 0;
}

static void expect(bool fine, const char *what, const struct sw_error *err)
{
    if (fine)
        return;
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, err ? sw_error_text(err) : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    now += ns;
    sw_end(sw, action);
}

/* A step of 20 ms on all ranks. */
static void step(struct sw_profiler *sw)
{
    int64_t more = rank == 1 ? 3 * MS : 0;
    region(sw, SW_DRAW, MS);
    sw_begin(sw, SW_BATCH);
    region(sw, SW_FORWARD, 4 * MS);
    region(sw, SW_BACKWARD, 8 * MS + more);
    region(sw, sw_action("allreduce"), 7 * MS - more);
    sw_end_batch(sw, 8);
}

/* A checkpoint of 5 ms, of which another one inside takes 1 ms. */
static void nested(struct sw_profiler *sw)
{
    sw_begin(sw, sw_action("checkpoint"));
    region(sw, sw_action("checkpoint"), MS);
    now += 4 * MS;
    sw_end(sw, sw_action("checkpoint"));
}

static void fit(struct sw_profiler *sw)
{
    struct sw_error err;
    int steps = is("other") ? 20 + rank : 20;
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 3; epoch++) {
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        for (int i = 0; i < steps; i++)
            step(sw);
        sw_end(sw, SW_TRAIN);
        sw_end(sw, SW_EPOCH);
        if (is("other") && rank == 2 % size)
            region(sw, sw_action("checkpoint"), 5 * MS);
        if (is("nested"))
            nested(sw);
        expect(sw_mpi_epoch(sw, &err) == 0, "sw_mpi_epoch", &err);
    }
    sw_end(sw, SW_FIT);
}

static const struct sw_ranks_row *row_of(const struct sw_ranks *ranks, const char *action)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (strcmp(sw_ranks_row_at(ranks, i)->action, action) == 0)
            return sw_ranks_row_at(ranks, i);
    return NULL;
}

static void print(const struct sw_ranks *ranks)
{
    static const char *const actions[] = {"backward", "allreduce", "checkpoint"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct sw_ranks_row *row = row_of(ranks, actions[i]);
        if (row)
            printf("%s: ranks %d, calls %d, min %.0f@%d, mean %.1f, max %.0f@%d ms, p50 %.1f, "
                   "call %.1f +- %.1f\n",
                   row->action, (int)row->ranks, (int)row->calls, row->min_ns / MS,
                   (int)row->min_rank, row->mean_ns / MS, row->max_ns / MS, (int)row->max_rank,
                   row->p50_ns / MS, row->call_mean_ns / MS, row->call_std_ns / MS);
    }
    printf("%d of %d ranks, %d steps, lost %.3f: %s\n", (int)ranks->ranks, (int)ranks->world_size,
           (int)ranks->steps, ranks->lost, ranks->sentence);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The last rank does not come, or comes when the others have left. */
static void report_late(struct sw_profiler *sw)
{
    struct sw_error err;
    double began = seconds();
    if (is("late") && rank == size - 1)
        sleep(1);
    if (rank < size - 1 || is("late")) {
        int rc = sw_mpi_report(sw, 0.3, NULL, &err);
        expect(rc == SW_ETIME, "a report without the last rank", rc < 0 ? &err : NULL);
        expect(seconds() - began < 20, "the limit of 0.3 s was not kept", NULL);
        expect(sw_mpi_report(sw, 0.3, NULL, NULL) == SW_EINVAL, "a second report", NULL);
    }
    if (rank == 0)
        printf("%s\n", sw_error_text(&err));
}

static void report(struct sw_profiler *sw)
{
    struct sw_error err;
    struct sw_ranks *ranks = NULL;
    int rc = sw_mpi_report(sw, 30, &ranks, &err);
    expect(rc == 0, "sw_mpi_report", &err);
    expect((ranks != NULL) == (rank == 0 && sw), "the report is that of rank 0", NULL);
    if (ranks)
        print(ranks);
    sw_ranks_free(ranks);
}

static struct sw_profiler *profiler_open(void)
{
    struct sw_error err;
    struct sw_options options;
    sw_options_init(&options);
    options.file = "stepwatch.yaml";
    expect(sw_mpi_prepare(&options, MPI_COMM_WORLD, &err) == 0, "sw_mpi_prepare", &err);
    if (is("off") || (is("some-off") && rank == 1))
        return NULL;
    struct sw_profiler *sw = sw_open_options(&options, &err);
    expect(sw != NULL, "sw_open_options", &err);
    sw_set_clock(sw, clock_now, NULL);
    return sw;
}

static void measure(void)
{
    struct sw_error err;
    struct sw_mpi_options options;
    struct sw_profiler *sw = profiler_open();
    sw_mpi_options_init(&options);
    options.seconds = 30;
    options.histograms = options.epochs = options.every_clock = true;
    int rc = sw_mpi_open(sw, MPI_COMM_WORLD, &options, &err);
    if (is("some-off")) {
        expect(rc == SW_EINVAL, "sw_mpi_open with some that are off", NULL);
        if (rank == 0)
            printf("%s\n", sw_error_text(&err));
        expect(sw_close(sw, &err) == 0, "sw_close", &err);
        return;
    }
    expect(rc == 0, "sw_mpi_open", &err);
    fit(sw);
    if (is("absent") || is("late"))
        report_late(sw);
    else
        report(sw);
    expect(sw_close(sw, &err) == 0, "sw_close", &err);
}

int main(int argc, char **argv)
{
    int level, value = 0, done = 0;
    MPI_Request any;
    scenario = argc > 1 ? argv[1] : "plain";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* No message of stepwatch gets into this. */
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    measure();
    MPI_Test(&any, &done, MPI_STATUS_IGNORE);
    expect(!done, "a receive of the program got a message of stepwatch", NULL);
    MPI_Send(&rank, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    expect(value == rank, "the program's own message", NULL);
    MPI_Finalize();
    return 0;
}
