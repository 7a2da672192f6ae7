/* SPDX-License-Identifier: MIT */
/* profiles.h - the profiles that a program made under `stepwatch run --functions`. */
#ifndef TOOLS_FUNCTIONS_PROFILES_H
#define TOOLS_FUNCTIONS_PROFILES_H

#include <stddef.h>

/* Says where a profile is, and makes files .prof of the first one, for snakeviz and pstats. */
void profiles_made(const char *path);

/* How many there were. */
size_t profiles_count(void);

#endif
