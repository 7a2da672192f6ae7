/* SPDX-License-Identifier: MIT */
/* written_paths.h - lists the files of the sinks for another program: $STEPWATCH_PLACES. */
#ifndef CORE_DELIVERY_WRITTEN_PATHS_H
#define CORE_DELIVERY_WRITTEN_PATHS_H

#include "core/process/environment.h"

/* Adds the line "SINK<tab>PATH" to the file that STEPWATCH_PLACES names. Does nothing if it is not
 * set, and in a setuid program. path: absolute, or "-" for stdout. Any thread may call it. */
void swi_written_path_note(const struct swi_environment *environment, const char *sink,
                           const char *path);

#endif
