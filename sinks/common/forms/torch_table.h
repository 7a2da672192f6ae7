/* SPDX-License-Identifier: MIT */
/* torch_table.h - the table of torch.profiler. */
#ifndef SINKS_COMMON_FORMS_TORCH_TABLE_H
#define SINKS_COMMON_FORMS_TORCH_TABLE_H

#include "sinks/common/forms/style.h"

extern const struct swi_style swi_style_torch;

#endif
