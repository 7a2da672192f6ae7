/* SPDX-License-Identifier: MIT */
/* yaml_syntax.h - explains what libyaml could not read in words that help to fix it. */
#ifndef CONFIG_YAML_SYNTAX_H
#define CONFIG_YAML_SYNTAX_H

#include "core/text/config_mistakes.h"

#include <yaml.h>

/* Adds the mistake at which the parser stopped. text: the whole file. */
void swi_syntax_mistake(const yaml_parser_t *parser, const char *text, size_t size,
                        const char *name, struct swi_mistakes *mistakes);

#endif
