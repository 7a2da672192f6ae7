/* SPDX-License-Identifier: MIT */
/* send_files.h - files of a run, sent to where the service says. A file that cannot be sent is said
 * and counted, and ends nothing. */
#ifndef SINKS_WANDB_UPLOAD_ASK_SEND_FILES_H
#define SINKS_WANDB_UPLOAD_ASK_SEND_FILES_H

#include "sinks/wandb/upload/ask/api.h"

struct swi_files {
    struct swi_link *link;
    const struct swi_bucket *bucket;
    const char *folder;  /* of the run; its files are in files/ */
    const char *ignored; /* patterns with commas between; NULL: none */
    const char *staging; /* folder of the SDK's for files of artifacts; NULL: none is looked into */
    FILE *output;     /* all that was printed, for a run whose folder has no output.log; or NULL */
    json_t *uploaded; /* gets the names of those that were sent */
    int64_t sent, failed;
    uint64_t made[3];   /* versions of what was sent of config, summary and metadata; 0: nothing */
    uint64_t printed;   /* and of the output: its bytes */
    bool fresh;         /* what is sent now is sent again when it has changed: one try, no word */
    double interval_s;  /* between two of those times */
    double pause_s;     /* and after one that failed */
    int64_t refresh_ns; /* not before this */
    /* Asked when the first of them fails: whether the whole run cannot be sent, which is the one
     * thing to say then. */
    bool (*gone)(void *arg);
    void *arg;
    bool older; /* the run went on: what each process has one of is the later one's */
};

/* Sends the files of the model that are due: all of them at the end, with what the model itself
 * makes: config.yaml, wandb-summary.json, wandb-metadata.json. Returns 0, or SW_ETIME if it was
 * cancelled. */
int swi_files_send(struct swi_files *files, struct swi_model *model, bool end,
                   struct sw_error *err);

/* While a run is written: sends what may still change and has changed since it was sent, the files
 * of the model and what it makes. One that cannot be sent now is not said, and is sent later.
 * Returns 0, or SW_ETIME if it was cancelled. */
int swi_files_refresh(struct swi_files *files, struct swi_model *model, struct sw_error *err);

/* Opens a file below FOLDER/files/ or another folder there for reading, following no link; -1: it
 * is not there or no file. */
int swi_files_open(const char *folder, const char *below, const char *path);

/* Header lines of an answer that names a place; the list, which the caller frees, ends with NULL
 * and is borrowed from the answer; NULL if out of memory. */
const char **swi_files_headers(const json_t *answer);

/* Says that something was not sent, and counts it. */
void swi_files_complain(struct swi_files *files, const char *what, const char *name,
                        const char *why);

#endif
