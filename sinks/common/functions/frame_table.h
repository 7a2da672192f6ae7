/* SPDX-License-Identifier: MIT */
/* frame_table.h - where the functions of an object begin, by the table of its unwind information.
 * A stripped object has it, too. */
#ifndef SINKS_COMMON_FUNCTIONS_FRAME_TABLE_H
#define SINKS_COMMON_FUNCTIONS_FRAME_TABLE_H

#include "sinks/common/functions/object.h"

/* Gets the begin of the function that contains an address of the object. Returns false if the
 * object has no such table, or one of another form than linkers make. */
bool frame_table_start(const struct object *object, uint64_t address, uint64_t *start);

#endif
