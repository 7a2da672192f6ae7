/* SPDX-License-Identifier: MIT */
/* lightning_stage.h - the stage of a trainer that a fit corresponds to, as Lightning names it. */
#ifndef SINKS_COMMON_LIGHTNING_STAGE_H
#define SINKS_COMMON_LIGHTNING_STAGE_H

#include <stepwatch/report.h>

enum swi_stage {
    SWI_STAGE_FIT,
    SWI_STAGE_VALIDATE, /* the fit had no training, only validation */
    SWI_STAGE_NONE      /* the program has neither a fit nor steps */
};

enum swi_stage swi_lightning_stage(const struct sw_report *report);

#endif
