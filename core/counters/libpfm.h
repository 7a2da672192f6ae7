/* SPDX-License-Identifier: MIT */
/* libpfm.h - the codes of events by name, from the library libpfm, which is loaded for the first
 * name. Nothing of it is needed to build or to run stepwatch. */
#ifndef CORE_COUNTERS_LIBPFM_H
#define CORE_COUNTERS_LIBPFM_H

#include "core/counters/event_code.h"

/* Sets the code of an event. Returns 0; SW_EINVAL if the library knows no such event of this
 * processor; SW_EIO if there is no library, or it does not know the processor. One thread at a time
 * may call it. */
int swi_libpfm_code(const char *name, struct swi_event_code *code, struct sw_error *err);

#endif
