/* SPDX-License-Identifier: MIT */
/* git.h - which commit of which repository the program runs in, read from the repository's files:
 * nothing is run. */
#ifndef SINKS_WANDB_RUN_GIT_H
#define SINKS_WANDB_RUN_GIT_H

#include <limits.h>
#include <stdbool.h>

struct swi_wandb_git {
    char root[PATH_MAX]; /* of the working tree; "" outside of any */
    char remote[1024];   /* of the remote origin, without a password; "" without one */
    char commit[128];    /* hexadecimal; "" before the first commit */
};

/* Sets the remote to an address, without a password in it. */
void swi_wandb_git_remote(struct swi_wandb_git *git, const char *url);

/* Looks from a folder, absolute, upwards. False if there is no repository. */
bool swi_wandb_git_find(struct swi_wandb_git *git, const char *folder);

#endif
