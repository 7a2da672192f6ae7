/* SPDX-License-Identifier: MIT */
/* background.h - uploads a run in a separate thread while it is being written. */
#ifndef SINKS_WANDB_UPLOAD_BACKGROUND_H
#define SINKS_WANDB_UPLOAD_BACKGROUND_H

#include "config.h"
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"

#include <limits.h>

#ifdef HAVE_SEND
#include "net/sender.h"
#include "sinks/wandb/upload/upload.h"
#endif

/* The thread may outlive the sink. */
struct swi_background {
    char log_path[PATH_MAX + SWI_WANDB_VALUE + 32], folder[PATH_MAX], ca_file[PATH_MAX];
    struct swi_wandb_service service;
    struct swi_wandb_key key;
    enum swi_resume resume;
    double interval_s;
    bool insecure;
    bool unknown; /* the id is new and random: no other run has it */

#ifdef HAVE_SEND
    struct swi_upload upload;
    struct swi_sender sender;
    bool url_said; /* used by the thread only */
#endif
};

#ifdef HAVE_SEND
/* Starts the thread, with what is set above. Returns 0 or a negative code. */
int swi_background_start(struct swi_background *live, struct sw_error *err);

/* How an upload ended. */
struct swi_background_end {
    bool whole;   /* the end of the run is stored, and all its files were accepted */
    bool deleted; /* the run does not exist at the service any more, which was reported */
};

/* Waits until the complete file is uploaded, as swi_sender_end() does, and ends the thread. Returns
 * 0 if everything is stored, and SW_ETIME if the time was too short: then tell is called with how
 * to upload the rest. tell also gets the messages of the thread, with the reason for any other
 * code. live is invalid afterwards. */
int swi_background_end(struct swi_background *live, const struct sw_run *run, int64_t end_ns,
                       swi_message_fn *tell, void *arg, struct swi_background_end *how);

/* Reads the id from a file wandb-resume.json. Returns false if there is none. */
bool swi_background_last_run(const char *path, char id[SWI_WANDB_VALUE]);
#endif

#endif
