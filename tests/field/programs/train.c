/* SPDX-License-Identifier: MIT */
/* train.c - a user's program for the rig: two epochs of a small loop, with a thread that loads.
 *
 *     train [MILLISECONDS], or TRAIN_MS=MILLISECONDS
 *
 * TRAIN_WAIT=SECONDS: how long it does other things when stepwatch is open, before it trains.
 * TRAIN_EXEC=1: after half of the training, it replaces itself with exec(), and begins anew.
 *
 * What it prints on standard output and its exit status, 7, are its own: nothing around it may
 * change them. On standard error it prints "train: begins" when stepwatch is open, so that a
 * message before that line is one at the start. MILLISECONDS: how long the loop works at least. */
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EPOCHS = 2, BATCHES = 20, VALUES = 512, STATUS = 7 };

struct box {
    struct sw_profiler *sw;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    double batch[VALUES];
};

static void *load(void *arg)
{
    struct box *box = arg;
    int augment = sw_action("augment");
    for (int i = 0; i < EPOCHS * BATCHES; i++) {
        pthread_mutex_lock(&box->lock);
        while (box->full)
            pthread_cond_wait(&box->changed, &box->lock);
        sw_begin(box->sw, augment);
        for (int k = 0; k < VALUES; k++)
            box->batch[k] = i * k % 97;
        sw_end(box->sw, augment);
        box->full = 1;
        pthread_cond_signal(&box->changed);
        pthread_mutex_unlock(&box->lock);
    }
    return NULL;
}

static double take(struct box *box)
{
    double sum = 0;
    pthread_mutex_lock(&box->lock);
    while (!box->full)
        pthread_cond_wait(&box->changed, &box->lock);
    for (int k = 0; k < VALUES; k++)
        sum += box->batch[k];
    box->full = 0;
    pthread_cond_signal(&box->changed);
    pthread_mutex_unlock(&box->lock);
    return sum;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Not inlined, so that a profile of functions has it; one block of memory for each call. */
__attribute__((noinline)) static double work(double x, double least)
{
    double *block = malloc(4096);
    double end = seconds() + least, sum = 0;
    if (!block)
        return x;
    do
        for (int i = 0; i < 512; i++)
            sum += block[i] = x + i;
    while (seconds() < end);
    free(block);
    return x;
}

static double step(struct box *box, int number, double least)
{
    sw_begin(box->sw, SW_DRAW);
    double sum = take(box);
    sw_next(box->sw, SW_BATCH);
    sw_begin(box->sw, SW_FORWARD);
    sum = work(sum, least);
    sw_next(box->sw, SW_BACKWARD);
    sw_next(box->sw, SW_OPT_STEP);
    sw_end(box->sw, SW_OPT_STEP);
    sw_log(box->sw, "train/loss", 1.0 / (number + 1));
    sw_log(box->sw, "train/sum", sum);
    sw_end_batch(box->sw, 8);
    return sum;
}

static void begin_anew(char **argv)
{
    if (!getenv("TRAIN_EXEC"))
        return;
    unsetenv("TRAIN_EXEC");
    execv("/proc/self/exe", argv);
    perror("exec");
}

int main(int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    struct box box = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const char *longer = argc > 1 ? argv[1] : getenv("TRAIN_MS");
    double least = longer ? atof(longer) / 1e3 / (EPOCHS * BATCHES) : 0, sum = 0;
    pthread_t loader;

    box.sw = sw_open(NULL, &err);
    if (!box.sw)
        sw_error_print(stderr, &err);
    if (getenv("TRAIN_WAIT"))
        sleep((unsigned)atoi(getenv("TRAIN_WAIT")));
    fprintf(stderr, "train: begins\n");
    sw_hparam_int(box.sw, "batch_size", 8);

    sw_begin(box.sw, SW_FIT);
    if (pthread_create(&loader, NULL, load, &box) != 0)
        return 1;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        sw_begin(box.sw, SW_EPOCH);
        for (int i = 0; i < BATCHES; i++)
            sum += step(&box, epoch * BATCHES + i, least);
        sw_end(box.sw, SW_EPOCH);
        begin_anew(argv);
    }
    sw_end(box.sw, SW_FIT);
    pthread_join(loader, NULL);

    sw_set_exit_status(box.sw, STATUS);
    if (sw_close(box.sw, &err) < 0)
        sw_error_print(stderr, &err);
    printf("train: the sum is %.1f\n", sum);
    return STATUS;
}
