/* SPDX-License-Identifier: MIT */
/* begin.h - creates the run at the service, and finds where the rows of its file go. */
#ifndef SINKS_WANDB_UPLOAD_BEGIN_H
#define SINKS_WANDB_UPLOAD_BEGIN_H

#include "sinks/wandb/upload/upload.h"

/* Creates the run and finds where its rows go. */
int swi_upload_begin(struct swi_upload *upload, struct sw_error *err);
/* Saves where the file is at the service, and how much of it was sent. */
int swi_upload_keep(struct swi_upload *upload, struct sw_error *err);

#endif
