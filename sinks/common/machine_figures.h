/* SPDX-License-Identifier: MIT */
/* machine_figures.h - figures of the machine, from the files of the kernel. */
#ifndef SINKS_COMMON_MACHINE_FIGURES_H
#define SINKS_COMMON_MACHINE_FIGURES_H

/* Returns the number behind a field of a file with one field in a line, or -1 if it has none.
 * field: what the line begins with; "" is the first line. */
double swi_figure_number(const char *path, const char *field);

#endif
