/* SPDX-License-Identifier: MIT */
/* journal_upload.h - uploads a run of the sink mlflow for the command. */
#ifndef TOOLS_UPLOADS_JOURNAL_UPLOAD_H
#define TOOLS_UPLOADS_JOURNAL_UPLOAD_H

#include "tools/uploads/outcome.h"
#include "tools/uploads/upload_messages.h"
#include "tools/uploads/upload_options.h"

/* Uploads the run in the folder messages->path and fills the outcome, even on failure. Returns what
 * swi_journal_sync() returns; the error begins with the folder. */
int journal_upload(const struct upload_options *options, struct upload_messages *messages,
                   struct outcome *outcome, struct sw_error *err);

#endif
