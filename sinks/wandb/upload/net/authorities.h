/* SPDX-License-Identifier: MIT */
/* authorities.h - the certificates of SSL_CERT_DIR. */
#ifndef SINKS_WANDB_UPLOAD_NET_AUTHORITIES_H
#define SINKS_WANDB_UPLOAD_NET_AUTHORITIES_H

#include "core/text/buffer.h"

/* Adds all certificates of a file ("": the system's own) and of each file in folders, which have
 * colons between, as PEM. libcurl itself would look for names made of hashes only, while the SDK
 * reads each file. What cannot be read is left out. */
void swi_authorities_read(struct swi_text *pem, const char *file, const char *folders);

#endif
