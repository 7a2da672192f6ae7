/* SPDX-License-Identifier: MIT */
/* run_upload.h - uploads one journal: every request follows from its lines alone, so that repeating
 * a request stores nothing twice. */
#ifndef SINKS_MLFLOW_UPLOAD_RUN_UPLOAD_H
#define SINKS_MLFLOW_UPLOAD_RUN_UPLOAD_H

#include "sinks/mlflow/upload/batch.h"
#include "sinks/mlflow/upload/journal_reader.h"
#include "sinks/mlflow/upload/tracking.h"
#include "sinks/mlflow/upload/tracking_key.h"

#include <limits.h>
#include <stdatomic.h>

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
struct swi_told_run {
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
    struct swi_told_run told;
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

/* Closes connections and files. Call it on the thread that has sent, whose table of descriptors may
 * be its own, before swi_run_upload_fini() on another one. */
void swi_run_upload_disconnect(struct swi_run_upload *upload);

void swi_run_upload_fini(struct swi_run_upload *upload);

/* Uploads until the end of the journal. Returns 0 if all is at the server, SW_ETIME if the time was
 * too short or it was cancelled, SW_EIO if the server refuses the run, SW_EFORMAT if the journal
 * contains no run. */
int swi_run_upload_run(struct swi_run_upload *upload, struct sw_error *err);

/* Says that the journal does not grow any more. Any thread may call it. */
void swi_run_upload_close(struct swi_run_upload *upload);

/* Returns the page of the run, or "". */
void swi_run_upload_page(const struct swi_run_upload *upload, char *url, size_t size);

#endif
