/* SPDX-License-Identifier: MIT */
/* upload_state.h - how far a journal is uploaded: JOURNAL.upload, replaced as a whole. */
#ifndef SINKS_MLFLOW_UPLOAD_UPLOAD_STATE_H
#define SINKS_MLFLOW_UPLOAD_UPLOAD_STATE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

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
int swi_upload_state_save(const struct swi_upload_state *state, const char *journal,
                          struct sw_error *err);

#endif
