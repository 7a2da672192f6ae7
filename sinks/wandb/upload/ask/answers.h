/* SPDX-License-Identifier: MIT */
/* answers.h - reads the answers to the questions of GraphQL. Whatever the answers contain, time and
 * memory are bounded by their size. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ANSWERS_H
#define SINKS_WANDB_UPLOAD_ASK_ANSWERS_H

#include "sinks/wandb/upload/content/model.h"

#include <stepwatch/error.h>

/* The run at the service. Initialise it as {0}. */
struct swi_bucket {
    char *storage_id, *id, *name, *project, *entity;
    int64_t rows;  /* lines of its history */
    bool inserted; /* it was created just now */
};

/* Reads the answer to upsertBucket. Returns SW_EIO if it does not say where the run is. */
int swi_answer_bucket(struct swi_bucket *bucket, const json_t *data, struct sw_error *err);
void swi_bucket_free(struct swi_bucket *bucket);

/* What the service has of a run. Initialise it as {0}. Texts are "" if they are not given. */
struct swi_status {
    bool exists;
    bool begun; /* it was initialised, so resuming continues it */
    char *storage_id, *config, *summary;
    char *entity, *project; /* where it is */
    int64_t rows, events, lines;
    json_t *row, *event; /* the last ones, or NULL */
};

/* Reads the answer to RunResumeStatus. */
int swi_answer_status(struct swi_status *status, const json_t *data, struct sw_error *err);
void swi_status_free(struct swi_status *status);

/* The state of a run. */
struct swi_state {
    char name[16];  /* "running", "finished", "failed", "crashed" …; "" if not given */
    char heard[40]; /* when the service last heard of it, by its own clock; "" if not given */
    int64_t rows;   /* lines of its history */
};

/* Reads the answer to RunState. */
void swi_answer_state(struct swi_state *state, const json_t *data);

/* Reads the answer to ServerFeaturesQuery. Returns whether the server accepts console lines as
 * JSON. */
bool swi_answer_structured(const json_t *data);

/* Returns SW_EIO if a complete answer has errors or no data. name: of the question. */
int swi_answer_check(const char *base_url, const char *name, const json_t *answer,
                     struct sw_error *err);

#endif
