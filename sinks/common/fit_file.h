/* SPDX-License-Identifier: MIT */
/* fit_file.h - one file for each fit: what the sinks that write a whole table at once share. */
#ifndef SINKS_COMMON_FIT_FILE_H
#define SINKS_COMMON_FIT_FILE_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Writes the text to the path of the fit and frees it. 0, or SW_ENOMEM where the text is not whole,
 * or what sw_sink_replace() says. */
int swi_fit_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                       struct sw_error *err);

#endif
