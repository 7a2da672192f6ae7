/* SPDX-License-Identifier: MIT */
/* resume.h - the step at which a run begins or resumes, and the values that come before it is
 * known. */
#ifndef SINKS_TENSORBOARD_RESUME_H
#define SINKS_TENSORBOARD_RESUME_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* Texts, histograms and images of a resumed run that wait until the step is known at which the run
 * resumes. */

/* A value that is not a number, as the event files have it: a text, or bins, or images. */
struct rich {
    char *text;
    struct sw_bin *bin;
    struct sw_tb_blob *image;
    size_t count; /* of bins or images */
    int width, height;
};

/* Writes one. */
void rich_write(struct sw_tb *tb, const char *tag, int64_t step, const struct rich *rich);

/* Learns the first step from a record that is not a sample. Call it before the record is written.
 */
void resume_follow(struct tensorboard *t, const struct sw_record *record);

/* A value that was counted, because no training step had begun. */
void resume_counted(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                    const char *tag, double value);

/* A value that is not a number, and has no step of the loop or of its own. */
void resume_rich(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                 const char *tag, const struct rich *rich);

/* A sample of monitors: its tags are shown once for each step, so it gets a step that no other
 * sample has. That is the training step unless another one has it. */
void resume_sample(struct tensorboard *t, const struct sw_record *record);

/* Writes what waits, at the end of a run without a training step. */
void resume_end(struct tensorboard *t);

void resume_fini(struct tensorboard *t);

#endif
