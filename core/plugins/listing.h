/* SPDX-License-Identifier: MIT */
/* listing.h - all sinks that there are, usable or not. */
#ifndef CORE_PLUGINS_LISTING_H
#define CORE_PLUGINS_LISTING_H

#include "core/plugins/settings.h"

#include <stepwatch/inspect.h>

/* Every sink that can be found in these folders: what sw_sinks_find() gives. */
int swi_plugins_list(const struct swi_settings *settings, struct sw_sinks **sinks,
                     struct sw_error *err);

#endif
