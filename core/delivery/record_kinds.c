/* SPDX-License-Identifier: MIT */
#include "core/delivery/record.h"

/* Has no size, so that the assertion below notices a missing kind. */
const struct swi_record_kind swi_record_kinds[] = {
    [SW_RECORD_RUN] = {"runs", false},
    [SW_RECORD_HPARAM] = {"hyper-parameters", true},
    [SW_RECORD_METRICS] = {"metrics", false},
    [SW_RECORD_MARK] = {"marks", false}, /* queue.c drops begin and end together */
    [SW_RECORD_STEP] = {"steps", false},
    [SW_RECORD_REGIONS] = {"regions", false},
    [SW_RECORD_EPOCH] = {"reports of epochs", true},
    [SW_RECORD_REPORT] = {"reports of fits", false},
    [SW_RECORD_END] = {"ends", false},
    [SW_RECORD_PAUSE] = {"pauses", false}, /* like marks */
    [SW_RECORD_LOST] = {"losses", false},
    [SW_RECORD_WINDOW] = {"windows", false},
    [SW_RECORD_NOTE] = {"notes", true},
    [SW_RECORD_SPAN] = {"begins and ends of spans", false},
    [SW_RECORD_RANKS] = {"reports of all ranks", true},
    [SW_RECORD_CLOCK] = {"offsets of clocks", true},
    [SW_RECORD_ALERT] = {"alerts", true},
    [SW_RECORD_VALUE] = {"values", false},
    [SW_RECORD_RULE] = {"rules", true},
    [SW_RECORD_SUMMARY] = {"values of the summary", true},
    [SW_RECORD_LINE] = {"lines", false},
    [SW_RECORD_FINDINGS] = {"findings", false}, /* they come with the report */
    [SW_RECORD_MONITOR] = {"samples of monitors", false},
};
_Static_assert(sizeof swi_record_kinds / sizeof *swi_record_kinds == SW_RECORD_TYPES,
               "each kind of record has a line");
