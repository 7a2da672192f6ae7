/* SPDX-License-Identifier: MIT */
/* run_settings.h - what options, environment and wandb's settings files say of a run. A wrong
 * setting prevents the upload, but not the run. */
#ifndef SINKS_WANDB_RUN_SETTINGS_H
#define SINKS_WANDB_RUN_SETTINGS_H

#include "sinks/wandb/wandb_sink.h"

/* Texts that describe a run; "" if not given. */
struct swi_wandb_texts {
    char entity[SWI_WANDB_VALUE], project[SWI_WANDB_VALUE], group[SWI_WANDB_VALUE];
    char job_type[SWI_WANDB_VALUE], name[SWI_WANDB_VALUE], notes[SWI_WANDB_VALUE];
    char tags[SWI_WANDB_VALUE];
    const char *tag[SWI_WANDB_VALUE / 2 + 1]; /* parts of `tags`; NULL ends them */
};

/* Reads which messages are shown, and whether output and system metrics are recorded. */
void swi_wandb_switches_find(struct wandb *w);

/* Decides whether there is a run, and whether it is uploaded while it is written. */
void swi_wandb_mode_find(struct wandb *w);

/* Returns whether each process makes a run. It also does if it is not certain which process is the
 * first. */
bool swi_wandb_each_rank(const struct wandb *w);

/* Finds the texts and the id of this process's run, without wrong values. The sweep of `w` must be
 * known. Returns false if the project is wrong. */
bool swi_wandb_texts_find(struct wandb *w, struct swi_wandb_texts *t);

#endif
