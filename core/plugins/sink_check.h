/* SPDX-License-Identifier: MIT */
/* sink_check.h - asks a sink what it finds wrong with its options, before anything is opened. */
#ifndef CORE_PLUGINS_SINK_CHECK_H
#define CORE_PLUGINS_SINK_CHECK_H

#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

/* Calls the check of a plugin, if it has one, with a state that was filled without a mistake.
 * Mistakes get the place of the option that they are about. remarks: those that sw_open() ignores
 * are mistakes, too. */
void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes);

#endif
