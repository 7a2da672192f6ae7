/* SPDX-License-Identifier: MIT */
/* model_metrics.h - the definitions of metrics, as the service numbers them. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_METRICS_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_METRICS_H

#include "sinks/wandb/upload/content/model.h"

/* Takes a definition. A later one adds to an earlier one, unless it says that it overwrites it. */
void swi_model_take_metric(struct swi_model *model, const struct swi_metric_message *said);

/* Returns whether rules say what the summary has of a metric: that of its name, or the longest
 * pattern. */
bool swi_model_is_ruled(const struct swi_model *model, const char *name);

/* Returns a new list of all definitions, the member m of _wandb. */
json_t *swi_model_metrics_json(const struct swi_model *model);

#endif
