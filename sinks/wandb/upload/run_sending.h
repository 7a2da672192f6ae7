/* SPDX-License-Identifier: MIT */
/* run_sending.h - an upload sends its run: rows, config, files, alerts, and signs of life. */
#ifndef SINKS_WANDB_UPLOAD_RUN_SENDING_H
#define SINKS_WANDB_UPLOAD_RUN_SENDING_H

#include "sinks/wandb/upload/upload.h"

/* Uploads until the end of the run or of the file. */
int swi_upload_follow(struct swi_upload *upload, struct sw_error *err);

#endif
