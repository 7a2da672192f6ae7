/* SPDX-License-Identifier: MIT */
/* ask.h - what an upload asks of the service and sends to it. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ASK_H
#define SINKS_WANDB_UPLOAD_ASK_ASK_H

#include "net/asker.h"
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/upload/content/file_lines.h"
#include "sinks/wandb/upload/content/model.h"

#include <jansson.h>

/* ---- link.c: requests until they are answered ------------------------------------------------ */

/* With a key or a token in exchange for that of a file, and never over the rows of another process.
 */

struct swi_link {
    struct swi_asker asker;
    const struct swi_wandb_service *service;
    const struct swi_wandb_key *key;
    const char *folder; /* for messages: the run's folder, or NULL */
    bool deleted;       /* the run does not exist at the service any more, which was reported */
    double answer_s;    /* longest wait for an answer */
    int64_t token_ns;   /* until when the token for that of the key's file is valid; 0: none yet */

    double silent_s;  /* no writer of a run is silent for longer than this */
    int64_t sent_ns;  /* CLOCK_BOOTTIME: when the last request was sent */
    int64_t taken_ns; /* the same: when accepted rows were sent, or `look` was called */
    /* Called before a request that changes a run, if nothing was accepted for longer than silent_s.
     * A negative result: another process may have written the run. NULL: not set yet. */
    int (*look)(void *arg, struct sw_error *err);
    void *look_arg;
};

/* service, key: borrowed. ended: may be NULL; gets the same arg. Call swi_asker_fini() afterwards.
 */
int swi_link_init(struct swi_link *link, const struct swi_wandb_service *service,
                  const struct swi_wandb_key *key, swi_message_fn *say, void *arg,
                  bool (*ended)(void *arg), struct sw_error *err);

/* Calls `look` if it is due. Before the run itself and its rows, this is done automatically.
 * Returns 0 or the result of `look`. */
int swi_link_look(struct swi_link *link, struct sw_error *err);
/* Sets `look`, which is called from now on if nothing was accepted for too long. */
void swi_link_watch(struct swi_link *link, int (*look)(void *arg, struct sw_error *err), void *arg);

/* Sends a request until it is answered with 2xx. Returns 0, SW_ETIME if it was cancelled, and
 * SW_EIO if trying again is useless: err says why and what to do. json: set to the answer, for
 * which the caller calls json_decref(), or to NULL if it is not JSON; may be NULL. */
int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err);

/* Replaces secrets in the text of an error by stars. */
void swi_link_hide_error(const struct swi_link *link, struct sw_error *err);

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

/* ---- api.c: questions of GraphQL ------------------------------------------------------------- */

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

/* ---- file_stream.c: posts of rows, lines, the summary and the end of a run ------------------- */

/* Bytes of lines that fill a post. An upload keeps no more in memory. */
enum { SWI_STREAM_FULL = 1 << 20 };

struct swi_file_stream {
    struct swi_lines history, events, output;
    int64_t stored_rows, stored_events; /* numbers of the last records that are stored already */
    struct swi_steps steps;
    struct swi_console printed;
    struct swi_text summary; /* as it was last posted */
    json_t *uploaded;        /* names of files since the last post */
    struct swi_text path;    /* of the posts */
    bool stopped;            /* the service asks the program to stop */
    int64_t rows;            /* posted */
    int64_t skipped;         /* rows that were too long */
    bool skip_said;
};

bool swi_file_stream_init(struct swi_file_stream *stream);
void swi_file_stream_fini(struct swi_file_stream *stream);
void swi_file_stream_place(struct swi_file_stream *stream, const struct swi_bucket *bucket);

/* Takes a record: a row, statistics or output. Returns false if it is too long. */
bool swi_file_stream_take(struct swi_file_stream *stream, const struct swi_record_message *record,
                          double started_s);

bool swi_file_stream_is_full(const struct swi_file_stream *stream);
bool swi_file_stream_has(const struct swi_file_stream *stream, const struct swi_model *model);

/* Posts what waits, even if it is nothing, and the end of the run if it is given. On failure, it
 * still waits. */
int swi_file_stream_post(struct swi_file_stream *stream, struct swi_link *link,
                         const struct swi_model *model, const int *exit_code, struct sw_error *err);
/* Posts nothing, to show that the run is alive. What waits still waits. */
int swi_file_stream_beat(struct swi_file_stream *stream, struct swi_link *link,
                         struct sw_error *err);

/* ---- send_files.c: files of a run, to the addresses that the service gives ------------------- */

/* A file that cannot be sent is reported and counted, but does not end the upload. */

struct swi_files {
    struct swi_link *link;
    const struct swi_bucket *bucket;
    const char *folder;  /* of the run; its files are in files/ */
    const char *staging; /* the SDK's folder for files of artifacts, or NULL */
    FILE *output; /* everything that was printed, if the run's folder has no output.log; or NULL */
    struct swi_file_stream *stream; /* receives the names of the files that were sent */
    int64_t sent, failed;
    uint64_t made[3]; /* versions of config, summary and metadata that were sent; 0: none */
    uint64_t printed; /* bytes of the output that were sent */
    bool fresh; /* files sent now are sent again after a change, so there is one try and no message
                 */
    double interval_s;    /* between two such sends */
    double pause_s;       /* after one that failed */
    int64_t refresh_ns;   /* the next one is not before this */
    int64_t until_ns;     /* no other file is begun after this, so that rows do not wait; 0: all */
    bool more;            /* for that reason, some files wait for the next time */
    bool asked;           /* whether the run still exists, after a file was refused */
    struct sw_error gone; /* the answer, if it does not; then no file is reported */
    bool older; /* the run was continued: files that each process has one of are the later process's
                 */
};

/* Whether what is sent next must wait for the rows. */
bool swi_files_late(struct swi_files *files);

/* Sends the files of the model that are due. At the end, these are all of them, and those that the
 * model itself makes: config.yaml, wandb-summary.json, wandb-metadata.json. Returns 0, or SW_ETIME
 * if it was cancelled. */
int swi_files_send(struct swi_files *files, struct swi_model *model, bool end,
                   struct sw_error *err);

/* Sends, while a run is being written, files that have changed since they were sent and may change
 * again, including those that the model makes. A failure is not reported, and the file is sent
 * later. Returns 0, or SW_ETIME if it was cancelled. */
int swi_files_refresh(struct swi_files *files, struct swi_model *model, struct sw_error *err);

/* Sends a body or a file to an address, with the header lines of the answer that has it. */
int swi_files_put(const struct swi_files *files, const char *url, const json_t *answer,
                  const struct swi_http_request *content, struct sw_error *err);

/* Reports and counts something that was not sent. */
void swi_files_complain(struct swi_files *files, const char *what, const char *name,
                        const char *why);

/* ---- artifacts.c ----------------------------------------------------------------------------- */

/* Sends the artifacts that were not sent yet. Their files are read from artifacts/ in the run's
 * folder, whatever path the record has: a file from elsewhere must not name files of this machine.
 * An artifact that cannot be sent is reported and counted. Returns 0, or SW_ETIME if it was
 * cancelled. */
int swi_artifacts_send(struct swi_files *files, json_t *list, struct sw_error *err);

#endif
