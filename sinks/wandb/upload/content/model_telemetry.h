/* SPDX-License-Identifier: MIT */
/* model_telemetry.h - what a client says about itself, as the service numbers it. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_TELEMETRY_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_TELEMETRY_H

#include "sinks/wandb/upload/content/model.h"

/* Adds what a telemetry record says to the member t of _wandb. */
void swi_model_take_telemetry(struct swi_model *model, const struct swi_telemetry_message *said);

#endif
