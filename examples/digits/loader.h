/* SPDX-License-Identifier: MIT */
/* loader.h - makes batches ahead of the loop, on a thread of its own. */
#ifndef DIGITS_LOADER_H
#define DIGITS_LOADER_H

#include "data.h"

#include <stepwatch/stepwatch.h>

/* Some pictures and their labels, side by side as the network wants them. */
struct batch {
    int count;
    float (*pixel)[PIXELS];
    int *label;
};

struct loader;

struct loader_options {
    int batch_size;
    bool shuffle; /* another order in each epoch, and pictures augmented */
    uint64_t seed;
};

/* Starts to make batches of data (borrowed until loader_close()). The thread's regions go to sw,
 * which may be NULL. NULL, and a word on stderr, where there is no memory or no thread. */
struct loader *loader_open(const struct data *data, const struct loader_options *options,
                           struct sw_profiler *sw);

/* Waits for the next batch, which is the caller's to read until the next call. Returns its count:
 * 0 once at the end of each epoch, and then the next epoch begins. */
int loader_next(struct loader *loader, const struct batch **batch);

/* Stops the thread. NULL is fine. */
void loader_close(struct loader *loader);

#endif
