/* SPDX-License-Identifier: MIT */
/* media_name.h - the name of a file that is made of a value. */
#ifndef SINKS_COMMON_MEDIA_NAME_H
#define SINKS_COMMON_MEDIA_NAME_H

#include "core/text/buffer.h"

/* Adds the name of a value as a path: each part of at most 100 bytes, without what a file system or
 * a shell would take for more than a letter, and never . or .. . */
void swi_media_path(struct swi_text *text, const char *name);

/* Adds KEY_STEP_SHA20.EXTENSION: the same content under the same name at the same step is one file.
 */
void swi_media_name(struct swi_text *text, const char *name, int64_t step, const char *sha256,
                    const char *extension);

#endif
