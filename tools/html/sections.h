/* SPDX-License-Identifier: MIT */
/* sections.h - sections of the page: findings, configuration, all ranks, counters, time. */
#ifndef TOOLS_HTML_SECTIONS_H
#define TOOLS_HTML_SECTIONS_H

#include "tools/log/collect.h"

#include <stepwatch/ranks.h>

#include <stdio.h>

void put_findings(FILE *out, const struct swi_advice *advice);
void put_config(FILE *out, const struct kept_lines *config);

void put_ranks(FILE *out, const struct sw_ranks *ranks);

/* Prints a table with the total, the self use and the use per call of each counter. Prints nothing
 * for a report without counters. */
void put_counters(FILE *out, const struct collected_report *report);

/* Prints the line that is below the table on the terminal. */
void put_overall(FILE *out, const struct sw_report *report);

void put_accounting(FILE *out, const struct collected_report *collected);

/* Prints each kind of misuse, as in the run's own report. */
void put_misuse(FILE *out, const struct log_value *list);

#endif
