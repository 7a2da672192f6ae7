/* SPDX-License-Identifier: MIT */
/* value_folder.h - the files beside a run log: LOG.files/. What a log says of them is not trusted:
 * only regular files below that folder are opened, and no link is followed. */
#ifndef TOOLS_LOG_VALUE_FOLDER_H
#define TOOLS_LOG_VALUE_FOLDER_H

#include "tools/log/log_value.h"

#include <stddef.h>

/* The folder of a log; -1: there is none. To be given to close(). */
int value_folder_open(const char *log);

/* A file below it by its name in a line, and the folder that it is in. Returns the file, or -1.
 * folder: set to a descriptor that the caller closes; may be NULL. */
int value_file_open(int folder, const char *name, int *in);

/* The content of what a line or a picture of it has: its field `base64`, or the file that `file`
 * names, and a NUL. NULL: there is none, or it cannot be read. size: set. To be given to free(). */
void *value_content(int folder, const struct log_value *of, size_t *size);

#endif
