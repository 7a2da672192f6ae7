/* SPDX-License-Identifier: MIT */
/* sink_services.h - the functions of core that a sink may call: messages, files. */
#ifndef CORE_DELIVERY_SINK_SERVICES_H
#define CORE_DELIVERY_SINK_SERVICES_H

#include <stepwatch/sink.h>

extern const struct sw_sink_services swi_sink_services;

#endif
