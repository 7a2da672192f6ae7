/* SPDX-License-Identifier: MIT */
/* exposition.h - families in Prometheus' text format 0.0.4. */
#ifndef SINKS_PROMETHEUS_EXPOSITION_H
#define SINKS_PROMETHEUS_EXPOSITION_H

#include "core/text/buffer.h"
#include "sinks/prometheus/families.h"

/* Adds the text of all families.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
void swi_exposition(struct swi_text *text, const struct swi_families *families);

#endif
