/* SPDX-License-Identifier: MIT */
/* trust.h - checks whether a file may be run as code of this program. */
#ifndef CORE_PLUGINS_TRUST_H
#define CORE_PLUGINS_TRUST_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The results of the check. */
struct swi_trusted {
    int reason;      /* errno if the folder could not be entered, else 0 */
    bool fixed;      /* only root and the user can replace it */
    uid_t also;      /* the owner of this library, who is trusted like root; 0: root */
    char warn[1024]; /* "its folder is writable by its group: …", or "" */
};

/* A folder that was entered, for any number of files in it. */
struct swi_trusted_folder;

/* Enters a folder by the rules of walk.h. name: absolute; borrowed. Returns NULL if out of memory;
 * a folder that cannot be entered is reported by swi_trust_open(). */
struct swi_trusted_folder *swi_trust_enter(const char *name);
const char *swi_trust_name(const struct swi_trusted_folder *folder);
/* folder may be NULL. */
void swi_trust_leave(struct swi_trusted_folder *folder);

/* Opens NAME in a folder, and checks the file, the folder and every folder above. The file must be
 * a regular ELF file. All must be owned by root, the user or the owner of this library, and not be
 * writable by everybody, except for what is mounted read-only and for folders above that are
 * sticky, like /tmp. If NAME is a link that walk.h follows, the target and its folders are checked.
 * If the group may write, it is a warning, but an error in a setuid program. Returns the
 * descriptor, SW_EIO if the file or folder does not exist, or SW_ESINK with a clause in err ("it is
 * a directory, …") if it is refused. */
int swi_trust_open(const struct swi_trusted_folder *folder, const char *name,
                   struct swi_trusted *found, struct sw_error *err);

/* ---- the file that this library was loaded from ---------------------------------------------- */

/* Its owner could put any code into the program
 * anyway, so what he has installed is trusted like the library, and plugins may lie beside it if
 * the installation was moved. */

/* Returns whether the program runs with rights that its user does not have. */
bool swi_is_privileged(void);

/* Gets the absolute path of the file, that of the program if it is part of the program. Returns
 * false if it is not known, or in a privileged program, whose user chooses names. */
bool swi_own_library(char path[PATH_MAX]);

#endif
