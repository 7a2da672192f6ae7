/* SPDX-License-Identifier: MIT */
/* call_paths.h - the calls of each action by the regions around them, which are its stack. */
#ifndef SINKS_COMMON_FORMS_CALL_PATHS_H
#define SINKS_COMMON_FORMS_CALL_PATHS_H

#include "core/text/map.h"

#include <stepwatch/sink.h>

/* ---- actions by the regions around them, and what their calls took --------------------------- */

struct swi_path_sums {
    int64_t calls, total_ns, self_ns;
    int64_t net, self_net, flops; /* bytes, and FLOPs without the regions inside */
};

void swi_path_sums_add(struct swi_path_sums *to, const struct swi_path_sums *from);

/* Returns what rows show as a shape. Without one it is empty. */
static inline const char *swi_shape_text(const char *shape)
{
    return shape && *shape ? shape : "[]";
}

/* An action within the same regions, with the same shape. */
struct swi_call_path {
    size_t parent; /* place of the region around it; 0: none */
    int action_id;
    const char *action;
    ptrdiff_t shape;             /* its number */
    int64_t first_ns;            /* when it first began */
    struct swi_path_sums report; /* of the report that comes next */
    struct swi_path_sums before; /* of the same fit, in a report that was made */
};

/* Initialise it as {0}. */
struct swi_path_table {
    struct swi_map places;
    struct swi_map shapes;
    struct swi_call_path *path; /* a region comes after the one around it; 0 is the root */
    size_t count;
    char **name; /* of the actions, by id */
    size_t names;
    bool failed; /* out of memory */
};

/* ---- the calls that the records of a run have ------------------------------------------------ */

struct swi_open_thread;
struct swi_ended_call;

/* Initialise it as {0}. */
struct swi_call_paths {
    struct swi_path_table table;
    struct swi_open_thread *thread;
    size_t threads;
    struct swi_ended_call *ended; /* what counts only if the open batch ends */
    size_t ended_count, ended_room;
    size_t batch_first; /* of `ended`; those before are draws */
    bool in_batch;
    int64_t batches[SW_PHASE_SPANS + 1]; /* ended in this fit, by phase */
    int64_t paused_ns;                   /* when the pause began */
    int64_t lost;                        /* begins and ends, of the report that comes next */
    bool windowed;                       /* regions are only those of windows */
};

/* The records that it needs. */
#define SWI_CALL_PATHS_WANTS                                                                       \
    (SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_PAUSE) | SW_WANT(SW_RECORD_WINDOW) |           \
     SW_WANT(SW_RECORD_LOST))

/* Takes a record of these. run: of the sink. Other records are ignored. */
void swi_call_paths_take(struct swi_call_paths *paths, const struct sw_run *run,
                         const struct sw_record *record);

/* Says what was lost, and begins the next report. Call it after each report. */
void swi_call_paths_reported(struct swi_call_paths *paths, struct sw_sink *sink,
                             const struct sw_report *report);

void swi_call_paths_fini(struct swi_call_paths *paths);

#endif
