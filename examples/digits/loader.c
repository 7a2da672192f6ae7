/* SPDX-License-Identifier: MIT */
/* loader.c - a ring of batches between the loader's thread, which fills them, and the loop. */
#include "loader.h"

#include "augment.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4 }; /* the loop reads one, up to three are ready */

struct loader {
    const struct data *data;
    struct loader_options options;
    struct sw_profiler *sw;
    struct random random;
    int *order;                          /* indices of the pictures, in the order of this epoch */
    int wait, shuffle, collect, augment; /* the thread's actions */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    long filled; /* batches made so far; the next uses slot filled % SLOTS */
    long taken;  /* batches that the loop has asked for so far */
    bool stop;
    struct batch slot[SLOTS];
};

/* Fisher-Yates shuffle: all orders are equally likely. */
static void shuffle_order(struct loader *loader)
{
    SW_SCOPE(loader->sw, loader->shuffle);
    for (int i = loader->data->count - 1; i > 0; i--) {
        int k = random_below(&loader->random, i + 1);
        int other = loader->order[k];
        loader->order[k] = loader->order[i];
        loader->order[i] = other;
    }
}

/* Fills the batch with pictures from index `first` of the order on, as many as remain and fit. */
static void fill_batch(struct loader *loader, struct batch *batch, int first)
{
    SW_SCOPE(loader->sw, loader->options.shuffle ? loader->augment : loader->collect);
    int left = loader->data->count - first;
    batch->count = left < loader->options.batch_size ? left : loader->options.batch_size;
    for (int i = 0; i < batch->count; i++) {
        const struct digit *digit = &loader->data->digit[loader->order[first + i]];
        batch->label[i] = digit->label;
        if (loader->options.shuffle)
            augment(digit->pixel, batch->pixel[i], &loader->random);
        else
            memcpy(batch->pixel[i], digit->pixel, sizeof digit->pixel);
    }
}

/* Waits until the loop is done with the next slot and returns it; NULL if the loader must stop. */
static struct batch *slot_wait(struct loader *loader)
{
    SW_SCOPE(loader->sw, loader->wait);
    pthread_mutex_lock(&loader->lock);
    /* The loop is still reading the batch that it took last. */
    while (!loader->stop && loader->filled - loader->taken >= SLOTS - 1)
        pthread_cond_wait(&loader->changed, &loader->lock);
    struct batch *slot = loader->stop ? NULL : &loader->slot[loader->filled % SLOTS];
    pthread_mutex_unlock(&loader->lock);
    return slot;
}

static void slot_filled(struct loader *loader)
{
    pthread_mutex_lock(&loader->lock);
    loader->filled++;
    pthread_cond_signal(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
}

static void *loader_thread(void *arg)
{
    struct loader *loader = arg;
    for (;;) {
        if (loader->options.shuffle)
            shuffle_order(loader);
        /* An empty batch ends the epoch. */
        for (int first = 0, count = 1; count > 0; first += count) {
            struct batch *batch = slot_wait(loader);
            if (!batch)
                return NULL;
            fill_batch(loader, batch, first);
            count = batch->count;
            slot_filled(loader);
        }
    }
}

static bool slots_new(struct loader *loader)
{
    size_t size = (size_t)loader->options.batch_size;
    bool fine = true;
    for (int i = 0; i < SLOTS; i++) {
        loader->slot[i].pixel = calloc(size, sizeof *loader->slot[i].pixel);
        loader->slot[i].label = calloc(size, sizeof *loader->slot[i].label);
        fine = fine && loader->slot[i].pixel && loader->slot[i].label;
    }
    return fine;
}

static void loader_free(struct loader *loader)
{
    for (int i = 0; i < SLOTS; i++) {
        free(loader->slot[i].pixel);
        free(loader->slot[i].label);
    }
    pthread_cond_destroy(&loader->changed);
    pthread_mutex_destroy(&loader->lock);
    free(loader->order);
    free(loader);
}

static struct loader *loader_new(const struct data *data, const struct loader_options *options,
                                 struct sw_profiler *sw)
{
    struct loader *loader = calloc(1, sizeof *loader);
    if (!loader)
        return NULL;
    *loader = (struct loader){.data = data,
                              .options = *options,
                              .sw = sw,
                              .random = {options->seed},
                              .wait = sw_action("wait_for_loop"),
                              .shuffle = sw_action("shuffle"),
                              .collect = sw_action("collect"),
                              .augment = sw_action("augment")};
    pthread_mutex_init(&loader->lock, NULL);
    pthread_cond_init(&loader->changed, NULL);
    loader->order = calloc((size_t)data->count, sizeof *loader->order);
    if (!slots_new(loader) || !loader->order) {
        loader_free(loader);
        return NULL;
    }
    for (int i = 0; i < data->count; i++)
        loader->order[i] = i;
    return loader;
}

struct loader *loader_open(const struct data *data, const struct loader_options *options,
                           struct sw_profiler *sw)
{
    struct loader *loader = loader_new(data, options, sw);
    if (loader && pthread_create(&loader->thread, NULL, loader_thread, loader) == 0)
        return loader;
    if (loader)
        loader_free(loader);
    fprintf(stderr, "digits: cannot start the loader: out of memory or threads\n");
    return NULL;
}

int loader_next(struct loader *loader, const struct batch **batch)
{
    pthread_mutex_lock(&loader->lock);
    while (loader->filled == loader->taken)
        pthread_cond_wait(&loader->changed, &loader->lock);
    *batch = &loader->slot[loader->taken++ % SLOTS];
    pthread_cond_signal(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
    return (*batch)->count;
}

void loader_close(struct loader *loader)
{
    if (!loader)
        return;
    pthread_mutex_lock(&loader->lock);
    loader->stop = true;
    pthread_cond_signal(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
    pthread_join(loader->thread, NULL);
    loader_free(loader);
}
