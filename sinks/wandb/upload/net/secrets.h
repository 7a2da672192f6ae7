/* SPDX-License-Identifier: MIT */
/* secrets.h - what an upload must not let anybody see, in each form that it has on its way, and
 * what a server's words are searched for before they are shown. */
#ifndef SINKS_WANDB_UPLOAD_NET_SECRETS_H
#define SINKS_WANDB_UPLOAD_NET_SECRETS_H

#include "core/text/buffer.h"
#include "sinks/wandb/account/secret.h"
#include "sinks/wandb/account/service.h"

#include <jansson.h>

/* The longest token that is taken. */
enum { SWI_TOKEN_MAX = 16384 };

/* In memory from swi_secret_new(). "" means no secret. */
struct swi_secrets {
    char key[SWI_WANDB_VALUE];
    char basic[2 * SWI_WANDB_VALUE]; /* the key as it is sent: with its user, in base 64 */
    char token[SWI_TOKEN_MAX + 1];
    char identity[SWI_TOKEN_MAX + 1];       /* that the token was got for */
    char proxy[2][SWI_WANDB_VALUE];         /* users and passwords of the proxies */
    char authorization[SWI_TOKEN_MAX + 64]; /* the header line */
};

/* key: NULL or "" is none. Returns NULL if out of memory, or where the key is too long. */
struct swi_secrets *swi_secrets_new(const char *key, const struct swi_wandb_way *way);
void swi_secrets_free(struct swi_secrets *secrets);

/* From now on this token goes instead of the key; NULL: none. False if it is too long. */
bool swi_secrets_token(struct swi_secrets *secrets, const char *token);

/* Puts stars over whatever of a secret is in a text: eight letters in a row of it are enough, in
 * capitals or not. */
void swi_secrets_hide(const struct swi_secrets *secrets, char *text);
/* The same for one secret, such as the signature in an address. NULL means no secret. */
void swi_secret_hide(const char *secret, char *text);

/* Replaces each text of an answer that has a whole secret in it by one with stars. */
void swi_secrets_clean(const struct swi_secrets *secrets, json_t *answer);

#endif
