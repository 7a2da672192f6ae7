/* SPDX-License-Identifier: MIT */
/* program_options.h - converts the options of sw_open_options() to a tree like that of a YAML file,
 * so that the same code reads and checks them. */
#ifndef CONFIG_PROGRAM_OPTIONS_H
#define CONFIG_PROGRAM_OPTIONS_H

#include "config/yaml_tree.h"
#include "core/plugins/settings.h"

#include <stepwatch/stepwatch.h>

/* Copies options of any version into own, which has the current size. Sinks are not copied. Returns
 * 0, or SW_EINVAL if the options are not initialised or use fields that this library lacks. */
int swi_program_options_take(struct sw_options *own, const struct sw_options *options,
                             struct sw_error *err);

/* Makes the tree. Its places are names such as "sinks[0].path", which settings owns. own: from
 * swi_program_options_take(). Returns 0 or SW_ENOMEM. Call swi_tree_fini() in any case. */
int swi_program_options_tree(struct swi_tree *tree, const struct sw_options *own,
                             struct swi_settings *settings, struct swi_mistakes *mistakes);

#endif
