/* SPDX-License-Identifier: MIT */
/* profile.h - reads a function profile of libstepwatch-functions: the contexts of each thread. */
#ifndef SINKS_COMMON_FUNCTIONS_PROFILE_H
#define SINKS_COMMON_FUNCTIONS_PROFILE_H

#include "probes/functions/format.h"
#include "sinks/common/functions/function_names.h"

#include <stepwatch/error.h>

enum { PROFILE_NO_ACTION = -1, PROFILE_WHOLE = -2 };

/* One node of a thread's tree. */
struct node {
    size_t parent; /* number of the node, or SIZE_MAX */
    size_t name;   /* SIZE_MAX for a root */
    size_t caller; /* for FN_BEYOND: name, or SIZE_MAX */
    size_t caller_region;
    int32_t region;
    uint32_t flags;
    uint32_t thread;
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

/* Finds the names: function, file and line. Returns false if out of memory. */
bool profile_name(struct profile *profile, void (*told)(const char *object));

/* Returns why a profile without calls has none, as a sentence without a full stop. */
const char *profile_empty_text(const struct profile *profile);

/* Returns an action by its name, or NULL. */
const struct action *profile_action(const struct profile *profile, const char *name);

#endif
