/* SPDX-License-Identifier: MIT */
/* journal_sync.h - uploads the journal of a run on the calling thread. */
#ifndef SINKS_MLFLOW_UPLOAD_JOURNAL_SYNC_H
#define SINKS_MLFLOW_UPLOAD_JOURNAL_SYNC_H

#include "net/asker.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

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
