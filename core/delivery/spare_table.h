/* SPDX-License-Identifier: MIT */
/* spare_table.h - the report as plain text, for a program whose sink `table` cannot be loaded. */
#ifndef CORE_DELIVERY_SPARE_TABLE_H
#define CORE_DELIVERY_SPARE_TABLE_H

#include <stepwatch/sink.h>

/* Takes the place of the sink. It has no options. */
extern const struct sw_sink_plugin swi_spare_table;

#endif
