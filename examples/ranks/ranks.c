/* SPDX-License-Identifier: MIT */
/* ranks.c - trains the network of ../digits data-parallel with MPI: each rank learns from its own
 * part of the pictures, and the gradients are averaged by MPI_Allreduce. stepwatch measures each
 * rank, joins them at the end, and says which rank keeps the others waiting. */
#include "../digits/data.h"
#include "../digits/loader.h"
#include "../digits/net.h"
#include "pace.h"
#include "rank_options.h"

#include <stepwatch/mpi.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything that the loop of this rank needs. */
struct trainer {
    struct rank_options options;
    int rank, size;
    struct data all, valid, part; /* part: the pictures of this rank, borrowed from all */
    struct loader *loader;
    struct net *net;
    int allreduce; /* the action in which ranks wait for each other */
};

/* The mean of the gradients of all ranks. */
static void average(struct net *net, int size)
{
    MPI_Allreduce(MPI_IN_PLACE, net->gradient, PARAMETERS, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < PARAMETERS; i++)
        net->gradient[i] /= (float)size;
}

static void step(struct sw_profiler *sw, struct trainer *trainer, const struct batch *batch)
{
    struct net *net = trainer->net;
    struct pace pace = pace_of(&trainer->options, trainer->rank);

    sw_begin(sw, SW_FORWARD);
    pace_begin(&pace);
    forward(net, batch);
    pace_end(&pace, FORWARD_SHARE);
    sw_next(sw, SW_LOSS);
    float loss = nll(net, batch);
    sw_next(sw, SW_BACKWARD);
    pace_begin(&pace);
    backward(net, batch);
    pace_end(&pace, BACKWARD_SHARE);
    sw_next(sw, trainer->allreduce);
    average(net, trainer->size);
    sw_next(sw, SW_OPT_STEP);
    adam(net, trainer->options.lr);
    sw_next(sw, SW_ZERO_GRAD);
    zero(net);
    sw_end(sw, SW_ZERO_GRAD);
    sw_log(sw, "train/loss", (double)loss);
}

static void fit(struct sw_profiler *sw, struct trainer *trainer)
{
    const struct batch *batch;
    struct sw_error err;

    SW_SCOPE(sw, SW_FIT);
    for (int epoch = 0; epoch < trainer->options.epochs; epoch++) {
        SW_SCOPE(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        for (;;) {
            sw_begin(sw, SW_DRAW);
            int n = loader_next(trainer->loader, &batch);
            if (n == 0) {
                sw_cancel(sw, SW_DRAW);
                break;
            }
            sw_next(sw, SW_BATCH);
            step(sw, trainer, batch);
            sw_end_batch(sw, n);
        }
        sw_end(sw, SW_TRAIN);
        if (sw_mpi_epoch(sw, &err) < 0)
            sw_error_print(stderr, &err);
    }
}

/* Each rank has as many pictures as the others, so that all make as many steps. */
static bool trainer_open(struct trainer *trainer, struct sw_profiler *sw)
{
    char path[PATH_MAX];
    const struct rank_options *options = &trainer->options;
    struct loader_options loader = {options->batch_size, true,
                                    options->seed + (uint64_t)trainer->rank};
    if (!data_read(beside_program("digits.csv.gz", path, sizeof path), &trainer->all,
                   &trainer->valid))
        return false;
    int count = trainer->all.count / trainer->size;
    trainer->part = (struct data){count, trainer->all.digit + trainer->rank * count};
    trainer->net = net_new(options->batch_size, options->seed);
    trainer->loader = loader_open(&trainer->part, &loader, sw);
    trainer->allreduce = sw_action("allreduce");
    return trainer->net && trainer->loader;
}

static void trainer_close(struct trainer *trainer)
{
    loader_close(trainer->loader);
    net_free(trainer->net);
    data_free(&trainer->all);
    data_free(&trainer->valid);
}

/* The configuration beside the program, or that of $STEPWATCH_CONFIG. */
static struct sw_profiler *profiler_open(void)
{
    char path[PATH_MAX];
    struct sw_error err;
    struct sw_options options;
    const char *config = getenv("STEPWATCH_CONFIG");

    sw_options_init(&options);
    options.file = config && *config ? config : beside_program("stepwatch.yaml", path, sizeof path);
    if (sw_mpi_prepare(&options, MPI_COMM_WORLD, &err) < 0)
        sw_error_print(stderr, &err);
    struct sw_profiler *sw = sw_open_options(&options, &err);
    if (!sw)
        sw_error_print(stderr, &err); /* the training goes on, unmeasured */
    return sw;
}

static void measured_fit(struct trainer *trainer)
{
    struct sw_error err;
    struct sw_mpi_options options;
    struct sw_profiler *sw = profiler_open();

    sw_mpi_options_init(&options);
    options.epochs = true;
    if (sw_mpi_open(sw, MPI_COMM_WORLD, &options, &err) < 0)
        sw_error_print(stderr, &err);
    if (trainer_open(trainer, sw))
        fit(sw, trainer);
    else
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (sw_mpi_report(sw, 0, NULL, &err) < 0)
        sw_error_print(stderr, &err);
    trainer_close(trainer);
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
}

int main(int argc, char **argv)
{
    struct trainer trainer = {0};
    int level, rc = EXIT_SUCCESS;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &trainer.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &trainer.size);
    if (!rank_options_read(&trainer.options, argc, argv, trainer.rank))
        rc = EXIT_FAILURE;
    else if (!trainer.options.help)
        measured_fit(&trainer);
    MPI_Finalize();
    return rc;
}
