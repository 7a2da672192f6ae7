/* SPDX-License-Identifier: MIT */
/* services.h - the functions of core that a sink may call: messages, files. */
#ifndef CORE_DELIVERY_SERVICES_H
#define CORE_DELIVERY_SERVICES_H

#include <stepwatch/sink.h>

extern const struct sw_sink_services swi_services;

#endif
