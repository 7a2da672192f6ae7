/* SPDX-License-Identifier: MIT */
/* early_values.h - texts, histograms and images of a resumed run that wait until the step is known
 * at which the run resumes. */
#ifndef SINKS_TENSORBOARD_EARLY_VALUES_H
#define SINKS_TENSORBOARD_EARLY_VALUES_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* A value that is not a number, as the event files have it: a text, or bins, or images. */
struct rich {
    char *text;
    struct sw_bin *bin;
    struct sw_tb_blob *image;
    size_t count; /* of bins or images */
    int width, height;
};

/* Keeps a copy. Returns false if out of memory, or if too many wait already. */
bool early_value_keep(struct tensorboard *t, struct stream *stream, const char *tag, int64_t step,
                      double wall_s, const struct rich *rich);

/* Returns the highest step of those that wait, or 0. */
int64_t early_values_last(const struct tensorboard *t);

/* Writes all, with this number added to their steps, which begin at 0. */
void early_values_write(struct tensorboard *t, int64_t shift);

void early_values_fini(struct tensorboard *t);

/* Writes one. */
void rich_write(struct sw_tb *tb, const char *tag, int64_t step, const struct rich *rich);

#endif
