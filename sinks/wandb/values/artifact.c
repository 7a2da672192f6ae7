/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/artifact.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static bool id_make(char id[SWI_ARTIFACT_ID + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[SWI_ARTIFACT_ID];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        id[i] = letters[random[i] % (sizeof letters - 1)];
    id[SWI_ARTIFACT_ID] = '\0';
    return true;
}

/* Names of artifacts have only letters, digits and - _ . but a run's id may have more. */
static void name_make(struct swi_wandb_artifact *artifact, const char *key)
{
    char *to = artifact->name;
    snprintf(artifact->name, sizeof artifact->name, "run-%.128s-%.48s", artifact->run_id, key);
    for (const char *from = artifact->name; *from; from++)
        if (isalnum((unsigned char)*from) || strchr("-_.", *from))
            *to++ = *from;
    *to = '\0';
}

static void digest_make(struct swi_wandb_artifact *artifact)
{
    unsigned char digest[SWI_MD5_SIZE];
    char manifest[192];
    int size = snprintf(manifest, sizeof manifest, "wandb-artifact-manifest-v1\n%s:%s\n",
                        artifact->file, artifact->md5);
    swi_md5(manifest, (size_t)size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(artifact->digest + 2 * i, 3, "%02x", digest[i]);
}

bool swi_wandb_artifact_make(struct swi_wandb_artifact *artifact, const char *key,
                             const void *bytes, size_t size)
{
    name_make(artifact, key);
    snprintf(artifact->file, sizeof artifact->file, "%.48s.table.json", key);
    artifact->size = size;
    swi_md5_base64(bytes, size, artifact->md5);
    digest_make(artifact);
    return id_make(artifact->id) && id_make(artifact->sequence);
}
