/* SPDX-License-Identifier: MIT */
/* load_uploader.h - finds and loads wandb-upload.so. A sink's name has no "-", so that nobody takes
 * the file for a sink. */
#ifndef SINKS_WANDB_LOAD_UPLOADER_H
#define SINKS_WANDB_LOAD_UPLOADER_H

#include "sinks/wandb/upload/uploader.h"

/* Loads it: NULL, and err says why not. It stays loaded. */
const struct swi_uploader *swi_uploader_load(struct sw_error *err);

#endif
