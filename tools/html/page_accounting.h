/* SPDX-License-Identifier: MIT */
/* page_accounting.h - the sentences below the table: the rate of the whole, what the fit took, what
 * stepwatch cost, and calls that did not fit. */
#ifndef TOOLS_HTML_PAGE_ACCOUNTING_H
#define TOOLS_HTML_PAGE_ACCOUNTING_H

#include "tools/log/collect.h"

/* Prints the line that is below the table on the terminal. */
void put_overall(FILE *out, const struct sw_report *report);

void put_accounting(FILE *out, const struct collected_report *collected);

/* Prints each kind of misuse, as in the run's own report. */
void put_misuse(FILE *out, const struct log_value *list);

#endif
