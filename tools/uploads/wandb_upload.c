/* SPDX-License-Identifier: MIT */
#include "tools/uploads/wandb_upload.h"

#include "config.h"

#include <stdio.h>

static int sync_run(const char *path, const struct sw_wandb_sync *options,
                    struct sw_wandb_result *result, struct sw_error *err)
{
#ifdef HAVE_UPLOAD
    return sw_wandb_sync(path, options, result, err);
#else
    (void)options, (void)result;
    return sw_error_set(err, SW_EINVAL,
                        "%s: this stepwatch was built without protobuf-c, which it needs for runs "
                        "of wandb: install it and rebuild, or use wandb's own `wandb sync`",
                        path);
#endif
}

static void outcome_fill(struct outcome *outcome, const struct sw_wandb_result *result)
{
    snprintf(outcome->id, sizeof outcome->id, "%s", result->id);
    snprintf(outcome->url, sizeof outcome->url, "%s", result->url);
    outcome->state = result->state;
    outcome->exit_code = result->exit_code;
    outcome->rows = result->rows;
    outcome->rows_sent = result->rows_sent;
    outcome->files = result->files;
    outcome->files_failed = result->files_failed;
    outcome->skipped = result->skipped;
    outcome->torn_bytes = result->torn_bytes;
}

int wandb_upload(const struct upload_options *options, struct upload_messages *messages,
                 struct outcome *outcome, struct sw_error *err)
{
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_wandb_sync sync = options->wandb;
    sync.progress = upload_progress;
    sync.say = upload_message;
    sync.cancelled = upload_interrupted;
    sync.arg = messages;
    int rc = sync_run(messages->path, &sync, &result, err);
    upload_progress_clear(messages);
    outcome_fill(outcome, &result);
    return rc;
}
