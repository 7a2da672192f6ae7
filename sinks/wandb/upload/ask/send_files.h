/* SPDX-License-Identifier: MIT */
/* send_files.h - sends files of a run to the addresses that the service gives. A file that cannot
 * be sent is reported and counted, but does not end the upload. */
#ifndef SINKS_WANDB_UPLOAD_ASK_SEND_FILES_H
#define SINKS_WANDB_UPLOAD_ASK_SEND_FILES_H

#include "sinks/wandb/upload/ask/api.h"

struct swi_files {
    struct swi_link *link;
    const struct swi_bucket *bucket;
    const char *folder;  /* of the run; its files are in files/ */
    const char *staging; /* the SDK's folder for files of artifacts, or NULL */
    FILE *output; /* everything that was printed, if the run's folder has no output.log; or NULL */
    json_t *uploaded; /* receives the names of the files that were sent */
    int64_t sent, failed;
    uint64_t made[3]; /* versions of config, summary and metadata that were sent; 0: none */
    uint64_t printed; /* bytes of the output that were sent */
    bool fresh; /* files sent now are sent again after a change, so there is one try and no message
                 */
    double interval_s;  /* between two such sends */
    double pause_s;     /* after one that failed */
    int64_t refresh_ns; /* the next one is not before this */
    int64_t until_ns;   /* no other file is begun after this, so that rows do not wait; 0: all */
    bool more;          /* for that reason, some files wait for the next time */
    /* Called when the first file fails. Returns whether the whole run cannot be sent; then only
     * that is reported. */
    bool (*gone)(void *arg);
    void *arg;
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
