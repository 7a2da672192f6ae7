/* SPDX-License-Identifier: MIT */
/* config.h - reads YAML text into struct swi_settings. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "config/profiler_keys.h"
#include "config/yaml_tree.h"
#include "core/plugins/settings.h"

#include <stepwatch/stepwatch.h>

/* A configuration that was read: the settings of the profiler, and what is needed only to print it.
 */
struct swi_config {
    struct swi_settings settings;
    struct swi_profiler_keys keys;
};

/* Reads and parses the file that sw_open(path) would use. If path is NULL and no file exists,
 * gives the defaults. All mistakes are added to mistakes, and config has defaults in their place.
 * If the return value is negative (the file cannot be read, or out of memory), config is empty. */
int swi_config_file(const char *path, struct swi_config *config, struct swi_mistakes *mistakes,
                    struct sw_error *err);

/* Like swi_config_file(), for a text. name: the name of the file in messages. directory (absolute):
 * the base of relative paths. Reads the environment for ${...} and has no other state, so any
 * number of threads may call it. */
int swi_config_text(const char *text, size_t size, const char *name, const char *directory,
                    struct swi_config *config, struct swi_mistakes *mistakes, struct sw_error *err);

/* Like swi_config_file(), for options of sw_open_options(). They are read after the file that they
 * name, if any. options: from swi_program_options_take(). */
int swi_config_options(const struct sw_options *options, struct swi_config *config,
                       struct swi_mistakes *mistakes, struct sw_error *err);

void swi_config_fini(struct swi_config *config);

/* ---- options of sw_open_options() ------------------------------------------------------------ */

/* They become a tree like that of a YAML file, so that the same
 * code reads and checks them. */

/* Copies options of any version into own, which has the current size. Sinks are not copied. Returns
 * 0, or SW_EINVAL if the options are not initialised or use fields that this library lacks. */
int swi_program_options_take(struct sw_options *own, const struct sw_options *options,
                             struct sw_error *err);

/* Makes the tree. Its places are names such as "sinks[0].path", which settings owns. own: from
 * swi_program_options_take(). Returns 0 or SW_ENOMEM. Call swi_tree_fini() in any case. */
int swi_program_options_tree(struct swi_tree *tree, const struct sw_options *own,
                             struct swi_settings *settings, struct swi_mistakes *mistakes);

#endif
