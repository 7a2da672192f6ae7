/* SPDX-License-Identifier: MIT */
/* alerts.h - the alerts of a run's file: each is sent once, however often the file is uploaded. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ALERTS_H
#define SINKS_WANDB_UPLOAD_ASK_ALERTS_H

#include "sinks/wandb/upload/ask/api.h"

/* Begins as {0} except the list. */
struct swi_alerts {
    json_t *waiting;
    int64_t read; /* in the file, so far */
    int64_t sent; /* all up to this one, from 1, by this upload or an earlier one */
    bool refused; /* the service does not take one, and that was said */
};

/* Takes a record of the file, in its order, from the first one on. */
void swi_alerts_take(struct swi_alerts *alerts, const SwiWandb__Record *record);

bool swi_alerts_wait(const struct swi_alerts *alerts);

/* Sends the first that waits. 0, also where the service refuses it: that is said, and all from it
 * on wait for the next upload. SW_ETIME if it was cancelled. */
int swi_alerts_send(struct swi_alerts *alerts, struct swi_link *link,
                    const struct swi_bucket *bucket, struct sw_error *err);

#endif
