/* SPDX-License-Identifier: MIT */
/* worker_summary.h - what was lost or went wrong in a sink. */
#ifndef CORE_DELIVERY_WORKER_SUMMARY_H
#define CORE_DELIVERY_WORKER_SUMMARY_H

#include "core/delivery/worker.h"

/* Describes in one sentence what the sink failed in or lost. Returns false if there is nothing. */
bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size);

#endif
