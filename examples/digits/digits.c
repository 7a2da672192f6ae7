/* SPDX-License-Identifier: MIT */
/* digits.c - trains a small network on handwritten digits, measured by stepwatch. */
#include "data.h"
#include "loader.h"
#include "net.h"
#include "options.h"
#include "values.h"

#include <stepwatch/stepwatch.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Everything that the loop needs. */
struct trainer {
    struct options options;
    struct data train_data, valid_data;
    struct loader *train_loader, *valid_loader;
    struct net *net;
    double accuracy; /* in the last validation: 0..1 */
    int epochs;      /* finished so far */
};

/* Measures the loss and the accuracy on the pictures that the network does not learn from. */
static void validate(struct sw_profiler *sw, struct trainer *trainer)
{
    SW_SCOPE(sw, SW_VALID);
    struct net *net = trainer->net;
    const struct batch *batch;
    struct mistakes mistakes = {.count = 0};
    double loss = 0, right = 0;

    for (;;) {
        sw_begin(sw, SW_DRAW);
        int n = loader_next(trainer->valid_loader, &batch);
        if (n == 0) {
            sw_cancel(sw, SW_DRAW);
            break;
        }
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_PREDICT);
        forward(net, batch);
        sw_next(sw, SW_LOSS);
        loss += (double)nll(net, batch) * n;
        sw_end(sw, SW_LOSS);
        right += count_right(net, batch);
        mistakes_add(&mistakes, net, batch);
        sw_end_batch(sw, n);
    }
    trainer->accuracy = right / trainer->valid_data.count;
    sw_log(sw, "valid/loss", loss / trainer->valid_data.count);
    sw_log(sw, "valid/accuracy", trainer->accuracy);
    mistakes_log(sw, &mistakes, net);
}

/* The training loop. stepwatch measures what happens here, in validate() and in loader.c. */
static void fit(struct sw_profiler *sw, struct trainer *trainer)
{
    struct net *net = trainer->net;
    const struct batch *batch;

    SW_SCOPE(sw, SW_FIT);
    for (int epoch = 0; epoch < trainer->options.epochs && !sw_should_stop(sw); epoch++) {
        SW_SCOPE(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        for (;;) {
            sw_begin(sw, SW_DRAW);
            int n = loader_next(trainer->train_loader, &batch);
            if (n == 0) {
                sw_cancel(sw, SW_DRAW); /* found no batch: do not count it */
                break;
            }
            sw_next(sw, SW_BATCH);
            sw_begin(sw, SW_FORWARD);
            forward(net, batch);
            sw_next(sw, SW_LOSS);
            float loss = nll(net, batch);
            sw_next(sw, SW_BACKWARD);
            backward(net, batch);
            sw_next(sw, SW_OPT_STEP);
            adam(net, (float)trainer->options.lr);
            sw_next(sw, SW_ZERO_GRAD);
            zero(net);
            sw_end(sw, SW_ZERO_GRAD);
            sw_log(sw, "train/loss", loss);
            loss_watch(sw, (double)loss);
            sw_log(sw, "train/accuracy", (double)count_right(net, batch) / n);
            sw_end_batch(sw, n);
        }
        sw_end(sw, SW_TRAIN);
        validate(sw, trainer);
        trainer->epochs++;
    }
}

/* Logs the hyper-parameters of this run. */
static void log_options(struct sw_profiler *sw, const struct trainer *trainer)
{
    const struct options *options = &trainer->options;
    sw_hparam_string(sw, "model", "MLP 64-128-64-10");
    sw_hparam_string(sw, "optimizer", "Adam");
    sw_hparam_int(sw, "epochs", options->epochs);
    sw_hparam_int(sw, "batch_size", options->batch_size);
    sw_hparam_float(sw, "lr", options->lr);
    sw_hparam_int(sw, "seed", (int64_t)options->seed);
}

/* Says how many steps there will be, for the progress and its eta. */
static void expect_steps(struct sw_profiler *sw, const struct trainer *trainer)
{
    int64_t size = trainer->options.batch_size;
    int64_t steps = (trainer->train_data.count + size - 1) / size;
    sw_expect_steps(sw, steps * trainer->options.epochs);
}

/* Prepares the training. On failure, prints the reason to stderr and returns false. */
static bool trainer_open(struct trainer *trainer, struct sw_profiler *sw)
{
    char path[PATH_MAX];
    struct loader_options train = {trainer->options.batch_size, true, trainer->options.seed};
    struct loader_options valid = {trainer->options.batch_size, false, 0};

    if (!data_read(beside_program("digits.csv.gz", path, sizeof path), &trainer->train_data,
                   &trainer->valid_data))
        return false;
    trainer->net = net_new(trainer->options.batch_size, trainer->options.seed);
    if (!trainer->net) {
        fprintf(stderr, "digits: out of memory for the network\n");
        return false;
    }
    trainer->train_loader = loader_open(&trainer->train_data, &train, sw);
    trainer->valid_loader = loader_open(&trainer->valid_data, &valid, sw);
    return trainer->train_loader && trainer->valid_loader;
}

static void trainer_close(struct trainer *trainer)
{
    loader_close(trainer->train_loader);
    loader_close(trainer->valid_loader);
    net_free(trainer->net);
    data_free(&trainer->train_data);
    data_free(&trainer->valid_data);
}

/* Returns the path for sw_open(): NULL, so that it reads $STEPWATCH_CONFIG, or else the file beside
 * the program. */
static const char *config_path(char *buffer, size_t size)
{
    const char *config = getenv("STEPWATCH_CONFIG");
    return config && *config ? NULL : beside_program("stepwatch.yaml", buffer, size);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct trainer trainer = {0};
    SW_ERROR_SCOPE(err);
    char config[PATH_MAX];
    double start = seconds();

    if (!options_read(&trainer.options, argc, argv))
        return EXIT_FAILURE;
    if (trainer.options.help)
        return EXIT_SUCCESS;

    struct sw_profiler *sw = sw_open(config_path(config, sizeof config), &err);
    if (!sw)
        sw_error_print(stderr, &err); /* the training goes on, unmeasured */
    log_options(sw, &trainer);

    bool ready = trainer_open(&trainer, sw);
    if (ready) {
        expect_steps(sw, &trainer);
        fit(sw, &trainer);
    }
    trainer_close(&trainer);
    sw_set_exit_status(sw, ready ? EXIT_SUCCESS : EXIT_FAILURE);
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);

    if (ready)
        printf("Validation accuracy: %.1f %% after %d epochs, in %.1f s.\n", 100 * trainer.accuracy,
               trainer.epochs, seconds() - start);
    return ready ? EXIT_SUCCESS : EXIT_FAILURE;
}
