/* SPDX-License-Identifier: MIT */
/* loader.h - makes batches ahead of the loop, on its own thread. */
#ifndef DIGITS_LOADER_H
#define DIGITS_LOADER_H

#include "data.h"

#include <stepwatch/stepwatch.h>

/* Pictures and their labels, in the layout that the network needs. */
struct batch {
    int count;
    float (*pixel)[PIXELS];
    int *label;
};

struct loader;

struct loader_options {
    int batch_size;
    bool shuffle; /* shuffle before each epoch, and augment the pictures */
    uint64_t seed;
};

/* Starts to make batches of data (borrowed until loader_close()). The thread measures its regions
 * with sw, which may be NULL. On failure, prints the reason to stderr and returns NULL. */
struct loader *loader_open(const struct data *data, const struct loader_options *options,
                           struct sw_profiler *sw);

/* Waits for the next batch. The batch is valid until the next call. Returns its count, which is 0
 * at the end of each epoch; the next call then starts the next epoch. */
int loader_next(struct loader *loader, const struct batch **batch);

/* Stops the thread. Accepts NULL. */
void loader_close(struct loader *loader);

#endif
