/* SPDX-License-Identifier: MIT */
/* token.h - exchanges a token in a file, which the owner of the machine provides, for a token of
 * the service, to be used instead of a key. */
#ifndef SINKS_WANDB_UPLOAD_NET_TOKEN_H
#define SINKS_WANDB_UPLOAD_NET_TOKEN_H

#include "sinks/wandb/upload/net/link.h"

/* Writes the form of the exchange. The file is read each time, because its owner renews it. */
int swi_token_form(struct swi_text *form, struct swi_link *link, struct sw_error *err);

/* Makes the link use the new token. Returns 1, or SW_EIO if there is none. */
int swi_token_take(struct swi_link *link, const json_t *answer, struct sw_error *err);

#endif
