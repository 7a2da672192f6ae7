/* SPDX-License-Identifier: MIT */
/* column_names.h - columns as users name them. */
#ifndef SINKS_COMMON_FORMS_COLUMN_NAMES_H
#define SINKS_COMMON_FORMS_COLUMN_NAMES_H

#include "core/text/buffer.h"

#include <stepwatch/report.h>

#include <stdbool.h>

/* Any table of columns: those of a report, or of a style. */
struct swi_columns_known {
    const struct sw_column *column;
    size_t count, size; /* size: distance of two in bytes */
};

const struct sw_column *swi_columns_at(const struct swi_columns_known *known, size_t i);

/* The column that a user calls so: by its key, with or without its unit, or by its header, whole or
 * brief. Case does not matter, and blanks, dashes and underscores are the same. NULL: none. */
const struct sw_column *swi_columns_find(const struct swi_columns_known *known, const char *name);

/* Returns whether a column belongs to the counter of this name, or to the group `memory` or `cpu`.
 */
bool swi_column_is_of(const struct sw_column *column, const char *name);

/* Adds the shortest name of each column: "phase, action, mean, …". The name nearest to a misspelt
 * one comes first, as a question. */
void swi_columns_list(struct swi_text *text, const struct swi_columns_known *known,
                      const char *misspelt);

#endif
