/* SPDX-License-Identifier: MIT */
/* merging.h - merges the run logs of all ranks. */
#ifndef TOOLS_MERGE_MERGING_H
#define TOOLS_MERGE_MERGING_H

#include "tools/merge/merged.h"

struct merge_options {
    const char *const *wait; /* names of actions that wait for others; none: those in the logs */
    bool force;              /* accept logs of other jobs */
    bool steps;              /* read steps, however many there are */
    bool by_node;
    bool by_shape; /* rows by the shape of an action's input */
};

/* Returns 0, SW_ENOMEM, or SW_EFORMAT if there is nothing to merge. Call merged_fini() in any case.
 */
int merge_logs(struct merged *merged, char *const *path, size_t count,
               const struct merge_options *options, struct sw_error *err);
void merged_fini(struct merged *merged);

#endif
