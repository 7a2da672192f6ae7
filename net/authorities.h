/* SPDX-License-Identifier: MIT */
/* authorities.h - reads the certificates of SSL_CERT_DIR. */
#ifndef NET_AUTHORITIES_H
#define NET_AUTHORITIES_H

#include "core/text/buffer.h"

/* Adds all certificates of a file ("": the system's own) and of each file in the colon-separated
 * folders, as PEM. The SDK reads each file, but libcurl itself would look only for names made of
 * hashes. Files that cannot be read are skipped. */
void swi_authorities_read(struct swi_text *pem, const char *file, const char *folders);

#endif
