/* SPDX-License-Identifier: MIT */
/* machine.h - the environment of a run: the machine, the program, the repository. */
#ifndef SINKS_WANDB_RUN_MACHINE_H
#define SINKS_WANDB_RUN_MACHINE_H

#include "core/text/buffer.h"
#include "sinks/common/git.h"
#include "sinks/wandb/run/writer_id.h"

#include <stdint.h>

struct swi_wandb_environment {
    double started_s;
    char os[256];
    char program[PATH_MAX]; /* its base name, or the value of WANDB_PROGRAM */
    char folder[PATH_MAX];  /* of the program, absolute */
    char host[256];
    char executable[PATH_MAX]; /* "" if it is not known, like every text here */
    char root[PATH_MAX];       /* the current folder */
    char cpu_model[128];
    uint32_t cores; /* 0 if it is not known, like every number here */
    uint32_t processors;
    uint64_t memory_bytes;
    uint64_t disk_bytes, disk_used_bytes; /* of / */
    char writer_id[SWI_WRITER_ID];
    struct swi_git git;
};

/* Facts that are known already. */
struct swi_wandb_about {
    const char *program, *host;
    double started_s;
    bool elsewhere; /* it is replayed: this machine's folders and repository do not belong to it */
};

/* Collects the environment. WANDB_PROGRAM, WANDB_GIT_COMMIT and WANDB_GIT_REMOTE_URL override what
 * is found, and WANDB_DISABLE_GIT leaves out the commit and the remote. All texts are UTF-8: other
 * bytes are written as \xNN. Arguments, user name and mail address are left out, because they are
 * private. */
void swi_wandb_environment_find(struct swi_wandb_environment *environment,
                                const struct swi_wandb_about *about);

/* Finds the name of the project that the SDK would choose: the name of the repository of the
 * current folder, followed by the way from there to the program's folder if that is below it;
 * "uncategorized" outside of any repository. */
void swi_wandb_environment_project(const struct swi_wandb_environment *environment, char *project,
                                   size_t size);

#endif
