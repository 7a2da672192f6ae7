/* SPDX-License-Identifier: MIT */
/* monitor_list.h - reads `monitors` into the settings of monitors. */
#ifndef CONFIG_MONITOR_LIST_H
#define CONFIG_MONITOR_LIST_H

#include "config/yaml_reader.h"

/* Reads `monitors` into config->settings.monitor: true; a name; a list of names or `name:
 * {options}`; or a mapping of these, with `interval` and `what` for all. */
void swi_monitors_read(struct swi_yaml_reader *reading, const struct swi_node *node);

#endif
