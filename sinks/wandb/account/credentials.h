/* SPDX-License-Identifier: MIT */
/* credentials.h - finds the API key in the places where the SDK looks too, but never in YAML or on
 * the command line, where others could read it. */
#ifndef SINKS_WANDB_ACCOUNT_CREDENTIALS_H
#define SINKS_WANDB_ACCOUNT_CREDENTIALS_H

#include "sinks/wandb/account/sdk_settings.h"

#include <stdbool.h>

struct swi_wandb_key {
    char *key;                      /* SWI_WANDB_VALUE bytes of secret.h; NULL before and after */
    char identity[SWI_WANDB_VALUE]; /* or the file of a token, which the service exchanges */
    char from[256];                 /* where it was found, for messages */
    char warning[1024];             /* a warning about that place, or "" */
};

/* Finds the key. Looks into key_file (may be NULL or ""), WANDB_IDENTITY_TOKEN_FILE, WANDB_API_KEY,
 * netrc, and wandb's settings files, in this order. In netrc, the machine is the host of base_url,
 * with its port if it has one. Returns 1 if it is found, 0 if there is none, and SW_EINVAL if one
 * does not have the form of a key: err says which, and does not show it. The caller must call
 * swi_wandb_key_forget() in any case. */
int swi_wandb_key_find(const char *key_file, const char *base_url, struct swi_wandb_key *key,
                       struct sw_error *err);

void swi_wandb_key_forget(struct swi_wandb_key *key);

#endif
