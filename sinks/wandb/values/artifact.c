/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/values/artifact.h"

#include "core/text/base64.h"
#include "core/text/crc32.h"

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

/* ---- names ----------------------------------------------------------------------------------- */

enum { CHECKSUM = 7 }; /* with the hyphen before it */

/* The checksum's four bytes in base 64 for addresses, without padding. */
static void checksum_add(char *to, const char *name)
{
    uint32_t crc = swi_crc32(0, name, strlen(name));
    const unsigned char bytes[] = {(unsigned char)(crc >> 24), (unsigned char)(crc >> 16),
                                   (unsigned char)(crc >> 8), (unsigned char)crc};
    *to++ = '-';
    swi_base64_put(to, bytes, sizeof bytes, SWI_BASE64_ADDRESS);
}

static bool is_allowed(char c)
{
    return (isalnum((unsigned char)c) && (unsigned char)c < 0x80) || strchr("-_.", c);
}

void swi_wandb_artifact_name(struct swi_wandb_artifact *artifact, const char *name)
{
    size_t used = 0, most = strlen(name) > SWI_ARTIFACT_NAME ? SWI_ARTIFACT_NAME - CHECKSUM
                                                             : SWI_ARTIFACT_NAME;
    for (const char *from = name; *from && used < most; from++)
        if (is_allowed(*from))
            artifact->name[used++] = *from;
    artifact->name[used] = '\0';
    if (strcmp(artifact->name, name) == 0)
        return;
    if (used > SWI_ARTIFACT_NAME - CHECKSUM)
        used = SWI_ARTIFACT_NAME - CHECKSUM;
    checksum_add(artifact->name + used, name);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static void digest_make(struct swi_wandb_artifact *artifact)
{
    unsigned char digest[SWI_MD5_SIZE];
    char manifest[SWI_ARTIFACT_FILE + 64];
    int size = snprintf(manifest, sizeof manifest, "wandb-artifact-manifest-v1\n%s:%s\n",
                        artifact->file, artifact->md5);
    swi_md5(manifest, (size_t)size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(artifact->digest + 2 * i, 3, "%02x", digest[i]);
}

bool swi_wandb_artifact_end(struct swi_wandb_artifact *artifact)
{
    digest_make(artifact);
    return id_make(artifact->id) && id_make(artifact->sequence);
}

bool swi_wandb_artifact_table(struct swi_wandb_artifact *artifact, const char *key,
                              const char *file, const void *bytes, size_t size)
{
    struct swi_text name = {0};
    swi_text_format(&name, "run-%s-%s", artifact->run_id, key);
    swi_wandb_artifact_name(artifact, name.failed ? "table" : name.data);
    swi_text_free(&name);
    snprintf(artifact->file, sizeof artifact->file, "%s", file);
    artifact->size = size;
    swi_md5_base64(bytes, size, artifact->md5);
    return swi_wandb_artifact_end(artifact);
}
