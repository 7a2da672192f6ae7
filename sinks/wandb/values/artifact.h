/* SPDX-License-Identifier: MIT */
/* artifact.h - an artifact of one file: a table, where the service's pages look for it, or a file
 * of the program. */
#ifndef SINKS_WANDB_VALUES_ARTIFACT_H
#define SINKS_WANDB_VALUES_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>

enum { SWI_MD5_SIZE = 16 };

void swi_md5(const void *bytes, size_t size, unsigned char digest[SWI_MD5_SIZE]);

/* Writes the digest in base 64: 24 characters and a NUL. */
void swi_md5_base64(const void *bytes, size_t size, char text[25]);

/* Does the same for a whole file. Returns false if it cannot be read. */
bool swi_md5_file(int fd, char text[25]);

/* Makes a random id of so many letters and digits, and a NUL. Returns false, and errno says why, if
 * there are no random numbers. */
bool swi_random_letters(char *id, size_t count);

enum { SWI_ARTIFACT_ID = 128, SWI_ARTIFACT_NAME = 128, SWI_ARTIFACT_FILE = 1024 };

struct swi_wandb_artifact {
    const char *run_id, *project, *entity; /* the last two may be "" */
    const char *local_path;                /* of the file, absolute */
    const char *type;
    const char *description;    /* NULL: none */
    const char *const *aliases; /* besides latest; terminated by NULL; NULL: none */
    char name[SWI_ARTIFACT_NAME + 1];
    char file[SWI_ARTIFACT_FILE]; /* its name in the artifact */
    size_t size;
    char md5[25];                       /* of the file, in base 64 */
    char digest[2 * SWI_MD5_SIZE + 1];  /* of the manifest */
    char id[SWI_ARTIFACT_ID + 1];       /* the id in the row's value */
    char sequence[SWI_ARTIFACT_ID + 1]; /* the id of the newest artifact with this name */
};

/* Sets the name. Names of artifacts have only letters, digits and - _ . and at most 128 of them. If
 * that changes the name, a checksum of the name as it was is added, so that two names stay two. */
void swi_wandb_artifact_name(struct swi_wandb_artifact *artifact, const char *name);

/* Sets the digest and the ids. size, md5 and file must be set. Returns false if there are no random
 * numbers. */
bool swi_wandb_artifact_end(struct swi_wandb_artifact *artifact);

/* Sets name, file, size, md5, digest and the ids of a table. file: as it is in the artifact. bytes:
 * the content of the file. Returns false if there are no random numbers. */
bool swi_wandb_artifact_table(struct swi_wandb_artifact *artifact, const char *key,
                              const char *file, const void *bytes, size_t size);

#endif
