/* SPDX-License-Identifier: MIT */
/* services.h - what core does for a sink: messages, files. */
#ifndef CORE_DELIVERY_SERVICES_H
#define CORE_DELIVERY_SERVICES_H

#include "core/delivery/worker.h"

extern const struct sw_sink_services swi_services;

/* Pushes out what the sink's streams hold; the first failure is told in err. */
int swi_files_flush(struct swi_worker *worker, struct sw_error *err);

/* The same, and closes them. text: set to which files lost how many lines, "" where none did. */
int swi_files_close(struct swi_worker *worker, char *text, size_t size, struct sw_error *err);

#endif
