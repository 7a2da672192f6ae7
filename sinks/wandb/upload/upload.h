/* SPDX-License-Identifier: MIT */
/* upload.h - takes a run's file to the service: from its begin, each row once, whether the run is
 * over, was killed, or is still being written. */
#ifndef SINKS_WANDB_UPLOAD_UPLOAD_H
#define SINKS_WANDB_UPLOAD_UPLOAD_H

#include "sinks/wandb/upload/ask/alerts.h"
#include "sinks/wandb/upload/ask/send_files.h"
#include "sinks/wandb/upload/keep.h"
#include "sinks/wandb/upload/spill.h"
#include "sinks/wandb/upload/ask/file_stream.h"
#include "sinks/wandb/upload/uploader.h"

#include <stdatomic.h>

/* Texts are borrowed for as long as the upload lives, and may be NULL except the first four. */
struct swi_upload_options {
    const char *log_path; /* RUN.wandb */
    const char *folder;   /* that has files/ */
    const char *base_url, *app_url;
    struct swi_http_options http;          /* without base_url */
    const char *identity;                  /* file of a token, instead of a key */
    const char *key_from;                  /* where the key was found, for people */
    const char *entity, *project, *run_id; /* instead of the file's own */
    const char *ignored;                   /* patterns of files that are not sent */
    const char *staging;                   /* folder of the SDK's for files of artifacts */
    const char *user, *mail;               /* whom the run is shown as made by */
    enum swi_resume resume;
    double interval_s;       /* between two posts */
    double heartbeat_s;      /* of silence until a post without content; 0: 30 */
    double silent_s;         /* the longest silence of a writer that lives; 0: 35 */
    double timeout_s;        /* for all of it; 0: none */
    double answer_s, file_s; /* as struct swi_wandb_service has them */
    bool growing;    /* the file may still grow, until its exit record or swi_upload_close() */
    bool open_end;   /* without an exit record, the run is left running */
    bool unknown;    /* the id is new and random: nobody is asked who has it */
    bool dry_run;    /* reads and counts only */
    swi_say_fn *say; /* not NULL */
    bool (*ended)(void *arg);    /* may be NULL */
    void (*progress)(void *arg); /* may be NULL */
    void *arg;                   /* of the three */
};

struct swi_upload {
    struct swi_upload_options options;
    struct swi_link link;
    struct swi_wandb_reader *reader;
    struct swi_spill spill;          /* what the file has no room for */
    int64_t seen;                    /* number of the record that was read last, of both */
    const SwiWandb__Record *waiting; /* read from the file, not due before some of the spill */
    SwiWandb__Record *spilled;       /* the one that was read last from there */
    struct swi_model model;
    struct swi_file_stream stream;
    struct swi_bucket bucket;
    struct swi_files files;
    struct swi_alerts alerts;
    struct swi_keep keep;
    struct swi_text config; /* as the service has it */
    json_t *writers;        /* whose names were in it, and this file's */
    char url[2048];         /* of the run; "" before it is made */
    int64_t rows;           /* in the file, so far */
    int64_t post_ns;        /* when the last post was */
    int64_t heard_ns;       /* when the service heard of the run last */
    bool posted;
    bool older;              /* the run went on after what the file holds */
    bool asked;              /* whether the run is still there, where a file was not taken */
    struct sw_error gone;    /* the answer, where it is not */
    bool idle;               /* and all of the file is there: nothing is sent */
    struct swi_state before; /* how the run was */
    int64_t number;          /* of the record that was read last */
    bool torn;               /* it ends without an exit record */
    atomic_bool closing;     /* the file grows no more */
    atomic_bool stopped;     /* the service asks the program to stop */
};

int swi_upload_init(struct swi_upload *upload, const struct swi_upload_options *options,
                    struct sw_error *err);
/* Does all of it. 0; SW_ETIME if it was cancelled or took too long; SW_EFORMAT where the file holds
 * no run; SW_EINVAL where resume forbids it; SW_EIO. */
int swi_upload_run(struct swi_upload *upload, struct sw_error *err);
void swi_upload_fini(struct swi_upload *upload);

/* From another thread: the file is as long as it gets; there is news; end now. */
void swi_upload_close(struct swi_upload *upload);
void swi_upload_wake(struct swi_upload *upload);
void swi_upload_cancel(struct swi_upload *upload);

#endif
