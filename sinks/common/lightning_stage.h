/* SPDX-License-Identifier: MIT */
/* lightning_stage.h - the stage of a trainer that a fit corresponds to, as Lightning names it. */
#ifndef SINKS_COMMON_LIGHTNING_STAGE_H
#define SINKS_COMMON_LIGHTNING_STAGE_H

#include <stepwatch/report.h>
#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

enum swi_stage {
    SWI_STAGE_FIT,
    SWI_STAGE_VALIDATE, /* the fit had no training, only validation */
    SWI_STAGE_NONE      /* the program has neither a fit nor steps */
};

static inline enum swi_stage swi_lightning_stage(const struct sw_report *report)
{
    int64_t train = 0, valid = 0;
    bool inserted = SW_HAS(report->size, report, inserted) && report->inserted;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        bool in_train = row->action_id == SW_TRAIN || row->phase_id == SW_PHASE_TRAIN;
        bool in_valid = row->action_id == SW_VALID || row->phase_id == SW_PHASE_VALID;
        train += in_train ? row->calls : 0;
        valid += in_valid ? row->calls : 0;
    }
    if (valid && !train)
        return SWI_STAGE_VALIDATE;
    return inserted && !train ? SWI_STAGE_NONE : SWI_STAGE_FIT;
}

#endif
