/* SPDX-License-Identifier: MIT */
/* schema.h - what a configuration's tree means. */
#ifndef CONFIG_SCHEMA_H
#define CONFIG_SCHEMA_H

#include "config/tree.h"
#include "core/settings.h"

/* Fills settings (of which file and directory are set) from a tree: defaults, what the file says,
 * and the sinks that show_report, markdown and save_csv add. Every mistake goes into mistakes. 0 or
 * SW_ENOMEM. */
int swi_schema_read(const struct swi_tree *tree, struct swi_settings *settings,
                    struct swi_mistakes *mistakes, struct sw_error *err);

#endif
