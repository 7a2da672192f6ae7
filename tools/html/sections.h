/* SPDX-License-Identifier: MIT */
/* sections.h - parts of the page that are text: findings, configuration. */
#ifndef TOOLS_HTML_SECTIONS_H
#define TOOLS_HTML_SECTIONS_H

#include "tools/log/collect.h"

void put_findings(FILE *out, const struct swi_advice *advice);
void put_config(FILE *out, const struct kept_lines *config);

#endif
