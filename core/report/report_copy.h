/* SPDX-License-Identifier: MIT */
/* report_copy.h - copies a report that the library has not made. */
#ifndef CORE_REPORT_REPORT_COPY_H
#define CORE_REPORT_REPORT_COPY_H

#include "core/report/report.h"

/* Copies a report with everything that it points to. Its columns and the order of its counters are
 * those of the profiler. Returns NULL if out of memory. */
struct sw_report *swi_report_copy(const struct swi_measured *measured,
                                  const struct sw_report *from);

#endif
