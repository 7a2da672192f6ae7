/* SPDX-License-Identifier: MIT */
/* artifact_list.h - the artifacts of a run, as listed in its file. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_ARTIFACT_LIST_H
#define SINKS_WANDB_UPLOAD_CONTENT_ARTIFACT_LIST_H

#include "sinks/wandb/file/record_messages.h"

#include <jansson.h>

/* Adds the artifact of a record to the list; skips an incomplete one. */
void swi_artifact_list_add(json_t *list, const struct swi_artifact_message *record);

#endif
