/* SPDX-License-Identifier: MIT */
/* answers.h - what the answers to the questions of GraphQL say. Whatever stands in them, these end
 * and hold no more than was sent. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ANSWERS_H
#define SINKS_WANDB_UPLOAD_ASK_ANSWERS_H

#include "sinks/wandb/upload/content/model.h"

#include <stepwatch/error.h>

/* The run as the service has it. Begins as {0}. */
struct swi_bucket {
    char *storage_id, *id, *name, *project, *entity;
    int64_t rows;  /* lines of its history */
    bool inserted; /* it was made just now */
};

/* Of upsertBucket. SW_EIO if it does not say where the run is. */
int swi_answer_bucket(struct swi_bucket *bucket, const json_t *data, struct sw_error *err);
void swi_bucket_free(struct swi_bucket *bucket);

/* What the service has of a run. Begins as {0}; texts are "" where it says nothing. */
struct swi_status {
    bool exists;
    bool begun; /* it was initialised: resuming it means to go on */
    char *storage_id, *config, *summary;
    char *entity, *project; /* where it is */
    int64_t rows, events, lines;
    json_t *row, *event; /* the last ones, or NULL */
};

/* Of RunResumeStatus. */
int swi_answer_status(struct swi_status *status, const json_t *data, struct sw_error *err);
void swi_status_free(struct swi_status *status);

/* How a run is. */
struct swi_state {
    char name[16];  /* "running", "finished", "failed", "crashed" …; "": not said */
    char heard[40]; /* when the service heard of it last, by its own clock; "": not said */
    int64_t rows;   /* lines of its history */
};

/* Of RunState. */
void swi_answer_state(struct swi_state *state, const json_t *data);

/* Of RunSteps: when each of the rows was made that were asked for, one of each question; NAN if
 * there is no such row. False where the answer is not one to it. */
bool swi_answer_times(const json_t *data, double *time_s, size_t count);

/* Of ServerFeaturesQuery: whether the server takes console lines as JSON. */
bool swi_answer_structured(const json_t *data);

/* SW_EIO where a whole answer holds mistakes or no data; name: of the question. */
int swi_answer_check(const char *base_url, const char *name, const json_t *answer,
                     struct sw_error *err);

#endif
