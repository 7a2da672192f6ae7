/* SPDX-License-Identifier: MIT */
/* upload.h - uploads a run's file to the service: from its start, each row once, whether the run
 * has ended, was killed, or is still being written. */
#ifndef SINKS_WANDB_UPLOAD_UPLOAD_H
#define SINKS_WANDB_UPLOAD_UPLOAD_H

#include "sinks/wandb/account/service.h"
#include "sinks/wandb/file/record_messages.h"
#include "sinks/wandb/run/writer_id.h"
#include "sinks/wandb/upload/ask/ask.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what the service has already ------------------------------------------------------------ */

/* The saved state of an upload: what the service has, and how much of the file is in that.
 * It is saved beside the file before the first row is sent and with each post, so that a later
 * upload stores each row once, even if another process has continued the run meanwhile. */
struct swi_saved_upload {
    char run[512];                   /* ENTITY/PROJECT/ID; "" if an older release wrote it */
    int64_t history, events, output; /* lines at the service, as far as they were answered */
    int64_t alerts;                  /* how many were sent, from the first of the file on */
    int64_t shift;                   /* added to the file's own steps */
    double runtime_s;                /* of earlier processes of the run */

    /* Numbers of records. Records up to `sent` are stored. Records after that up to `tried` were
     * being sent. */
    int64_t sent, tried;
};

/* Reads RUN.wandb.upload. Returns false if it does not exist or cannot be read. */
bool swi_saved_upload_load(struct swi_saved_upload *saved, const char *log_path);

/* LOG.synced says that everything was uploaded, including files; the SDK then skips the run. */
bool swi_upload_is_marked(const char *log_path);
int swi_upload_mark(const char *log_path, struct sw_error *err);

/* How many records of each kind a part of a file has, from its first record on. */
struct swi_part {
    int64_t rows, events, lines;
};

struct swi_file_counts {
    struct swi_part all;         /* the whole file */
    int64_t files;               /* which it names; artifacts and alerts, too */
    double last_s;               /* the newest of its rows and statistics; NAN if it has none */
    bool row_found, event_found; /* the service's last one is in the file */
    int64_t step;                /* of that row, according to the file */
    double runtime_s;            /* of that row, according to the file */
    struct swi_part there;       /* what the service has */
    int64_t number;              /* all records up to this number are stored */
    int64_t stored_rows, stored_events; /* the same for these, by the service's last ones */
    int64_t unsure;                     /* rows after those that the service may have */
};

/* Reads the file, and finds how much of it the service has: what the saved state says, or what ends
 * with the service's last row or statistics. saved: of this run, or NULL. alone: nobody else has
 * written the run, so the service has all that is not later than these, even if they are not in the
 * file and the state is old, because the disk was full. Else it is not certain whether the rows of
 * an interrupted post are stored. */
int swi_file_counts_read(struct swi_file_counts *counts, const char *log_path,
                         const struct swi_saved_upload *saved, const struct swi_status *status,
                         bool alone, struct sw_error *err);

/* ---- records that the file has no room for --------------------------------------------------- */

/* The most bytes that may wait: as much as the sink keeps for its file. Records that occur once,
 * like the end of the run, may take as much again. */
enum { SWI_SPILL_HELD = 4 << 20 };

struct swi_spilled;

struct swi_spill {
    pthread_mutex_t lock;
    struct swi_spilled *first, *last;
    size_t bytes;
};

void swi_spill_init(struct swi_spill *spill);
void swi_spill_fini(struct swi_spill *spill);

/* Copies a record. Numbers must increase. Returns false if it does not fit. */
bool swi_spill_put(struct swi_spill *spill, int64_t number, const void *record, size_t size);

/* Returns the first record after `after`, which the caller frees, or NULL. number: set to its
 * number; 0: there is none. Without memory, only that is set. */
struct swi_record_message *swi_spill_get(struct swi_spill *spill, int64_t after, int64_t *number);

/* Drops the records up to this number. */
void swi_spill_forget(struct swi_spill *spill, int64_t number);

/* ---- upload.c -------------------------------------------------------------------------------- */

/* All are borrowed while the upload lives. Texts may be NULL, except for the first two. */
struct swi_upload_options {
    const char *log_path; /* RUN.wandb */
    const char *folder;   /* the folder with files/ */
    const struct swi_wandb_service *service;
    const struct swi_wandb_key *key;
    const char *entity, *project, *run_id; /* override those of the file */
    const char *name, *group, *job_type;   /* the same */
    const char *tags;                      /* with commas between; the same */
    const char *staging;                   /* the SDK's folder for files of artifacts */
    enum swi_resume resume;
    double interval_s;  /* between two posts */
    double heartbeat_s; /* silence after which an empty post is sent; 0: 30 */
    double silent_s;    /* the longest silence of a living writer; 0: 35 */
    double timeout_s;   /* for everything; 0: no limit */
    /* The file may grow until its exit record or swi_upload_close(); the run's page is reported. */
    bool growing;
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
    bool replaced;                      /* another file is read since the last record */
    bool lost_said;                     /* that rows were removed before */
    struct swi_model model;
    struct swi_file_stream stream;
    struct swi_bucket bucket;
    struct swi_files files;
    struct swi_alerts alerts;
    struct swi_saved_upload saved;
    struct swi_text config; /* as it is at the service */
    struct swi_text about;  /* names, notes and tags, as they are there */
    json_t *writers;        /* processes named in the config, and this file's */
    char url[2048];         /* of the run; "" before it is created */
    int64_t rows;           /* in the file so far */
    int64_t post_ns;        /* time of the last post */
    int64_t heard_ns;       /* time when the service last heard of the run */
    bool posted;
    bool older;              /* the run was continued after the end of this file */
    bool idle;               /* older, and the whole file is stored: nothing is sent */
    struct swi_state before; /* the state of the run before */
    int64_t number;          /* of the last record read */
    bool torn;               /* the file ends without an exit record */
    atomic_bool closing;     /* the file does not grow any more */
    atomic_bool stopped;     /* the service asks the program to stop */
};

int swi_upload_init(struct swi_upload *upload, const struct swi_upload_options *options,
                    struct sw_error *err);
/* Runs the upload, a struct swi_upload. Returns 0, SW_ETIME if it was cancelled or took too long,
 * SW_EFORMAT if the file has no run, SW_EINVAL if resume forbids it, or SW_EIO. It has closed all
 * that it has opened: the thread that calls it may have a table of descriptors of its own. */
int swi_upload_run(void *upload, struct sw_error *err);
void swi_upload_fini(struct swi_upload *upload);

/* Says that the file does not grow any more. Any thread may call it. */
void swi_upload_close(struct swi_upload *upload);

/* Writes RUN.wandb.upload: where the lines of the file go, as far as that is decided, and how much
 * was sent. Before the first post, waits until it is on the disk. */
int swi_upload_save(const struct swi_upload *upload, struct sw_error *err);

/* ---- begin.c --------------------------------------------------------------------------------- */

/* Creates the run and finds where its rows go. */
int swi_upload_begin(struct swi_upload *upload, struct sw_error *err);

/* ---- other_writers.c ------------------------------------------------------------------------- */

/* What the service's config says: it names the processes that began the run. */
struct swi_other_writers {
    bool named;  /* it names at least one */
    bool ours;   /* this file's process is one of them */
    bool alone;  /* and the only one */
    bool later;  /* another one began after it */
    bool before; /* another one may still write, and this file's process has not begun the run */
    /* Of those. On this machine, the process itself is looked at; on another one, only the service
     * can be asked. */
    enum swi_writer_life life;
};

void swi_other_writers_find(struct swi_other_writers *others, const struct swi_model *model,
                            const struct swi_status *status);

/* Checks that no other process writes the run now. Returns SW_EINVAL if one does; err says what to
 * do. If it may be on another machine, waits until the service has not heard of it for longer than
 * any writer is silent. Returns SW_ETIME if the upload ends meanwhile. older: the run was continued
 * after the end of this file; then state is set to its state before. */
int swi_other_writers_wait(struct swi_link *link, const struct swi_model *model,
                           const struct swi_other_writers *others, bool older,
                           struct swi_state *state, struct sw_error *err);

/* Checks that no other process has written the run since swi_other_writers_note() filled writers.
 * Returns SW_EINVAL if one has; err says what to do. tried: the lines that wait in the stream may
 * be stored already. */
int swi_other_writers_look(struct swi_link *link, const struct swi_model *model,
                           const json_t *writers, const struct swi_file_stream *stream, bool tried,
                           struct sw_error *err);
/* Adds this file's process, and those that wrote the run according to the service. */
void swi_other_writers_note(json_t *writers, const struct swi_model *model,
                            const struct swi_status *status);

/* ---- run_reading.c --------------------------------------------------------------------------- */

/* Gets the next record, valid until the next call. Returns 1, or 0 if there is none yet. */
int swi_upload_next(struct swi_upload *upload, const struct swi_record_message **record,
                    struct sw_error *err);

/* Reads the description of the run: up to its first row, or to the end of the file so far. */
int swi_upload_meet(struct swi_upload *upload, struct sw_error *err);

/* Fills the next post. Returns 1 if it is full, 0 if there are no more records. */
int swi_upload_fill(struct swi_upload *upload, struct sw_error *err);

#endif
