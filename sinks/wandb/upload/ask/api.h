/* SPDX-License-Identifier: MIT */
/* api.h - the questions of GraphQL that an upload asks. */
#ifndef SINKS_WANDB_UPLOAD_ASK_API_H
#define SINKS_WANDB_UPLOAD_ASK_API_H

#include "sinks/wandb/upload/ask/link.h"
#include "sinks/wandb/upload/content/model.h"

/* ---- answers.c: what the answers say --------------------------------------------------------- */

/* Whatever the answers contain, time and memory are bounded by their size. */

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
    char *storage_id;
    char *entity, *project;   /* where it is */
    json_t *config, *summary; /* NULL if it has none */
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

/* ---- questions ------------------------------------------------------------------------------- */

/* Asks one question of GraphQL and takes over its variables. data: set to the object of that name
 * in the answer; the caller calls json_decref(). */
int swi_api_ask(struct swi_link *link, enum swi_retry kind, const char *name, const char *document,
                json_t *variables, json_t **data, struct sw_error *err);

enum swi_upsert {
    SWI_UPSERT_ALL,    /* creates the run, or sends everything again; fills the bucket */
    SWI_UPSERT_JOIN,   /* changes only the config of a run that a later process continued; fills the
                          bucket */
    SWI_UPSERT_CONFIG, /* changes only the config of the given bucket */
    SWI_UPSERT_AGAIN   /* changes all of the given bucket */
};

/* Creates or changes the run. storage_id: of the run of an earlier process, if there is one. */
int swi_api_upsert(struct swi_link *link, const struct swi_model *model, enum swi_upsert what,
                   const char *storage_id, struct swi_bucket *bucket, struct sw_error *err);

/* Asks what the service has of a run. kind: how long to retry. */
int swi_api_status(struct swi_link *link, enum swi_retry kind, const struct swi_model *model,
                   struct swi_status *status, struct sw_error *err);

/* Asks for the state of the run. Returns SW_EIO also if the service does not know the question. */
int swi_api_state(struct swi_link *link, const struct swi_model *model, struct swi_state *state,
                  struct sw_error *err);

/* Asks when the row of this step was made; NAN if the service has no such row. */
int swi_api_time(struct swi_link *link, const struct swi_model *model, int64_t step, double *time_s,
                 struct sw_error *err);

/* Returns whether the server accepts console lines as JSON; false if it does not say. */
bool swi_api_structured(struct swi_link *link);

/* Asks for the upload addresses of files: the data of createRunFiles; the caller calls
 * json_decref(). */
int swi_api_urls(struct swi_link *link, enum swi_retry kind, const struct swi_bucket *bucket,
                 json_t *names, json_t **answer, struct sw_error *err);

/* Initialise it as {0}, except for the list. */
struct swi_alerts {
    json_t *waiting;
    int64_t read; /* in the file so far */
    int64_t sent; /* all up to this one, counted from 1, by this upload or an earlier one */
    bool refused; /* the service refused one, which was reported */
};

/* Takes a record of the file. Pass all records, in order. */
void swi_alerts_take(struct swi_alerts *alerts, const struct swi_record_message *record);

bool swi_alerts_wait(const struct swi_alerts *alerts);

/* Sends the first alert that waits. Returns 0, even if the service refuses it: then that is
 * reported, and all alerts from it on wait for the next upload. Returns SW_ETIME if it was
 * cancelled. */
int swi_alerts_send(struct swi_alerts *alerts, struct swi_link *link,
                    const struct swi_bucket *bucket, struct sw_error *err);

#endif
