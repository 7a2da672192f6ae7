/* SPDX-License-Identifier: MIT */
/* plain_table.h - columns aligned right, one blank between, no rules. */
#ifndef SINKS_TABLE_PLAIN_TABLE_H
#define SINKS_TABLE_PLAIN_TABLE_H

#include "sinks/common/grid.h"

void swi_plain_table(struct swi_text *text, const struct swi_grid *grid);

#endif
