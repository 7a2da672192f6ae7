/* SPDX-License-Identifier: MIT */
/* store.h - the file that the profile is counted in (format.h). Everything here may be called in a
 * signal handler: it makes system calls and takes no lock. */
#ifndef PROBES_FUNCTIONS_STORE_H
#define PROBES_FUNCTIONS_STORE_H

#include "probes/functions/format.h"

#include <stdbool.h>
#include <stddef.h>

/* NULL before fn_store_open(). */
extern __attribute__((visibility("hidden"))) struct fn_header *fn_file;

/* Makes FOLDER/PROGRAM.PID.functions. Where that is not possible it counts in memory that nobody
 * will read, and fn_store_problem() says why; false if memory cannot be had either. */
bool fn_store_open(const char *folder, const char *program);

/* The path of the file; and the errno of what went wrong first, or 0. */
const char *fn_store_path(void);
int fn_store_problem(void);

/* Maps memory that is in no file: at an address, or NULL. Returns NULL where it cannot be had. */
void *fn_store_memory(void *at, size_t size);

/* Maps the part of a thread, or memory in its place. NULL if out of memory. */
struct fn_thread *fn_store_thread(uint32_t number);

/* Has pages of the file really there, before they are written to: where the disk is full, a write
 * would end the program. Then memory takes their place. */
void fn_store_need(void *from, size_t size);

/* Parts of the header. */
static inline struct fn_mapping *fn_store_places(void)
{
    return (struct fn_mapping *)((char *)fn_file + fn_mappings_at());
}
static inline char *fn_store_names(void)
{
    return (char *)fn_file + fn_names_at();
}
static inline char *fn_store_action(int action)
{
    return (char *)fn_file + fn_actions_at() + (size_t)action * FN_ACTION_NAME;
}

/* Names are asked for with this function from now on. */
void fn_action_names_from(const char *(*action_name)(int action));

/* Has the name of an action in the file. Once for each action and thread; also in a signal handler.
 */
void fn_action_name_keep(int action);

#endif
