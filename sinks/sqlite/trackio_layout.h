/* SPDX-License-Identifier: MIT */
/* trackio_layout.h - the tables of a project of Trackio. */
#ifndef SINKS_SQLITE_TRACKIO_LAYOUT_H
#define SINKS_SQLITE_TRACKIO_LAYOUT_H

#include "sinks/sqlite/database_layout.h"

extern const struct swi_layout swi_layout_trackio;

#endif
