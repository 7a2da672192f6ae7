/* SPDX-License-Identifier: MIT */
/* own_layout.h - the tables and views of stepwatch's own database. */
#ifndef SINKS_SQLITE_OWN_LAYOUT_H
#define SINKS_SQLITE_OWN_LAYOUT_H

#include "sinks/sqlite/database_layout.h"

extern const struct swi_layout swi_layout_own;

#endif
