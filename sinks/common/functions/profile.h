/* SPDX-License-Identifier: MIT */
/* profile.h - reads a function profile of libstepwatch-functions: the contexts of each thread. */
#ifndef SINKS_COMMON_FUNCTIONS_PROFILE_H
#define SINKS_COMMON_FUNCTIONS_PROFILE_H

#include "core/text/map.h"
#include "probes/functions/format.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the names of functions ------------------------------------------------------------------ */

/* From debug information or the symbol table of an object file. No server is ever asked. */

struct found_name {
    char *function; /* demangled; <symbol> or <0x1234+libfoo.so> without debug information */
    char *file;     /* "~" if unknown */
    int64_t line;
};

/* A place, and the names that were found for it. */
struct function_name {
    const char *object;       /* path; "" if unknown */
    uint64_t offset;          /* in that file; the address if the object is unknown */
    bool inside;              /* any address in the function, not its entry */
    bool replaced;            /* the path has another content now than that which was mapped */
    struct found_name *found; /* that of the function last; for `inside`, before it those in which
                                 it was inlined, the outermost first */
    size_t count;
};

/* A program may load files with different contents from one path, one after the other. Returns
 * whether the file that is at the path now is not the one that was mapped. Only it has names. */
bool function_file_replaced(const struct fn_mapping *all, uint32_t count, uint32_t number,
                            const char *path);

/* Finds the names. without_lines(object) is called once for each object whose functions
 * have no file and line. Returns false if out of memory. */
bool function_names_find(struct function_name *names, size_t count,
                         void (*without_lines)(const char *object));
void function_names_free(struct function_name *names, size_t count);

/* ---- the contexts of each thread ------------------------------------------------------------- */

enum { PROFILE_NO_ACTION = -1, PROFILE_WHOLE = -2 };

/* One node of a thread's tree. */
struct node {
    size_t parent; /* number of the node, or SIZE_MAX */
    size_t name;   /* SIZE_MAX for a root */
    size_t caller; /* for FN_BEYOND: name, or SIZE_MAX */
    size_t caller_region;
    int32_t region;
    uint32_t flags;
    int64_t calls;
    int64_t primitive; /* for a root: begins while the action was not open */
    double self;       /* ns, without the time of the hooks */
    double below, total;
};

struct action {
    int32_t number;
    char *name;
    int64_t begins, primitive;
};

struct profile {
    struct node *node;
    size_t count;
    struct function_name *names;
    size_t name_count;
    struct action *action; /* actions with any data */
    size_t action_count;

    char *program;
    uint32_t pid, rate, threads, short_of;
    uint32_t kernel_rate, taken, unsampled, unseen; /* for samples: format.h */
    enum fn_times times;
    bool complete;
    bool wall; /* samples are of wall time */
    int64_t started_ns;
    int64_t calls;
    double hooks_ns; /* subtracted */
    double total_ns; /* of all nodes */
    uint64_t unmatched, lost;
    bool full; /* a thread had more contexts than its tree has room for */
};

/* Returns whether data begins like such a file. */
bool profile_is(const void *data, size_t size);

/* Reads a profile and trusts nothing in it. Returns 0 or a negative code. Call profile_free() in
 * any case. */
int profile_read(const void *data, size_t size, struct profile *profile, struct sw_error *err);
void profile_free(struct profile *profile);

/* Returns why a profile without calls has none, as a sentence without a full stop. */
const char *profile_empty_text(const struct profile *profile);

/* Returns an action by its name, or NULL. */
const struct action *profile_action(const struct profile *profile, const char *name);

/* ---- files ----------------------------------------------------------------------------------- */

/* Replaces each run of "_" and of characters that folders or shells do not allow by one "_", as
 * Lightning does. Returns a text that the caller frees, or NULL if out of memory. */
char *file_name_like_lightning(const char *name);

/* Makes such a name for an action, shortens it, and adds _2 if another action has it. taken: the
 * names made before; {0} at first. Returns a text that the caller frees, or NULL if out of memory.
 */
char *function_file_name(struct swi_map *taken, const char *name);

struct profile_file {
    const void *data;
    size_t size;
};

/* Maps a file. Returns 0, or a negative code with a clause. */
int profile_file_open(struct profile_file *file, const char *path, struct sw_error *err);
void profile_file_close(struct profile_file *file);

/* Reads the profile in it, with all names. profile_free() in any case. */
int profile_file_read(const struct profile_file *file, struct profile *profile,
                      void (*without_lines)(const char *object), struct sw_error *err);

#endif
