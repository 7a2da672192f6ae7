/* SPDX-License-Identifier: MIT */
/* uploader.h - what the sink and its uploader know of each other. The uploader is a file of its
 * own, wandb-upload.so beside the sink's, and loaded only for a run that is uploaded: the libraries
 * that it needs take several times the memory of all the rest. */
#ifndef SINKS_WANDB_UPLOAD_UPLOADER_H
#define SINKS_WANDB_UPLOAD_UPLOADER_H

#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/upload/net/teller.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What to do where the service has a run of that id. */
enum swi_resume {
    SWI_RESUME_NONE,  /* rows go behind those that are there */
    SWI_RESUME_ALLOW, /* the run goes on, with its config and summary */
    SWI_RESUME_MUST,  /* the same; a run that is not there is a mistake */
    SWI_RESUME_NEVER  /* a run that is there is a mistake */
};

/* Copied: the thread may outlive whoever started it. */
struct swi_background_options {
    char log_path[PATH_MAX + SWI_WANDB_VALUE + 32], folder[PATH_MAX], ca_file[PATH_MAX];
    struct swi_wandb_service service;
    struct swi_wandb_key key;
    enum swi_resume resume;
    double interval_s;
    bool insecure;
    bool unknown; /* the id is new and random: nobody else has it */
};

/* How an upload ended. */
struct swi_background_end {
    bool whole;   /* the end of the run is stored, and each of its files was taken */
    bool deleted; /* the service does not have the run any more; what to do was said */
};

struct swi_background;

/* The one symbol of wandb-upload.so, swi_wandb_uploader: what upload/live.h declares. */
struct swi_uploader {
    char version[32]; /* of the release: the sink takes no other one's */
    struct swi_background *(*start)(const struct swi_background_options *options,
                                    struct sw_error *err);
    void (*wake)(struct swi_background *live);
    /* A record that the file has no room for: copied. False if it cannot be kept. */
    bool (*pass)(struct swi_background *live, int64_t number, const void *record, size_t size);
    void (*hear)(struct swi_background *live, swi_say_fn *tell, void *arg);
    bool (*stopped)(struct swi_background *live);
    int (*end)(struct swi_background *live, int64_t deadline_ns, swi_say_fn *tell, void *arg,
               struct swi_background_end *how);
    /* Reads the id from a file wandb-resume.json; false if there is none. */
    bool (*last_run)(const char *path, char id[SWI_WANDB_VALUE]);
};

#endif
