/* SPDX-License-Identifier: MIT */
/* metric_rules.h - rules for metrics, and what the program puts into the summary. */
#ifndef SINKS_WANDB_METRIC_RULES_H
#define SINKS_WANDB_METRIC_RULES_H

#include "sinks/wandb/wandb_sink.h"

/* Writes the rules that every run has: metrics of the validation are drawn over the epoch. */
void swi_wandb_rules_begin(struct wandb *w);
/* Takes a rule of sw_define(). */
void swi_wandb_rule(struct wandb *w, const struct sw_defined_rule *defined);
/* Takes a value of sw_summary(). */
void swi_wandb_summary_own(struct wandb *w, const struct sw_summary_value *value);
/* Adds the list of all rules, for config.yaml. */
void swi_wandb_rules_yaml(struct swi_text *text, const struct wandb *w);

#endif
