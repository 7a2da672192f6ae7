/* SPDX-License-Identifier: MIT */
/* profiles.h - handles the profiles that a program made under `stepwatch run --functions`. */
#ifndef TOOLS_FUNCTIONS_PROFILES_H
#define TOOLS_FUNCTIONS_PROFILES_H

#include <stddef.h>

/* Prints where a profile is, and converts the first one to .prof files for snakeviz and pstats. */
void profiles_made(const char *path);

/* Returns how many there were. */
size_t profiles_count(void);

#endif
