/* SPDX-License-Identifier: MIT */
/* trust.h - whether a file may be run as code of this program. */
#ifndef CORE_PLUGINS_TRUST_H
#define CORE_PLUGINS_TRUST_H

#include <stepwatch/error.h>

#include <stdbool.h>

/* What was found out about a file. */
struct swi_trusted {
    int reason;      /* why the folder could not be entered (errno), 0: not that */
    bool fixed;      /* nobody but root and the user can exchange it */
    char warn[1024]; /* "its folder is writable by its group: …", or "" */
};

/* Opens NAME of a folder, without following a link, and checks the file, the folder and every
 * folder above: a regular ELF file; all owned by root or the user and not writable by the world,
 * but for folders above that are sticky, like /tmp. Writable by the group is a warning, for a
 * setuid program a refusal. Links on the way to the folder are followed by the rules of walk.h.
 * folder: absolute. Returns the descriptor, SW_EIO if the file or folder does not exist, or
 * SW_ESINK with a clause in err ("it is a directory, …") if it is refused. */
int swi_trust_open(const char *folder, const char *name, struct swi_trusted *found,
                   struct sw_error *err);

#endif
