/* SPDX-License-Identifier: MIT */
/* sweep.h - what `wandb agent` tells a program that it starts: the sweep, and its values. */
#ifndef SINKS_WANDB_RUN_SWEEP_H
#define SINKS_WANDB_RUN_SWEEP_H

#include "sinks/wandb/values/fields.h"
#include "sinks/wandb/account/sdk_settings.h"

/* Begins as {0}. */
struct swi_wandb_sweep {
    char id[SWI_WANDB_VALUE]; /* "": the program is not part of a sweep */
    struct swi_fields value;  /* by the names of the hyper-parameters */
    struct swi_fields told;   /* those names whose own values were refused, and that was said */
};

/* Reads WANDB_SWEEP_ID, and the values of the file WANDB_SWEEP_PARAM_PATH. Returns 0, or SW_EINVAL
 * or SW_EIO with what is wrong: the id is "" then, or there are no values. */
int swi_wandb_sweep_find(struct swi_wandb_sweep *sweep, struct sw_error *err);
void swi_wandb_sweep_free(struct swi_wandb_sweep *sweep);

/* Whether a hyper-parameter is the sweep's; the value that the program gives for it does not count.
 * differs: set to whether that is another one, true once for each name. */
bool swi_wandb_sweep_has(struct swi_wandb_sweep *sweep, const char *name,
                         const struct swi_text *json, bool *differs);

#endif
