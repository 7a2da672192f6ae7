/* SPDX-License-Identifier: MIT */
/* threads.c - a loader that runs on its own thread. Its regions are reported under `threads`; the
 * time that the loop waits for it is `draw`. */
#include <stepwatch/stepwatch.h>

#include <pthread.h>

enum { BATCHES = 200, SAMPLES = 1000 };

/* One batch on its way from the loader to the loop. */
struct mailbox {
    struct sw_profiler *sw;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool full;
    double batch[SAMPLES];
};

static void put(struct mailbox *box, const double *batch)
{
    pthread_mutex_lock(&box->lock);
    while (box->full)
        pthread_cond_wait(&box->changed, &box->lock);
    memcpy(box->batch, batch, sizeof box->batch);
    box->full = true;
    pthread_cond_signal(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

static void take(struct mailbox *box, double *batch)
{
    pthread_mutex_lock(&box->lock);
    while (!box->full)
        pthread_cond_wait(&box->changed, &box->lock);
    memcpy(batch, box->batch, sizeof box->batch);
    box->full = false;
    pthread_cond_signal(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

/* Any thread can measure regions, under names that you choose. Ask for each handle only once. */
static void *loader(void *arg)
{
    struct mailbox *box = arg;
    int make = sw_action("make_batch"), wait = sw_action("wait_for_loop");
    double batch[SAMPLES];

    for (int i = 0; i < BATCHES; i++) {
        sw_begin(box->sw, make);
        for (int k = 0; k < SAMPLES; k++)
            batch[k] = (double)(i * k % 101) / 101;
        sw_next(box->sw, wait);
        put(box, batch);
        sw_end(box->sw, wait);
    }
    return NULL;
}

static double step(struct mailbox *box, double mean)
{
    double batch[SAMPLES];
    sw_begin(box->sw, SW_DRAW);
    take(box, batch);
    sw_next(box->sw, SW_BATCH);
    for (int k = 0; k < SAMPLES; k++)
        mean += 0.001 * (batch[k] - mean);
    sw_log(box->sw, "train/mean", mean);
    sw_end_batch(box->sw, SAMPLES);
    return mean;
}

int main(void)
{
    SW_ERROR_SCOPE(err);
    struct mailbox box = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;

    box.sw = sw_open(NULL, &err);
    if (!box.sw)
        sw_error_print(stderr, &err);
    sw_begin(box.sw, SW_FIT); /* makes this thread the loop's thread */
    if (pthread_create(&thread, NULL, loader, &box) != 0)
        return 1;
    double mean = 0;
    for (int i = 0; i < BATCHES; i++)
        mean = step(&box, mean);
    sw_end(box.sw, SW_FIT);
    pthread_join(thread, NULL); /* no thread may use the profiler once it is closed */
    if (sw_close(box.sw, &err) < 0)
        sw_error_print(stderr, &err);
    return 0;
}
