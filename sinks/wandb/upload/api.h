/* SPDX-License-Identifier: MIT */
/* api.h - the questions of GraphQL that an upload asks. */
#ifndef SINKS_WANDB_UPLOAD_API_H
#define SINKS_WANDB_UPLOAD_API_H

#include "sinks/wandb/upload/link.h"
#include "sinks/wandb/upload/model.h"

/* Asks one question of GraphQL; takes its variables over. data: set to the object of that name in
 * the answer, the caller's to json_decref(). */
int swi_api_ask(struct swi_link *link, enum swi_retry kind, const char *name, const char *document,
                json_t *variables, json_t **data, struct sw_error *err);

/* The run as the service has it. Begins as {0}. */
struct swi_bucket {
    char *storage_id, *id, *name, *project, *entity;
    int64_t rows;  /* lines of its history */
    bool inserted; /* it was made just now */
};

void swi_bucket_free(struct swi_bucket *bucket);

/* Makes the run, or changes it. first: all that is known, by the storage id of an earlier process's
 * run where there is one (else NULL); otherwise its config alone, of the bucket that is given. */
int swi_api_upsert(struct swi_link *link, const struct swi_model *model, bool first,
                   const char *storage_id, struct swi_bucket *bucket, struct sw_error *err);

/* What the service has of a run. Begins as {0}; texts are "" where it says nothing. */
struct swi_status {
    bool exists;
    bool begun; /* it was initialised: resuming it means to go on */
    char *storage_id, *config, *summary;
    int64_t rows, events, lines;
    json_t *row, *event; /* the last ones, or NULL */
};

int swi_api_status(struct swi_link *link, const struct swi_model *model, struct swi_status *status,
                   struct sw_error *err);
void swi_status_free(struct swi_status *status);

/* Whether the server takes console lines as JSON. False where it does not say. */
bool swi_api_structured(struct swi_link *link);

/* Where files are to be sent: the data of createRunFiles, the caller's to json_decref(). */
int swi_api_urls(struct swi_link *link, const struct swi_bucket *bucket, json_t *names,
                 json_t **answer, struct sw_error *err);

#endif
