/* SPDX-License-Identifier: MIT */
/* mappings.h - which object an address belongs to, at the time when it is called. Objects come and
 * go (dlopen, dlclose), and another may be where one was. */
#ifndef PROBES_FUNCTIONS_MAPPINGS_H
#define PROBES_FUNCTIONS_MAPPINGS_H

#include "probes/functions/thread_state.h"

/* Has the mapping of an address in the file, if it can be found. May be called in a signal handler.
 */
void fn_places_know(uintptr_t fn);

/* Looks at all mappings anew; those that are gone leave their nodes without addresses. */
void fn_places_read(void);

#endif
