/* SPDX-License-Identifier: MIT */
/* page_values.h - the values of a run: its summary, alerts, texts, tables, histograms, images. */
#ifndef TOOLS_HTML_PAGE_VALUES_H
#define TOOLS_HTML_PAGE_VALUES_H

#include "tools/log/collect.h"

#include <stdio.h>

/* Prints the last value of each name, or nothing if there are no values. */
void put_values(FILE *out, const struct collected *run);

#endif
