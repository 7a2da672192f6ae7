/* SPDX-License-Identifier: MIT */
/* page_counters.h - what the actions of a report used besides time. */
#ifndef TOOLS_HTML_PAGE_COUNTERS_H
#define TOOLS_HTML_PAGE_COUNTERS_H

#include "tools/log/collect.h"

#include <stdio.h>

/* Prints a table with the total, the self use and the use per call of each counter. Prints nothing
 * for a report without counters. */
void put_counters(FILE *out, const struct collected_report *report);

#endif
