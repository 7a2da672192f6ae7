/* SPDX-License-Identifier: MIT */
/* alert_record.h - records of alerts. */
#ifndef CORE_RECORDS_ALERT_RECORD_H
#define CORE_RECORDS_ALERT_RECORD_H

#include "core/records/recorder.h"

/* Limits of an alert's texts. */
enum { SWI_ALERT_TITLE = 64 /* characters */, SWI_ALERT_TEXT = 4096 /* bytes */ };

/* Sends a copy of an alert to the sinks that want it, if any do. Its texts may have any bytes and
 * any length. Returns 0 or SW_ENOMEM. */
int swi_recorder_alert(struct swi_recorder *records, const struct sw_alert *alert, int64_t step,
                       int64_t tick);

#endif
