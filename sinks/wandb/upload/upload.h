/* SPDX-License-Identifier: MIT */
/* upload.h - uploads a run's file to the service: from its start, each row once, whether the run
 * has ended, was killed, or is still being written. */
#ifndef SINKS_WANDB_UPLOAD_UPLOAD_H
#define SINKS_WANDB_UPLOAD_UPLOAD_H

#include "sinks/wandb/account/service.h"
#include "sinks/wandb/upload/already_stored.h"
#include "sinks/wandb/upload/ask/alerts.h"
#include "sinks/wandb/upload/ask/file_stream.h"
#include "sinks/wandb/upload/ask/send_files.h"
#include "sinks/wandb/upload/spill.h"

#include <stdatomic.h>

/* Texts are borrowed while the upload lives. They may be NULL, except for the first four. */
struct swi_upload_options {
    const char *log_path; /* RUN.wandb */
    const char *folder;   /* the folder with files/ */
    const char *base_url, *app_url;
    struct swi_http_options http;          /* without base_url */
    const char *identity;                  /* the file of a token, used instead of a key */
    const char *key_from;                  /* where the key was found, for messages */
    const char *entity, *project, *run_id; /* override those of the file */
    const char *name, *group, *job_type;   /* the same */
    const char *tags;                      /* with commas between; the same */
    const char *ignored;                   /* patterns of files that are not sent */
    const char *staging;                   /* the SDK's folder for files of artifacts */
    const char *user, *mail;               /* the user to whom the run is attributed */
    enum swi_resume resume;
    double interval_s;           /* between two posts */
    double heartbeat_s;          /* silence after which an empty post is sent; 0: 30 */
    double silent_s;             /* the longest silence of a living writer; 0: 35 */
    double timeout_s;            /* for everything; 0: no limit */
    double answer_s, file_s;     /* as in struct swi_wandb_service */
    bool growing;                /* the file may grow until its exit record or swi_upload_close() */
    bool open_end;               /* leave the run running if there is no exit record */
    bool unknown;                /* the id is new and random, so no other run can have it */
    bool dry_run;                /* only read and count */
    swi_message_fn *say;         /* not NULL */
    bool (*ended)(void *arg);    /* may be NULL */
    void (*progress)(void *arg); /* may be NULL */
    void *arg;                   /* passed to these three functions */
};

struct swi_upload {
    struct swi_upload_options options;
    struct swi_link link;
    struct swi_wandb_reader *reader;
    struct swi_spill spill; /* records that the file has no room for */
    int64_t seen;           /* number of the last record read, from the file or the spill */
    const struct swi_record_message
        *waiting;                       /* read from the file; some of the spill comes before it */
    struct swi_record_message *spilled; /* the last record read from the spill */
    struct swi_model model;
    struct swi_file_stream stream;
    struct swi_bucket bucket;
    struct swi_files files;
    struct swi_alerts alerts;
    struct swi_saved_upload keep;
    struct swi_text config; /* as it is at the service */
    json_t *writers;        /* processes named in the config, and this file's */
    char url[2048];         /* of the run; "" before it is created */
    int64_t rows;           /* in the file so far */
    int64_t post_ns;        /* time of the last post */
    int64_t heard_ns;       /* time when the service last heard of the run */
    bool posted;
    bool older;           /* the run was continued after the end of this file */
    bool asked;           /* it was asked whether the run still exists, after a file was refused */
    struct sw_error gone; /* the answer, if it does not */
    bool idle;            /* older, and the whole file is stored: nothing is sent */
    struct swi_state before; /* the state of the run before */
    int64_t number;          /* of the last record read */
    int dead_status;         /* how the program died, if somebody saw it; else -1 */
    bool torn;               /* the file ends without an exit record */
    atomic_bool closing;     /* the file does not grow any more */
    atomic_bool stopped;     /* the service asks the program to stop */
};

int swi_upload_init(struct swi_upload *upload, const struct swi_upload_options *options,
                    struct sw_error *err);
/* Runs the upload. Returns 0, SW_ETIME if it was cancelled or took too long, SW_EFORMAT if the file
 * has no run, SW_EINVAL if resume forbids it, or SW_EIO. */
int swi_upload_run(struct swi_upload *upload, struct sw_error *err);

/* Closes connections and files. Call it on the thread that has sent, whose table of descriptors may
 * be its own, before swi_upload_fini() on another one. */
void swi_upload_disconnect(struct swi_upload *upload);
void swi_upload_fini(struct swi_upload *upload);

/* Says that the file does not grow any more. Any thread may call it. */
void swi_upload_close(struct swi_upload *upload);

#endif
