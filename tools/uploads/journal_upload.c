/* SPDX-License-Identifier: MIT */
#include "tools/uploads/journal_upload.h"

#include "sinks/mlflow/upload/journal_sync.h"

#include <stdio.h>
#include <stdlib.h>

static const enum sw_wandb_state states[] = {
    [SWI_SYNC_FINISHED] = SW_WANDB_FINISHED, [SWI_SYNC_KILLED] = SW_WANDB_TORN,
    [SWI_SYNC_LIVE] = SW_WANDB_LIVE,         [SWI_SYNC_DONE] = SW_WANDB_SYNCED,
    [SWI_SYNC_WRITTEN] = SW_WANDB_WRITTEN,
};

static const char *environment(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static void outcome_fill(struct outcome *outcome, const struct swi_sync_result *result)
{
    snprintf(outcome->id, sizeof outcome->id, "%s", result->uid);
    snprintf(outcome->url, sizeof outcome->url, "%s", result->url);
    outcome->state = states[result->state];
    outcome->exit_code = result->exit_status;
    outcome->rows = -1;
    outcome->values_sent = result->points;
    outcome->files = result->files;
    outcome->files_failed = result->files_failed;
    outcome->skipped = result->skipped;
    outcome->torn_bytes = result->torn_bytes;
}

int journal_upload(const struct upload_options *options, struct upload_messages *messages,
                   struct outcome *outcome, struct sw_error *err)
{
    const struct sw_wandb_sync *shared = &options->wandb;
    const struct swi_sync_options sync = {.uri = shared->base_url,
                                          .experiment = options->experiment,
                                          .dry_run = shared->dry_run,
                                          .include_live = shared->include_live,
                                          .again = shared->again,
                                          .fresh = options->fresh,
                                          .timeout_s = shared->timeout_s,
                                          .env = environment,
                                          .say = upload_message,
                                          .ended = upload_interrupted,
                                          .arg = messages};
    struct swi_sync_result result;
    int rc = swi_journal_sync(messages->path, &sync, &result, err);
    if (rc < 0)
        sw_error_prefix(err, "%s", messages->path);
    outcome_fill(outcome, &result);
    return rc;
}
