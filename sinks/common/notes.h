/* SPDX-License-Identifier: MIT */
/* notes.h - what stands below the table: the dropped batch, and where the time went. */
#ifndef SINKS_NOTES_H
#define SINKS_NOTES_H

#include "sinks/common/text.h"

#include <stepwatch/report.h>

/* Lines that end with a newline each. */
void notes_add(struct text *text, const struct sw_report *report);

/* The path of the n-th report of a program: "a/b.csv" for the first, "a/b-2.csv" for the second.
 * "-" stays. */
void notes_path(char *buffer, size_t size, const char *path, int n);

#endif
