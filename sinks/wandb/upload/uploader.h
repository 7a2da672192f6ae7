/* SPDX-License-Identifier: MIT */
/* uploader.h - the interface between the sink and its uploader. The uploader is a separate file,
 * wandb-upload.so beside the sink's, and is loaded only for a run that is uploaded, because its
 * libraries need several times the memory of everything else. */
#ifndef SINKS_WANDB_UPLOAD_UPLOADER_H
#define SINKS_WANDB_UPLOAD_UPLOADER_H

#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "sinks/common/upload/message_fn.h"

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

/* The uploader copies them, because its thread may outlive the caller. */
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

/* The only symbol of wandb-upload.so, swi_wandb_uploader. Its functions are described in
 * upload/background.h. */
struct swi_uploader {
    char version[32]; /* of the release; the sink accepts only its own */
    struct swi_background *(*start)(const struct swi_background_options *options,
                                    struct sw_error *err);
    void (*wake)(struct swi_background *live);
    /* Passes a record that the file has no room for. It is copied. Returns false if it cannot be
     * kept. */
    bool (*pass)(struct swi_background *live, int64_t number, const void *record, size_t size);
    void (*hear)(struct swi_background *live, swi_message_fn *tell, void *arg);
    bool (*stopped)(struct swi_background *live);
    int (*end)(struct swi_background *live, int64_t deadline_ns, swi_message_fn *tell, void *arg,
               struct swi_background_end *how);
    /* Reads the id from a file wandb-resume.json. Returns false if there is none. */
    bool (*last_run)(const char *path, char id[SWI_WANDB_VALUE]);
};

#endif
