/* SPDX-License-Identifier: MIT */
/* background.h - uploads a run in a separate thread while it is being written. */
#ifndef SINKS_WANDB_UPLOAD_BACKGROUND_H
#define SINKS_WANDB_UPLOAD_BACKGROUND_H

#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "net/message_fn.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What to do if the service has a run with that id. */
enum swi_resume {
    SWI_RESUME_NONE,  /* rows are added after the existing ones */
    SWI_RESUME_ALLOW, /* the run is continued, with its config and summary */
    SWI_RESUME_MUST,  /* the same, but the run must exist */
    SWI_RESUME_NEVER  /* the run must not exist */
};

/* They are copied, because its thread may outlive the caller. */
struct swi_background_options {
    char log_path[PATH_MAX + SWI_WANDB_VALUE + 32], folder[PATH_MAX], ca_file[PATH_MAX];
    struct swi_wandb_service service;
    struct swi_wandb_key key;
    enum swi_resume resume;
    double interval_s;
    bool insecure;
    bool unknown; /* the id is new and random: no other run has it */
};

/* How an upload ended. */
struct swi_background_end {
    bool whole;   /* the end of the run is stored, and all its files were accepted */
    bool deleted; /* the run does not exist at the service any more, which was reported */
};

struct swi_background;

/* Starts an upload. Returns NULL if no thread can be started. The key in options may be forgotten
 * afterwards. */
struct swi_background *swi_background_start(const struct swi_background_options *options,
                                            struct sw_error *err);

/* Notes that the file has grown. */
void swi_background_wake(struct swi_background *live);

/* Passes a record that the file has no room for. It is copied and sent like those of the file.
 * Returns false if too many wait. */
bool swi_background_pass(struct swi_background *live, int64_t number, const void *record,
                         size_t size);

/* Calls tell, on the calling thread, for each message of the thread. */
void swi_background_hear(struct swi_background *live, swi_message_fn *tell, void *arg);

/* Returns whether a user asked on the run's page to stop the run. */
bool swi_background_stopped(struct swi_background *live);

/* Waits until the complete file is uploaded, or until the deadline (CLOCK_MONOTONIC), and ends the
 * thread. Returns 0 if everything is stored, and SW_ETIME if the time was too short: then tell is
 * called with how to upload the rest. tell also gets the messages of the thread, with the reason
 * for any other code. live is invalid afterwards. */
int swi_background_end(struct swi_background *live, int64_t deadline_ns, swi_message_fn *tell,
                       void *arg, struct swi_background_end *how);

/* Reads the id from a file wandb-resume.json. Returns false if there is none. */
bool swi_background_last_run(const char *path, char id[SWI_WANDB_VALUE]);

#endif
