/* SPDX-License-Identifier: MIT */
/* config.h - from YAML text to struct swi_settings. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "core/settings.h"

/* Reads and parses the file that sw_open(path) would use (or, path NULL and no file, gives the
 * defaults). Every mistake goes into mistakes; settings is valid, with defaults in place of what
 * was wrong, unless the return value is negative (file cannot be read, no memory). */
int swi_config_file(const char *path, struct swi_settings *settings, struct swi_mistakes *mistakes,
                    struct sw_error *err);

/* As above for text; name stands for the file in messages, directory (absolute) is what paths are
 * relative to. */
int swi_config_text(const char *text, size_t size, const char *name, const char *directory,
                    struct swi_settings *settings, struct swi_mistakes *mistakes,
                    struct sw_error *err);

#endif
