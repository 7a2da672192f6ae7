/* SPDX-License-Identifier: MIT */
/* paragraph.h - prints text in lines of 100 columns. */
#ifndef TOOLS_OUTPUT_PARAGRAPH_H
#define TOOLS_OUTPUT_PARAGRAPH_H

enum { PARAGRAPH_INDENT = 8 };

/* Prints `before` and the text to standard output, every line indented. Control characters of the
 * text are escaped. */
void paragraph_put(int indent, const char *before, const char *text);

#endif
