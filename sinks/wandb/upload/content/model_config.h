/* SPDX-License-Identifier: MIT */
/* model_config.h - the config of a run: what the program set, and what the service wants to know.
 */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_CONFIG_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_CONFIG_H

#include "sinks/wandb/upload/content/model.h"

/* Takes the items of a config record, or of a run record; NULL is nothing. */
void swi_model_take_config(struct swi_model *model, const struct swi_items_message *items);

/* Write the config of upsertBucket, and the file config.yaml. */
void swi_model_config(const struct swi_model *model, struct swi_text *json);
void swi_model_yaml(const struct swi_model *model, struct swi_text *yaml);

/* Adds keys of an earlier process's config, {"key":{"value":…}}, that are not set again. */
void swi_model_resume_config(struct swi_model *model, json_t *before);

#endif
