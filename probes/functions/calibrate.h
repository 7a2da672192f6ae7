/* SPDX-License-Identifier: MIT */
/* calibrate.h - how long the hooks themselves take. */
#ifndef PROBES_FUNCTIONS_CALIBRATE_H
#define PROBES_FUNCTIONS_CALIBRATE_H

/* Measures which part of a pair of hooks is in the time of the function that calls them, and which
 * in that of its caller. Notes both in the file; takes less than a millisecond. */
void fn_calibrate(void);

#endif
