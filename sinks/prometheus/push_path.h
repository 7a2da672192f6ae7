/* SPDX-License-Identifier: MIT */
/* push_path.h - the address of a group of metrics at a Pushgateway. */
#ifndef SINKS_PROMETHEUS_PUSH_PUSH_PATH_H
#define SINKS_PROMETHEUS_PUSH_PUSH_PATH_H

#include "core/text/buffer.h"

/* Adds "/NAME/VALUE". A value that is empty or contains a slash is written in base 64, because the
 * gateway would take its parts for other labels. */
void swi_push_label(struct swi_text *path, const char *name, const char *value);

#endif
