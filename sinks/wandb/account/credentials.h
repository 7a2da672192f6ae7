/* SPDX-License-Identifier: MIT */
/* credentials.h - the API key, from where the SDK looks for it too; and never from YAML or the
 * command line, where others would read it. */
#ifndef SINKS_WANDB_ACCOUNT_CREDENTIALS_H
#define SINKS_WANDB_ACCOUNT_CREDENTIALS_H

#include "sinks/wandb/account/sdk_settings.h"

#include <stdbool.h>

struct swi_wandb_key {
    char *key;                      /* SWI_WANDB_VALUE bytes of secret.h; NULL before and after */
    char identity[SWI_WANDB_VALUE]; /* else: file of a token that the service gives one for */
    char from[256];                 /* where it was found, for people */
    char warning[1024];             /* what is wrong with that place; "" */
};

/* The key is the caller's to forget, whatever is returned. Looks into key_file (may be NULL or ""),
 * WANDB_IDENTITY_TOKEN_FILE, WANDB_API_KEY, netrc, and wandb's settings files, in this order. netrc
 * is asked for the host of base_url, with its port where it has one. Returns 1 where it was found,
 * 0 if there is none, SW_EINVAL if one has not the form of a key: err says which, and does not show
 * it. */
int swi_wandb_key_find(const char *key_file, const char *base_url, struct swi_wandb_key *key,
                       struct sw_error *err);

/* False if out of memory. */
bool swi_wandb_key_copy(struct swi_wandb_key *to, const struct swi_wandb_key *from);
void swi_wandb_key_forget(struct swi_wandb_key *key);

#endif
