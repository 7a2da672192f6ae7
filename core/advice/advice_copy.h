/* SPDX-License-Identifier: MIT */
/* advice_copy.h - copies findings that the library has not made. */
#ifndef CORE_ADVICE_ADVICE_COPY_H
#define CORE_ADVICE_ADVICE_COPY_H

#include "core/advice/advice.h"

/* Fills it with copies of findings that are `stride` bytes apart. What else was checked is not
 * known. Returns false if out of memory. Call swi_advice_free() in any case. */
bool swi_advice_copy(struct swi_advice *advice, const struct sw_finding *finding, size_t count,
                     size_t stride);

#endif
