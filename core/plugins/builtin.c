/* SPDX-License-Identifier: MIT */
#include "core/plugins/builtin.h"

#include "config.h"

#include <stepwatch/sink.h>

#define DECLARE(name) extern const struct sw_sink_plugin swi_sink_##name;
#define ADDRESS(name) &swi_sink_##name,

BUILTIN_SINKS(DECLARE)

static const struct sw_sink_plugin *const builtin[] = {BUILTIN_SINKS(ADDRESS) NULL};

const void *swi_builtin_at(size_t i)
{
    return i < sizeof builtin / sizeof *builtin ? builtin[i] : NULL;
}
