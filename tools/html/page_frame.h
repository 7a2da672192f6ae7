/* SPDX-License-Identifier: MIT */
/* page_frame.h - what is around the runs of a page: its head, with the style sheet, and its end. */
#ifndef TOOLS_HTML_PAGE_FRAME_H
#define TOOLS_HTML_PAGE_FRAME_H

#include <stdio.h>

void page_begin(FILE *out);
void page_end(FILE *out);

#endif
