/* SPDX-License-Identifier: MIT */
/* path_table.h - actions by the regions around them, and what their calls took. */
#ifndef SINKS_COMMON_FORMS_PATH_TABLE_H
#define SINKS_COMMON_FORMS_PATH_TABLE_H

#include "core/text/map.h"

struct swi_path_sums {
    int64_t calls, total_ns, self_ns;
    int64_t net, self_net, flops; /* bytes, and FLOPs without the regions inside */
};

/* An action within the same regions. */
struct swi_call_path {
    size_t parent; /* place of the region around it; 0: none */
    int action_id;
    const char *action;
    int64_t first_ns;            /* when it first began */
    struct swi_path_sums report; /* of the report that comes next */
    struct swi_path_sums before; /* of the same fit, in a report that was made */
};

/* Initialise it as {0}. */
struct swi_path_table {
    struct swi_map places;
    struct swi_call_path *path; /* a region comes after the one around it; 0 is the root */
    size_t count;
    char **name; /* of the actions, by id */
    size_t names;
    bool failed; /* out of memory */
};

/* Returns the place of an action within a path, and adds it if it is new: then it began now. 0 if
 * out of memory. The table copies the name. */
size_t swi_path_find(struct swi_path_table *table, size_t parent, int action_id, const char *action,
                     int64_t now);

void swi_path_table_fini(struct swi_path_table *table);

#endif
