/* SPDX-License-Identifier: MIT */
/* trust.h - checks whether a file may be run as code of this program. */
#ifndef CORE_PLUGINS_TRUST_H
#define CORE_PLUGINS_TRUST_H

#include <stepwatch/error.h>

#include <stdbool.h>

/* The results of the check. */
struct swi_trusted {
    int reason;      /* errno if the folder could not be entered, else 0 */
    bool fixed;      /* only root and the user can replace it */
    char warn[1024]; /* "its folder is writable by its group: …", or "" */
};

/* Opens NAME in a folder without following a link, and checks the file, the folder and every folder
 * above. The file must be a regular ELF file. All must be owned by root or the user and not be
 * writable by everybody, except for folders above that are sticky, like /tmp. If the group may
 * write, it is a warning, but an error in a setuid program. Links on the way to the folder are
 * followed by the rules of walk.h. folder: absolute. Returns the descriptor, SW_EIO if the file or
 * folder does not exist, or SW_ESINK with a clause in err ("it is a directory, …") if it is
 * refused. */
int swi_trust_open(const char *folder, const char *name, struct swi_trusted *found,
                   struct sw_error *err);

#endif
