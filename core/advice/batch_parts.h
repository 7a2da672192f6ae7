/* SPDX-License-Identifier: MIT */
/* batch_parts.h - how a batch is divided among the actions in it. */
#ifndef CORE_ADVICE_BATCH_PARTS_H
#define CORE_ADVICE_BATCH_PARTS_H

#include "core/advice/analysis.h"

/* Calculates the parts of a batch at its first call. */
const struct swi_batch_parts *swi_batch_parts_of(struct swi_analysis *analysis);

#endif
