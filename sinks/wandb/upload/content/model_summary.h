/* SPDX-License-Identifier: MIT */
/* model_summary.h - the summary of a run: the last values of its rows, and what was set. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_SUMMARY_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_SUMMARY_H

#include "sinks/wandb/upload/content/model.h"

/* Takes the items of a summary record, or of a run record; NULL is nothing. */
void swi_model_take_summary(struct swi_model *model, const struct swi_items_message *items);

/* Adds a row of the history to the summary, with its step at the service. */
void swi_model_row(struct swi_model *model, const struct swi_history_message *history,
                   int64_t step);

/* Writes the summary as JSON. */
void swi_model_summary(const struct swi_model *model, struct swi_text *json);

/* Adds keys of an earlier process's summary that are not set again. */
void swi_model_resume_summary(struct swi_model *model, json_t *before);

#endif
