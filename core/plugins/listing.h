/* SPDX-License-Identifier: MIT */
/* listing.h - lists all sinks, usable or not. */
#ifndef CORE_PLUGINS_LISTING_H
#define CORE_PLUGINS_LISTING_H

#include "core/plugins/settings.h"

#include <stepwatch/inspect.h>

/* Lists every sink in the folders of the settings: the result of sw_sinks_find(). */
int swi_plugins_list(const struct swi_settings *settings, struct sw_sinks **sinks,
                     struct sw_error *err);

#endif
