/* SPDX-License-Identifier: MIT */
/* artifact.h - a table as an artifact, where the service's pages look for it. */
#ifndef SINKS_WANDB_VALUES_ARTIFACT_H
#define SINKS_WANDB_VALUES_ARTIFACT_H

#include "sinks/wandb/values/md5.h"

#include <stdbool.h>

enum { SWI_ARTIFACT_ID = 128 };

/* One file in one artifact. */
struct swi_wandb_artifact {
    const char *run_id, *project, *entity; /* the last two may be "" */
    const char *local_path;                /* of the file, absolute */
    char name[192];                        /* run-RUN-KEY */
    char file[80];                         /* its name in the artifact: KEY.table.json */
    size_t size;
    char md5[25];                       /* of the file, in base 64 */
    char digest[2 * SWI_MD5_SIZE + 1];  /* of the manifest */
    char id[SWI_ARTIFACT_ID + 1];       /* the id in the row's value */
    char sequence[SWI_ARTIFACT_ID + 1]; /* the id of the newest artifact with this name */
};

/* Fills in all but the first four fields. bytes: the content of the file. Returns false if there
 * are no random numbers. */
bool swi_wandb_artifact_make(struct swi_wandb_artifact *artifact, const char *key,
                             const void *bytes, size_t size);

#endif
