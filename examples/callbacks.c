/* SPDX-License-Identifier: MIT */
/* callbacks.c - uses stepwatch in a framework that owns the loop and calls back at its events. */
#include <stepwatch/stepwatch.h>

/* ---- the framework: knows nothing about stepwatch and has its own names for events ----------- */

enum event {
    FIT_STARTS,
    EPOCH_STARTS,
    TRAINING_STARTS,
    TRAINING_ENDS,
    VALIDATION_STARTS,
    VALIDATION_ENDS,
    EPOCH_ENDS,
    FIT_ENDS,
    BATCH_WANTED,
    BATCH_READY,
    PREDICTED,
    LOSS_KNOWN,
    BACKWARD_STARTS,
    STEP_STARTS,
    STEP_ENDS,
    BATCH_ENDS
};

/* A model with a single weight, and the function to call at each event. */
struct trainer {
    double weight;
    void (*call)(void *arg, enum event event, int samples);
    void *arg;
};

static void notify(struct trainer *trainer, enum event event)
{
    trainer->call(trainer->arg, event, 0);
}

static double predict(struct trainer *trainer, int batch, double *x)
{
    notify(trainer, BATCH_WANTED);
    *x = batch % 10 / 10.0;
    notify(trainer, BATCH_READY);
    double guess = trainer->weight * *x;
    notify(trainer, PREDICTED);
    double error = guess - 3 * *x;
    notify(trainer, LOSS_KNOWN);
    return error;
}

static void learn(struct trainer *trainer, double x, double error)
{
    notify(trainer, BACKWARD_STARTS);
    double gradient = 2 * error * x;
    notify(trainer, STEP_STARTS);
    trainer->weight -= 0.1 * gradient;
    notify(trainer, STEP_ENDS);
}

static void pass(struct trainer *trainer, int batches, bool training)
{
    notify(trainer, training ? TRAINING_STARTS : VALIDATION_STARTS);
    for (int batch = 0; batch < batches; batch++) {
        double x, error = predict(trainer, batch, &x);
        if (training)
            learn(trainer, x, error);
        trainer->call(trainer->arg, BATCH_ENDS, 32);
    }
    notify(trainer, training ? TRAINING_ENDS : VALIDATION_ENDS);
}

static void fit(struct trainer *trainer)
{
    notify(trainer, FIT_STARTS);
    for (int epoch = 0; epoch < 3; epoch++) {
        notify(trainer, EPOCH_STARTS);
        pass(trainer, 100, true);
        pass(trainer, 20, false);
        notify(trainer, EPOCH_ENDS);
    }
    notify(trainer, FIT_ENDS);
}

/* ---- the bridge: a table that maps the framework's events to stepwatch's --------------------- */

static void report_event(void *arg, enum event event, int samples)
{
    static const enum sw_event to_stepwatch[] = {
        [FIT_STARTS] = SW_BEFORE_FIT,
        [EPOCH_STARTS] = SW_BEFORE_EPOCH,
        [TRAINING_STARTS] = SW_BEFORE_TRAIN,
        [TRAINING_ENDS] = SW_AFTER_TRAIN,
        [VALIDATION_STARTS] = SW_BEFORE_VALIDATE,
        [VALIDATION_ENDS] = SW_AFTER_VALIDATE,
        [EPOCH_ENDS] = SW_AFTER_EPOCH,
        [FIT_ENDS] = SW_AFTER_FIT,
        [BATCH_WANTED] = SW_BEFORE_DRAW,
        [BATCH_READY] = SW_BEFORE_BATCH,
        [PREDICTED] = SW_AFTER_PRED,
        [LOSS_KNOWN] = SW_AFTER_LOSS,
        [BACKWARD_STARTS] = SW_BEFORE_BACKWARD,
        [STEP_STARTS] = SW_BEFORE_STEP,
        [STEP_ENDS] = SW_AFTER_STEP,
    };
    struct sw_profiler *sw = arg;
    if (event == BATCH_ENDS)
        sw_event_batch(sw, samples); /* the only event that needs an argument */
    else
        sw_event(sw, to_stepwatch[event]);
}

int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw)
        sw_error_print(stderr, &err);
    struct trainer trainer = {.call = report_event, .arg = sw};
    fit(&trainer);
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
    return 0;
}
