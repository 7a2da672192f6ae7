/* SPDX-License-Identifier: MIT */
/* alerts.h - sends each alert of a run's file once, however often the file is uploaded. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ALERTS_H
#define SINKS_WANDB_UPLOAD_ASK_ALERTS_H

#include "sinks/wandb/upload/ask/api.h"

/* Initialise it as {0}, except for the list. */
struct swi_alerts {
    json_t *waiting;
    int64_t read; /* in the file so far */
    int64_t sent; /* all up to this one, counted from 1, by this upload or an earlier one */
    bool refused; /* the service refused one, which was reported */
};

/* Takes a record of the file. Pass all records, in order. */
void swi_alerts_take(struct swi_alerts *alerts, const struct swi_record_message *record);

bool swi_alerts_wait(const struct swi_alerts *alerts);

/* Sends the first alert that waits. Returns 0, even if the service refuses it: then that is
 * reported, and all alerts from it on wait for the next upload. Returns SW_ETIME if it was
 * cancelled. */
int swi_alerts_send(struct swi_alerts *alerts, struct swi_link *link,
                    const struct swi_bucket *bucket, struct sw_error *err);

#endif
