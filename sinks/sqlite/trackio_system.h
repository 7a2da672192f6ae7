/* SPDX-License-Identifier: MIT */
/* trackio_system.h - samples of monitors under the names that Trackio's client gives them. */
#ifndef SINKS_SQLITE_TRACKIO_SYSTEM_H
#define SINKS_SQLITE_TRACKIO_SYSTEM_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Adds a sample as a JSON object. Values that Trackio does not have keep their names. */
void swi_trackio_sample(struct swi_text *json, const struct sw_record *record);

#endif
