/* SPDX-License-Identifier: MIT */
/* tracks.h - the processes and threads of a timeline, their names, their times and steps. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TRACKS_H
#define SINKS_COMMON_TRACE_FORMATS_TRACKS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Adds a process. Returns its number, or -1 if out of memory. */
int swi_timeline_process(struct swi_timeline *t, const struct swi_timeline_process *process);

/* What a region is before it is filled. It is in a file of its own, so that it is copied: compilers
 * that see the value clear a struct of this size by a slow instruction. */
extern const struct swi_interval swi_interval_fresh;

/* Returns a thread of a process, and adds it if it is new. NULL if out of memory. */
struct swi_track *swi_track_find(struct swi_timeline *t, int process, int thread);

/* Returns it if it was used since the last thread of another process, or NULL. */
static inline struct swi_track *swi_track_known(const struct swi_timeline *t, int process,
                                                int thread)
{
    size_t at = (size_t)thread; /* a negative number is too large */
    bool listed = (size_t)process == t->by_thread_process && at < t->by_thread_count;
    return listed ? t->by_thread[at] : NULL;
}

/* Returns a thread of a process, quickly if it is known. */
static inline struct swi_track *swi_track_get(struct swi_timeline *t, int process, int thread)
{
    struct swi_track *track = swi_track_known(t, process, thread);
    return track ? track : swi_track_find(t, process, thread);
}

/* Writes the name that viewers show: "loop" or "thread 2". Returns name. */
enum { SWI_TRACK_NAME = 32 };
const char *swi_track_name(const struct swi_track *track, char name[SWI_TRACK_NAME]);

/* Makes `prefix`: the part of each JSON event of a thread from its process to its time. */
void swi_track_json_prefix(struct swi_timeline *t, struct swi_track *track);

/* Describes a thread in the file. */
void swi_track_describe(struct swi_timeline *t, struct swi_track *track);

/* Does so before its first event. */
static inline void swi_track_start(struct swi_timeline *t, struct swi_track *track)
{
    if (!track->started)
        swi_track_describe(t, track);
}

/* Forgets what the file has of a thread, because another file begins. */
void swi_track_reset(struct swi_track *track);

void swi_tracks_free(struct swi_timeline *t);

/* Returns a time of a process as a time of the file, which lasts until then at least. */
int64_t swi_time_in_file(struct swi_timeline *t, int process, int64_t time_ns);

/* Returns whether a time of a process is in the recorded range. */
bool swi_is_recorded(const struct swi_timeline *t, int process, int64_t time_ns);

/* ---- the thread of the loop, and its steps --------------------------------------------------- */

/* Sets the thread of the loop, before its first event. Otherwise it is the thread that first begins
 * fit, epoch, train, valid, draw or batch. */
void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread);

/* Sets where the loop is when a window begins, before the first region of the window. */
void swi_timeline_place_set(struct swi_timeline *t, int process,
                            const struct swi_timeline_place *place);

/* Makes a thread that of the loop, unless its process has one. */
SWI_RARE void swi_timeline_loop_find(struct swi_timeline *t, struct swi_track *track);

/* Whether a batch is open on a thread. */
bool swi_track_is_in_batch(const struct swi_track *track);

/* Follows the begins of the loop's regions: a draw begins a step, or a batch without a draw before
 * it. Sets the group and the epoch of the region. */
SWI_RARE void swi_timeline_step_follow(struct swi_timeline *t, struct swi_track *track,
                                       struct swi_interval *interval);

/* Ends the step of a batch that has ended, and sets its number. */
SWI_RARE void swi_timeline_step_end(struct swi_timeline *t, struct swi_track *track,
                                    struct swi_interval *interval);

/* ---- what regions used of counters, and the shapes of their inputs --------------------------- */

/* Adds the increase of a thread's counter, or a peak. Returns the sum of its increases. */
int64_t swi_region_use_add(struct swi_timeline *t, struct swi_track *track, const char *counter,
                           enum sw_counter_kind kind, int64_t value);

/* Call these for a thread with counters before a region is put on top of the stack, and after it
 * was taken off. */
void swi_region_uses_begin(struct swi_timeline *t, const struct swi_track *track,
                           struct swi_interval *interval);
void swi_region_uses_end(const struct swi_track *track, struct swi_interval *interval);

/* Returns the bytes that the names and values of what a region used take as JSON. */
size_t swi_region_uses_size(const struct swi_timeline *t, const struct swi_interval *interval);

/* Writes them, each followed by a comma. */
char *swi_region_uses_put(const struct swi_timeline *t, char *at,
                          const struct swi_interval *interval);

/* Gives the region that began last on a thread the shape of its input. */
void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape);

/* Returns the shape of a region as JSON: a list of lists of numbers, or a string; NULL if it has
 * none. */
const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size);

#endif
