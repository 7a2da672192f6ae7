/* SPDX-License-Identifier: MIT */
/* page_ranks.h - the table of all ranks, and who keeps the others waiting. */
#ifndef TOOLS_HTML_PAGE_RANKS_H
#define TOOLS_HTML_PAGE_RANKS_H

#include <stepwatch/ranks.h>

#include <stdio.h>

void put_ranks(FILE *out, const struct sw_ranks *ranks);

#endif
