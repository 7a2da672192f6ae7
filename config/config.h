/* SPDX-License-Identifier: MIT */
/* config.h - from YAML text to struct swi_settings. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "config/keys.h"
#include "core/plugins/settings.h"

/* A configuration as it was read: what the profiler is opened with, and what only a print of it
 * needs. */
struct swi_config {
    struct swi_settings settings;
    struct swi_keys keys;
};

/* Reads and parses the file that sw_open(path) would use (or, path NULL and no file, gives the
 * defaults). Every mistake goes into mistakes; config is valid, with defaults in place of what was
 * wrong, unless the return value is negative (file cannot be read, no memory): then there is
 * nothing in it. */
int swi_config_file(const char *path, struct swi_config *config, struct swi_mistakes *mistakes,
                    struct sw_error *err);

/* As above for text; name stands for the file in messages, directory (absolute) is what paths are
 * relative to. Reads the environment for ${...} and has no other state: it may run in any number of
 * threads. */
int swi_config_text(const char *text, size_t size, const char *name, const char *directory,
                    struct swi_config *config, struct swi_mistakes *mistakes, struct sw_error *err);

/* As above for what a program gave sw_open_options(), after the file that it names, if any.
 * options: from swi_program_options_take(). */
int swi_config_options(const struct sw_options *options, struct swi_config *config,
                       struct swi_mistakes *mistakes, struct sw_error *err);

void swi_config_fini(struct swi_config *config);

#endif
