/* SPDX-License-Identifier: MIT */
/* late_host.h - a host whose ranks are all later than those of the others. */
#ifndef CORE_STRAGGLERS_LATE_HOST_H
#define CORE_STRAGGLERS_LATE_HOST_H

#include "core/stragglers/lateness.h"

/* Looks for one. Returns true if it is found, and names it in f->found. */
bool swi_late_host_find(struct swi_lateness *f);

#endif
