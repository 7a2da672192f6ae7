/* SPDX-License-Identifier: MIT */
/* logger_callback.h - `logger_callback` into the settings of sinks. Whether there is such a sink,
 * and what its options mean, is found out by core. */
#ifndef CONFIG_LOGGER_CALLBACK_H
#define CONFIG_LOGGER_CALLBACK_H

#include "config/reading.h"

/* Reads `logger_callback` into config->settings.sink; node NULL: nothing. */
void swi_logger_callback_read(struct swi_reading *reading, const struct swi_node *node);

/* Adds the sinks that show_report, markdown and save_csv ask for, and hands plain and csv_name on.
 */
void swi_logger_callback_complete(struct swi_reading *reading);

#endif
