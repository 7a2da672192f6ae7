/* SPDX-License-Identifier: MIT */
/* page_values.h - the values of a run: its summary, alerts, texts, tables, histograms, images. */
#ifndef TOOLS_PAGE_PAGE_VALUES_H
#define TOOLS_PAGE_PAGE_VALUES_H

#include "tools/log/collect.h"

#include <stdio.h>

/* Of each name the last value. Nothing if there is none. */
void put_values(FILE *out, const struct collected *run);

#endif
