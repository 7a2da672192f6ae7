/* SPDX-License-Identifier: MIT */
/* api.h - the questions of GraphQL that an upload asks. */
#ifndef SINKS_WANDB_UPLOAD_ASK_API_H
#define SINKS_WANDB_UPLOAD_ASK_API_H

#include "sinks/wandb/upload/ask/answers.h"
#include "sinks/wandb/upload/net/link.h"
#include "sinks/wandb/upload/content/model.h"

/* Asks one question of GraphQL; takes its variables over. data: set to the object of that name in
 * the answer, the caller's to json_decref(). */
int swi_api_ask(struct swi_link *link, enum swi_retry kind, const char *name, const char *document,
                json_t *variables, json_t **data, struct sw_error *err);

enum swi_upsert {
    SWI_UPSERT_ALL,   /* makes the run, or says all of it anew; fills the bucket */
    SWI_UPSERT_JOIN,  /* of the run of a later process, its config alone; fills the bucket */
    SWI_UPSERT_CONFIG /* its config alone, of the bucket that is given */
};

/* Makes the run, or changes it. storage_id: of an earlier process's run, where there is one. */
int swi_api_upsert(struct swi_link *link, const struct swi_model *model, enum swi_upsert what,
                   const char *storage_id, struct swi_bucket *bucket, struct sw_error *err);

/* Looks what the service has of a run; kind: how patiently. */
int swi_api_status(struct swi_link *link, enum swi_retry kind, const struct swi_model *model,
                   struct swi_status *status, struct sw_error *err);

/* Looks how the run is. SW_EIO also where the service does not know the question. */
int swi_api_state(struct swi_link *link, const struct swi_model *model, struct swi_state *state,
                  struct sw_error *err);

/* As many rows as one question asks for. */
enum { SWI_API_TIMES = 64 };

/* When the rows of these steps were made; NAN where the service has no such row. */
int swi_api_times(struct swi_link *link, const struct swi_model *model, const int64_t *step,
                  double *time_s, size_t count, struct sw_error *err);

/* Whether the server takes console lines as JSON. False if it does not say. */
bool swi_api_structured(struct swi_link *link);

/* Where files are to be sent: the data of createRunFiles, the caller's to json_decref(). */
int swi_api_urls(struct swi_link *link, enum swi_retry kind, const struct swi_bucket *bucket,
                 json_t *names, json_t **answer, struct sw_error *err);

#endif
