/* SPDX-License-Identifier: MIT */
/* load_uploader.h - finds and loads wandb-upload.so. Names of sinks have no "-", so the file cannot
 * be taken for a sink. */
#ifndef SINKS_WANDB_LOAD_UPLOADER_H
#define SINKS_WANDB_LOAD_UPLOADER_H

#include "sinks/wandb/upload/uploader.h"

/* Loads the uploader, which stays loaded. Returns NULL on failure, with the reason in err. */
const struct swi_uploader *swi_uploader_load(struct sw_error *err);

#endif
