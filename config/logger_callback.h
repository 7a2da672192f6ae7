/* SPDX-License-Identifier: MIT */
/* logger_callback.h - reads `logger_callback` into the settings of sinks. core checks whether the
 * sinks exist and what their options mean. */
#ifndef CONFIG_LOGGER_CALLBACK_H
#define CONFIG_LOGGER_CALLBACK_H

#include "config/yaml_reader.h"

/* Reads `logger_callback` into config->settings.sink. node: NULL if it is not given. */
void swi_logger_callback_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Adds the sinks that show_report, markdown and save_csv ask for, and passes plain and csv_name to
 * them. */
void swi_logger_callback_complete(struct swi_yaml_reader *reading);

#endif
