/* SPDX-License-Identifier: MIT */
/* call_tree.h - regions by their path: regions with the same name and the same path are one node.
 */
#ifndef SINKS_COMMON_TRACE_FORMATS_CALL_TREE_H
#define SINKS_COMMON_TRACE_FORMATS_CALL_TREE_H

#include "sinks/common/trace_formats/timeline.h"

struct swi_call {
    struct swi_call *parent, *child,
        *next; /* the first child, and the next one of the same parent */
    uint32_t name;
    int64_t calls;     /* without cancelled ones */
    int64_t total_ns;  /* of these calls, without pauses */
    int64_t inside_ns; /* of the regions inside, including cancelled ones */
    int64_t all_ns;    /* including cancelled ones */
};

/* A format that writes nothing. track->node is the root of each thread's tree. Its children are in
 * the order in which they first began. */
extern const struct swi_timeline_format swi_timeline_call_tree;

/* Folded stacks for flame graphs: a line for each path of regions, with its self time in
 * microseconds. */
extern const struct swi_timeline_format swi_timeline_folded;

#endif
