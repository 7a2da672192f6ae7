/* SPDX-License-Identifier: MIT */
/* machine_json.h - the environment of a run with the names of wandb-metadata.json. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MACHINE_JSON_H
#define SINKS_WANDB_UPLOAD_CONTENT_MACHINE_JSON_H

#include "sinks/wandb/file/record_messages.h"

#include <jansson.h>

/* Adds the values of a record. Other values stay. */
void swi_environment_merge(json_t *to, const struct swi_environment_message *said);

#endif
