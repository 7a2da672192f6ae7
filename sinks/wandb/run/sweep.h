/* SPDX-License-Identifier: MIT */
/* sweep.h - reads what `wandb agent` passes to a program: the sweep and its values. */
#ifndef SINKS_WANDB_RUN_SWEEP_H
#define SINKS_WANDB_RUN_SWEEP_H

#include "sinks/wandb/values/fields.h"
#include "sinks/wandb/account/sdk_settings.h"

/* Initialise it as {0}. */
struct swi_wandb_sweep {
    char id[SWI_WANDB_VALUE];   /* "" if the program is not part of a sweep */
    struct swi_fields value;    /* by the names of the hyper-parameters */
    struct swi_fields reported; /* names whose own values were ignored, which was reported */
};

/* Reads WANDB_SWEEP_ID, and the values of the file WANDB_SWEEP_PARAM_PATH. Returns 0. Returns
 * SW_EINVAL or SW_EIO with the reason: then the id is "" or there are no values. */
int swi_wandb_sweep_find(struct swi_wandb_sweep *sweep, struct sw_error *err);
void swi_wandb_sweep_free(struct swi_wandb_sweep *sweep);

/* Returns whether a hyper-parameter belongs to the sweep. Then the value that the program gives is
 * ignored. differs: set to whether that is another value; true only once for each name. */
bool swi_wandb_sweep_has(struct swi_wandb_sweep *sweep, const char *name,
                         const struct swi_text *json, bool *differs);

#endif
