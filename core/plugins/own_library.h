/* SPDX-License-Identifier: MIT */
/* own_library.h - the file that this library was loaded from. Its owner could put any code into the
 * program anyway, so what he has installed is trusted like the library, and plugins may lie beside
 * it if the installation was moved. */
#ifndef CORE_PLUGINS_OWN_LIBRARY_H
#define CORE_PLUGINS_OWN_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Returns whether the program runs with rights that its user does not have. */
bool swi_is_privileged(void);

/* Gets the absolute path of the file, that of the program if it is part of the program. Returns
 * false if it is not known, or in a privileged program, whose user chooses names. */
bool swi_own_library(char path[PATH_MAX]);

/* Returns the owner of the file, or 0 if it is not known. */
uid_t swi_own_library_owner(void);

#endif
