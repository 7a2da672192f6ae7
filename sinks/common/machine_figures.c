/* SPDX-License-Identifier: MIT */
#include "sinks/common/machine_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double swi_figure_number(const char *path, const char *field)
{
    char line[512];
    double value = -1;
    FILE *file = fopen(path, "re");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            value = strtod(line + strlen(field), NULL);
    if (file)
        fclose(file);
    return value;
}
