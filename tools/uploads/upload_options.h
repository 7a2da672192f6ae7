/* SPDX-License-Identifier: MIT */
/* upload_options.h - the options of an upload. */
#ifndef TOOLS_UPLOADS_UPLOAD_OPTIONS_H
#define TOOLS_UPLOADS_UPLOAD_OPTIONS_H

#include <stepwatch/wandb.h>

struct upload_options {
    struct sw_wandb_sync wandb; /* also has what both services share; without its functions */
    const char *experiment;     /* of MLflow; NULL: as in the run */
    bool fresh;                 /* creates a run of MLflow even if it may exist */
};

#endif
