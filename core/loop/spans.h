/* SPDX-License-Identifier: MIT */
/* spans.h - intervals that need not nest, and may begin and end on different threads. */
#ifndef CORE_LOOP_SPANS_H
#define CORE_LOOP_SPANS_H

#include "core/loop/state.h"

void swi_spans_init(struct swi_spans *spans);
void swi_spans_fini(struct swi_spans *spans);

#endif
