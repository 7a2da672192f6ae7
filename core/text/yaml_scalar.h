/* SPDX-License-Identifier: MIT */
/* yaml_scalar.h - what a text without quotes is in YAML 1.1, by the rules of PyYAML, which the
 * files of wandb's agent are written and read with: 010 is 8, yes is true, and 1e5 is a text. */
#ifndef CORE_TEXT_YAML_SCALAR_H
#define CORE_TEXT_YAML_SCALAR_H

#include <stdint.h>

enum swi_yaml_kind { SWI_YAML_TEXT, SWI_YAML_NULL, SWI_YAML_BOOL, SWI_YAML_INT, SWI_YAML_FLOAT };

struct swi_yaml_scalar {
    enum swi_yaml_kind kind;
    double number; /* of an int or a float; of a bool 1 or 0 */
};

/* Dates and times of day are texts. */
struct swi_yaml_scalar swi_yaml_scalar(const char *text);

#endif
