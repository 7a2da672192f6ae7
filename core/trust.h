/* SPDX-License-Identifier: MIT */
/* trust.h - whether a file may be run as code of this program. */
#ifndef CORE_TRUST_H
#define CORE_TRUST_H

#include <stepwatch/error.h>

/* Opens NAME of an open folder, without following a link, and checks both: a regular ELF file; file
 * and folder owned by root or the user and not writable by the world. Writable by the group is a
 * warning in warn (empty before; NULL: not wanted), for a setuid program a refusal. Returns the
 * descriptor; SW_EIO where there is no such file, and SW_ESINK with a clause in err ("it is a
 * directory, …") where there is one that is refused. */
int swi_trust_open(int folder, const char *name, char *warn, size_t warn_size,
                   struct sw_error *err);

#endif
