/* SPDX-License-Identifier: MIT */
/* token.h - instead of a key: a token of whoever runs the machine, in a file, for which the service
 * gives one of its own. */
#ifndef SINKS_WANDB_UPLOAD_NET_TOKEN_H
#define SINKS_WANDB_UPLOAD_NET_TOKEN_H

#include "sinks/wandb/upload/net/link.h"

/* The form that asks for it. The file is read each time: its owner renews it. */
int swi_token_form(struct swi_text *form, struct swi_link *link, struct sw_error *err);

/* Has the link use what was given. Returns 1, or SW_EIO where nothing was. */
int swi_token_take(struct swi_link *link, const json_t *answer, struct sw_error *err);

#endif
