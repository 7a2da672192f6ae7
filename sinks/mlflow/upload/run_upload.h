/* SPDX-License-Identifier: MIT */
/* run_upload.h - uploads one journal: every request follows from its lines alone, so that repeating
 * a request stores nothing twice. */
#ifndef SINKS_MLFLOW_UPLOAD_RUN_UPLOAD_H
#define SINKS_MLFLOW_UPLOAD_RUN_UPLOAD_H

#include "core/text/buffer.h"
#include "sinks/mlflow/upload/tracking.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- the journal, line by line --------------------------------------------------------------- */

/* Initialise it as {.fd = -1}. */
struct swi_journal_reader {
    int fd;
    struct swi_text bytes; /* read, and not yet taken from `at` on */
    size_t at;
    int64_t offset;  /* of the end of the last line that was taken, in all that was ever written */
    int64_t skipped; /* lines that are not JSON */
    char *path;
    bool kept;     /* lines come that are kept of removed ones */
    int64_t taken; /* the offset before the file was replaced: lines before it were taken */
    int64_t known; /* lines before this offset may be removed: they were taken, or are uploaded */
    bool lost;     /* others were removed */
};

int swi_journal_open(struct swi_journal_reader *reader, const char *path, struct sw_error *err);
void swi_journal_close(struct swi_journal_reader *reader);

/* Reads the next whole line. Returns 1 with *line set, for which the caller calls json_decref(); 0
 * if there is none yet; SW_EIO or SW_ENOMEM. Skips and counts damaged lines. */
int swi_journal_next(struct swi_journal_reader *reader, json_t **line, struct sw_error *err);

/* Returns the bytes after the last whole line: of a line that is being written, or was cut off. */
size_t swi_journal_rest(const struct swi_journal_reader *reader);

/* ---- what waits to be sent together ---------------------------------------------------------- */

/* The server stores nothing of a batch with more. The bytes are those of the request. */
enum { SWI_BATCH_METRICS = 1000, SWI_BATCH_PARAMS = 100, SWI_BATCH_BYTES = 900000 };

/* At most this many bytes of a request are around its items. */
enum { SWI_BATCH_AROUND = 256 };

/* It cuts the value of a tag without a word. */
enum { SWI_TAG_MAX = 8000 };

/* Where an item is in the text. */
struct swi_batch_item {
    size_t at, size;
    char *name; /* of the program, for messages */
};

/* Initialise it as {0}. */
struct swi_items {
    struct swi_text json; /* all of them, one after the other */
    struct swi_batch_item *item;
    size_t count, room;
    bool failed; /* out of memory */
};

void swi_items_free(struct swi_items *items);
void swi_items_clear(struct swi_items *items);

/* Begins an item; the caller adds its JSON to items->json, and ends it. */
void swi_item_begin(struct swi_items *items, const char *name);
void swi_item_end(struct swi_items *items);

/* ---- run_upload.c ---------------------------------------------------------------------------- */

/* How far a journal is uploaded: JOURNAL.upload, replaced as a whole. */
struct swi_upload_state {
    char server[1024]; /* address, without user and password */
    char run_id[128];  /* of the server; "": the run is not created yet */
    char experiment_id[128];
    char artifacts[1024]; /* the run's artifact_uri */
    int64_t confirmed;    /* all before this offset of the journal is at the server */
    int64_t sending;      /* where the batch ends that was sent last, confirmed or not */
    bool doubtful;        /* the run may have been created twice */
    bool done;            /* all is at the server, and the run is ended */
};

/* Reads the state of a journal. Returns false if there is none. */
bool swi_upload_state_load(struct swi_upload_state *state, const char *journal);

struct swi_run_upload_options {
    const char *folder; /* of the run */
    const struct swi_tracking_server *server;
    const char *experiment; /* NULL: that of the journal, or of the server's settings */
    double interval_s;      /* between two batches */
    double timeout_s;       /* 0: none */
    bool growing;           /* the journal is being written; swi_run_upload_close() ends that */
    bool open_end;          /* a journal without an end is of a run that goes on */
    bool fresh;             /* create the run again even if it is not known whether it exists */
    swi_message_fn *say;
    bool (*ended)(void *arg); /* may be NULL */
    void *arg;
};

/* What the journal says of the run. */
struct swi_journal_run {
    json_t *run, *mlflow; /* its first lines */
    json_t *report;       /* the last one, until its files are sent */
    json_t *finish;
    int64_t started_us;
    int64_t last_ns; /* time of the last line that has one */
    int64_t step;    /* of the last metric */
};

struct swi_run_upload {
    struct swi_run_upload_options options;
    char journal[PATH_MAX + 32];
    struct swi_tracking tracking;
    struct swi_journal_reader reader;
    struct swi_upload_state state;
    struct swi_journal_run described;
    struct swi_items metrics, params;
    struct swi_tracking_keys metric_keys, param_keys, tag_keys;
    json_t *param_values; /* key: value, of parameters that were sent */
    json_t *tags;         /* tags that wait: [[key, value], ...] */
    json_t *files;        /* files that wait: {path at the server: path below artifacts/, ...} */
    json_t *tables;       /* paths of files that the page shows as tables, sent or not */
    bool tables_grown;    /* since the server was told */
    bool tables_cut;      /* they do not fit into a tag, which was said */
    bool deleted;         /* the run does not exist there any more, which was reported */
    bool no_files;        /* the server does not take files, which was said */
    bool no_search;       /* the server cannot search for runs */
    bool again;           /* the first batch may have been sent before */
    bool unsaved;         /* the state could not be written, which was said */
    bool lost_said;       /* that values were removed before */
    bool backwards;       /* the step has gone back, which was said */
    int store;            /* 0: not asked, 1: SQL, 2: another */
    int64_t points;       /* metrics that were sent */
    int64_t skipped;      /* items that the server refused */
    int64_t files_sent;
    int64_t files_failed; /* files that were not sent; each was said */
    int64_t lines;        /* lines of the journal so far */
    atomic_bool closing;
};

int swi_run_upload_init(struct swi_run_upload *upload, const struct swi_run_upload_options *options,
                        struct sw_error *err);

void swi_run_upload_fini(struct swi_run_upload *upload);

/* Uploads the journal of a struct swi_run_upload until its end. Returns 0 if all is at the server,
 * SW_ETIME if the time was too short or it was cancelled, SW_EIO if the server refuses the run,
 * SW_EFORMAT if the journal contains no run. It has closed all that it has opened: the thread that
 * calls it may have a table of descriptors of its own. */
int swi_run_upload_run(void *upload, struct sw_error *err);

/* Says that the journal does not grow any more. Any thread may call it. */
void swi_run_upload_close(struct swi_run_upload *upload);

/* Returns the page of the run, or "". */
void swi_run_upload_page(const struct swi_run_upload *upload, char *url, size_t size);

/* ---- journal_lines.c ------------------------------------------------------------------------- */

/* Takes a line. sent: it is at the server already, so it is only noted. Takes the reference. */
void swi_line_take(struct swi_run_upload *upload, json_t *line, bool sent);

/* Returns what the journal says of the run's place at the server by this name, or "". */
const char *swi_journal_text(const struct swi_journal_run *described, const char *name);

/* Returns the wall time of a line in milliseconds, rounded down. */
int64_t swi_line_ms(const struct swi_journal_run *described, int64_t ns);

/* Writes the rows of a report as {"columns":[...],"data":[[...]]}. */
void swi_line_table(struct swi_text *text, const json_t *report);

/* ---- send_batch.c ---------------------------------------------------------------------------- */

/* What the server refuses of single items is skipped, counted and said. Returns 0, SW_EIO if it
 * refuses the run, or SW_ETIME. */
int swi_batch_send(struct swi_run_upload *upload, struct sw_error *err);

/* Sets one tag. status: receives that of a refusal; may be NULL. */
int swi_tag_send(struct swi_run_upload *upload, const char *key, const char *value, int *status,
                 struct sw_error *err);

/* Adds as much of the value of a tag as the server keeps, and says so if that is not all. */
void swi_tag_cut(struct swi_run_upload *upload, struct swi_text *cut, const char *key,
                 const char *value);

/* ---- send_run_files.c ------------------------------------------------------------------------ */

/* A file that cannot be sent is said and counted, and does not end the upload. Returns 0, or
 * SW_ETIME. */
int swi_run_files_send(struct swi_run_upload *upload, struct sw_error *err);

/* Sends the file of the program's lines as it is, if there is one. */
int swi_run_output_send(struct swi_run_upload *upload, struct sw_error *err);

/* ---- experiment.c ---------------------------------------------------------------------------- */

/* Sets state.experiment_id. Returns 0, SW_EIO if the server refuses, or SW_ETIME. */
int swi_experiment_find(struct swi_run_upload *upload, struct sw_error *err);

/* ---- run_begin.c ----------------------------------------------------------------------------- */

/* Sets state.run_id. Returns 0, SW_EIO if the server refuses, or SW_ETIME. */
int swi_run_begin(struct swi_run_upload *upload, struct sw_error *err);

/* Deletes what was created twice because an answer was lost. Call it after the first batch. */
int swi_run_doubles(struct swi_run_upload *upload, struct sw_error *err);

/* ---- journal_sync.c: on the calling thread --------------------------------------------------- */

struct swi_sync_options {
    const char *uri;        /* address of the server; NULL: MLFLOW_TRACKING_URI */
    const char *experiment; /* NULL: that of the journal, or MLFLOW_EXPERIMENT_NAME */
    bool dry_run;           /* reads what would be uploaded, and sends nothing */
    bool include_live;      /* uploads what exists of a run that goes on */
    bool again;             /* also uploads a run that is uploaded */
    bool fresh;             /* creates the run again even if it is not known whether it exists */
    double timeout_s;       /* 0: none */
    swi_env_fn *env;        /* variables; gets the same arg */
    swi_message_fn *say;
    bool (*ended)(void *arg); /* called a few times a second */
    void *arg;
};

enum swi_synced {
    SWI_SYNC_FINISHED, /* all is at the server, and it knows how the run ended */
    SWI_SYNC_KILLED,   /* the same, of a run whose program was killed */
    SWI_SYNC_LIVE,     /* what exists is at the server; the program goes on */
    SWI_SYNC_DONE,     /* nothing was done: it is uploaded already */
    SWI_SYNC_WRITTEN   /* nothing was done: the program is still writing */
};

struct swi_sync_result {
    enum swi_synced state;
    int exit_status;
    char uid[128], url[1400];
    int64_t lines, points, files, files_failed, skipped, torn_bytes;
};

/* folder: DIR/mlflow/run-...; it contains journal.jsonl. Returns 0, SW_EINVAL, SW_EFORMAT, SW_EIO
 * or SW_ETIME. result is set in any case. */
int swi_journal_sync(const char *folder, const struct swi_sync_options *options,
                     struct swi_sync_result *result, struct sw_error *err);

#endif
