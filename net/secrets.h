/* SPDX-License-Identifier: MIT */
/* secrets.h - the secrets of an upload in each form in which they are sent. Texts from the server
 * are searched for them before they are shown. */
#ifndef NET_SECRETS_H
#define NET_SECRETS_H

#include "core/text/buffer.h"
#include "net/surroundings.h"

#include <stdbool.h>

/* A shorter part of a secret is harmless, and may be an ordinary word or part of a number. */
enum { SWI_SECRET_TELLING = 8 };

/* The longest token that is accepted. */
enum { SWI_TOKEN_MAX = 16384 };

/* In memory from swi_secret_new(). "" means no secret. */
struct swi_secrets {
    char key[SWI_CONNECTION_VALUE];
    char basic[4 * SWI_CONNECTION_VALUE]; /* the key as it is sent: with its user, in base 64 */
    char token[SWI_TOKEN_MAX + 1];
    char identity[SWI_TOKEN_MAX + 1];       /* the token that was exchanged for it */
    char proxy[2][SWI_CONNECTION_VALUE];    /* users and passwords of the proxies */
    char authorization[SWI_TOKEN_MAX + 64]; /* the header line */
};

/* user: whose key or password it is, as it is sent. key: NULL or "" means no key. Returns NULL if
 * out of memory, or if one of them is too long. */
struct swi_secrets *swi_secrets_new(const char *user, const char *key,
                                    const struct swi_connection *connection);
void swi_secrets_free(struct swi_secrets *secrets);

/* Sets the token that is sent instead of the key; NULL: none. Returns false if it is too long. */
bool swi_secrets_token(struct swi_secrets *secrets, const char *token);

/* Replaces parts of secrets in a text by stars: eight consecutive letters are enough, in upper or
 * lower case. */
void swi_secrets_hide(const struct swi_secrets *secrets, char *text);
/* Does the same for one secret, such as the signature in an address. NULL means no secret. */
void swi_secret_hide(const char *secret, char *text);

/* Replaces whole secrets in the bytes of an answer by stars. A secret of less than eight letters is
 * not searched for, because answers contain such letters by chance. Returns whether there was one.
 */
bool swi_secrets_cover(const struct swi_secrets *secrets, char *text, size_t size);

#endif
