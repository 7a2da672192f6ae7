/* SPDX-License-Identifier: MIT */
/* clean_key.h - a name as an MLflow server accepts it, without a memory of other names. */
#ifndef SINKS_MLFLOW_UPLOAD_CLEAN_KEY_H
#define SINKS_MLFLOW_UPLOAD_CLEAN_KEY_H

#include "core/text/buffer.h"

/* Adds the key that a name has by itself to an empty text. raw: size bytes. most: characters of a
 * key; a name that had to be changed or cut ends with a checksum of the raw name. plain: letters
 * and digits of ASCII, and no colon, for servers that take nothing else, and for names of files. */
void swi_clean_key(struct swi_text *key, const char *raw, size_t size, size_t most, bool plain);

/* Adds a checksum, after cutting the key so that it has at most so many characters. */
void swi_checksum_add(struct swi_text *key, const char *raw, size_t size, size_t most);

/* Returns how many bytes of a text its first `most` characters have. */
size_t swi_characters_size(const char *text, size_t most);

#endif
