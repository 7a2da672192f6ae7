/* SPDX-License-Identifier: MIT */
/* torch_table.h - the table of torch.profiler. */
#ifndef SINKS_FORMS_TORCH_TABLE_H
#define SINKS_FORMS_TORCH_TABLE_H

#include "sinks/forms/style.h"

extern const struct swi_style swi_style_torch;

#endif
