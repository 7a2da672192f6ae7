/* SPDX-License-Identifier: MIT */
/* fit_file.h - writes one file for each fit, for sinks that write a whole table at once. */
#ifndef SINKS_COMMON_FIT_FILE_H
#define SINKS_COMMON_FIT_FILE_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Writes the text to the path of the fit and frees it. Returns 0, SW_ENOMEM if the text is
 * incomplete, or the result of sw_sink_replace(). */
int swi_fit_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                       struct sw_error *err);

#endif
