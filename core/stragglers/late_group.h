/* SPDX-License-Identifier: MIT */
/* late_group.h - all ranks that are slow in most steps: those of some hosts, every eighth, or
 * others. If several are equally slow, or others have delays, no rank leads all others. */
#ifndef CORE_STRAGGLERS_LATE_GROUP_H
#define CORE_STRAGGLERS_LATE_GROUP_H

#include "core/stragglers/lateness.h"

/* Looks for more ranks than those that f->found names. Returns true if there are: then f->row marks
 * them, and f->found->group describes them. The verdict is left as it is. */
bool swi_late_group_find(struct swi_lateness *f);

#endif
