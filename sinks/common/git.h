/* SPDX-License-Identifier: MIT */
/* git.h - finds the repository and the commit of the program from the repository's files, without
 * running a command. */
#ifndef SINKS_COMMON_GIT_H
#define SINKS_COMMON_GIT_H

#include <limits.h>
#include <stdbool.h>

struct swi_git {
    char root[PATH_MAX]; /* of the working tree; "" outside of any */
    char remote[1024];   /* of the remote origin, without users; "" if there is none */
    char commit[128];    /* hexadecimal; "" before the first commit */
    char branch[256];    /* "" if none is checked out */
};

/* Sets the remote to an address, without the user in it. */
void swi_git_remote(struct swi_git *git, const char *url);

/* Searches from an absolute folder upwards. Returns false if there is no repository. */
bool swi_git_find(struct swi_git *git, const char *folder);

#endif
