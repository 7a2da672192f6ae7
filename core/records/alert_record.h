/* SPDX-License-Identifier: MIT */
/* alert_record.h - records of what somebody should look at. */
#ifndef CORE_RECORDS_ALERT_RECORD_H
#define CORE_RECORDS_ALERT_RECORD_H

#include "core/records/emit.h"

/* Bounds of an alert's texts. */
enum { SWI_ALERT_TITLE = 64 /* characters */, SWI_ALERT_TEXT = 4096 /* bytes */ };

/* Sends a copy of an alert, whose texts may have any bytes and any length, to the sinks that want
 * it; nothing where none does. Returns 0, or SW_ENOMEM. */
int swi_emit_alert(struct swi_recorder *records, const struct sw_alert *alert, int64_t step,
                   int64_t tick);

#endif
