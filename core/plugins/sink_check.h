/* SPDX-License-Identifier: MIT */
/* sink_check.h - lets a sink check its own options before anything is opened. */
#ifndef CORE_PLUGINS_SINK_CHECK_H
#define CORE_PLUGINS_SINK_CHECK_H

#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* Calls the check function of a plugin, if it has one, with a state that was filled without
 * mistakes. A mistake gets the place of its option. remarks: add those that sw_open() ignores too.
 */
void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes);

#endif
