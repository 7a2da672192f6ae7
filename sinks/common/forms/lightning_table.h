/* SPDX-License-Identifier: MIT */
/* lightning_table.h - the tables of the simple profilers of Lightning and hannah. */
#ifndef SINKS_COMMON_FORMS_LIGHTNING_TABLE_H
#define SINKS_COMMON_FORMS_LIGHTNING_TABLE_H

#include "sinks/common/forms/style.h"

extern const struct swi_style swi_style_lightning;
extern const struct swi_style swi_style_hannah;

#endif
