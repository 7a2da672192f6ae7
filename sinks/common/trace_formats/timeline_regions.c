/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline.h"

#include "core/text/vec.h"
#include "sinks/common/trace_formats/tracks.h"

/* ---- phases ---------------------------------------------------------------------------------- */

/* Returns the phase around the next region: train, valid, or fit outside of both. */
static enum sw_phase phase_around(const struct swi_track *track)
{
    return track->depth ? track->frame[track->depth - 1].inner : SW_PHASE_FIT;
}

static enum sw_phase phase_within(enum swi_kind kind, enum sw_phase around)
{
    return kind == SWI_KIND_TRAIN   ? SW_PHASE_TRAIN
           : kind == SWI_KIND_VALID ? SW_PHASE_VALID
                                    : around;
}

static enum sw_phase phase_of(const struct swi_track *track, enum swi_kind kind,
                              enum sw_phase around)
{
    if (!track->is_loop)
        return SW_PHASE_THREADS;
    if (kind >= SWI_KIND_FIT && kind <= SWI_KIND_VALID)
        return SW_PHASE_FIT;
    if (around != SW_PHASE_FIT)
        return around;
    return kind == SWI_KIND_DRAW || kind == SWI_KIND_BATCH ? SW_PHASE_TRAIN : SW_PHASE_FIT;
}

static bool is_of_steps(enum swi_kind kind)
{
    return kind != SWI_KIND_OTHER && kind <= SWI_KIND_BATCH;
}

/* ---- regions --------------------------------------------------------------------------------- */

static SWI_RARE bool frames_grow(struct swi_timeline *t, struct swi_track *track)
{
    bool fits = swi_vec_grow(&track->frame, track->room, &track->room, sizeof *track->frame);
    t->failed |= !fits;
    return fits;
}

/* Reserves what the end of a region needs. Returns false if the region is left out. */
static inline bool region_reserve(struct swi_timeline *t, struct swi_track *track,
                                  struct swi_interval *interval)
{
    interval->skipped = !track->is_inside || swi_is_full(t, interval->name);
    if (interval->skipped) {
        t->dropped += track->is_inside;
        return false;
    }
    t->events++;
    interval->end_bytes = swi_end_bytes(t, interval->name) + (int64_t)interval->uses_size;
    t->reserved += interval->end_bytes;
    return true;
}

static inline void region_show(struct swi_timeline *t, struct swi_track *track,
                               struct swi_interval *interval)
{
    if (t->format->begin)
        t->format->begin(t, track, interval);
}

static void region_take(struct swi_timeline *t, struct swi_track *track,
                        struct swi_interval *interval)
{
    if (!region_reserve(t, track, interval))
        return;
    swi_track_start(t, track);
    region_show(t, track, interval);
}

/* Fills a region on top of the stack. */
static inline struct swi_interval *region_fill(struct swi_track *track, uint32_t name,
                                               enum swi_kind kind, int64_t time_ns)
{
    struct swi_interval *interval = &track->frame[track->depth];
    enum sw_phase around = phase_around(track);
    *interval = swi_interval_fresh;
    interval->begin_ns = time_ns;
    interval->name = name;
    interval->kind = kind;
    interval->phase = phase_of(track, kind, around);
    interval->inner = phase_within(kind, around);
    if (track->is_loop)
        interval->group = track->of->group;
    return interval;
}

static SWI_RARE void odd_region_begin(struct swi_timeline *t, struct swi_track *track,
                                      uint32_t name, enum swi_kind kind, int64_t time_ns)
{
    if (track->depth == track->room && !frames_grow(t, track))
        return;
    if (!track->is_loop && is_of_steps(kind))
        swi_timeline_loop_find(t, track);
    struct swi_interval *interval = region_fill(track, name, kind, time_ns);
    if (track->is_loop && is_of_steps(kind))
        swi_timeline_step_follow(t, track, interval);
    if (track->uses)
        swi_region_uses_begin(t, track, interval);
    track->depth++;
    region_take(t, track, interval);
}

static void region_begin(struct swi_timeline *t, struct swi_track *track, uint32_t name,
                         int64_t time_ns)
{
    enum swi_kind kind = t->names.item[name].kind;
    bool odd = track->depth == track->room || is_of_steps(kind) || track->uses || !track->started;
    if (odd) {
        odd_region_begin(t, track, name, kind, time_ns);
        return;
    }
    struct swi_interval *interval = region_fill(track, name, kind, time_ns);
    track->depth++;
    if (region_reserve(t, track, interval))
        region_show(t, track, interval);
}

static void region_write(struct swi_timeline *t, struct swi_track *track,
                         struct swi_interval *interval)
{
    t->reserved -= interval->end_bytes;
    if (interval == track->frame)
        swi_region_coverage_add(&track->coverage, interval->begin_ns, interval->end_ns);
    t->format->end(t, track, interval);
}

static SWI_RARE void odd_region_end(struct swi_timeline *t, struct swi_track *track,
                                    struct swi_interval *interval)
{
    if (track->is_loop && interval->kind == SWI_KIND_BATCH && !swi_track_is_in_batch(track))
        swi_timeline_step_end(t, track, interval);
    if (!interval->cancelled && track->uses)
        swi_region_uses_end(track, interval);
    if (!interval->skipped)
        region_write(t, track, interval);
}

/* Writes the top of the stack and removes it. */
static void region_end(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                       bool cancelled)
{
    struct swi_interval *interval = &track->frame[--track->depth];
    interval->end_ns = time_ns;
    interval->cancelled = cancelled;
    bool odd =
        track->depth == 0 || interval->kind == SWI_KIND_BATCH || track->uses || interval->skipped;
    if (odd) {
        odd_region_end(t, track, interval);
        return;
    }
    t->reserved -= interval->end_bytes;
    t->format->end(t, track, interval);
}

/* Returns the depth of the innermost open region with this name, from 1, or 0. */
static size_t depth_of(const struct swi_track *track, uint32_t name)
{
    size_t depth = track->depth;
    while (depth > 0 && track->frame[depth - 1].name != name)
        depth--;
    return depth;
}

/* Leaves out an end without a begin: the region began before the recording did. Regions left open
 * inside it end with it. */
static SWI_RARE void others_close(struct swi_timeline *t, struct swi_track *track, size_t depth,
                                  int64_t time_ns)
{
    while (depth && track->depth > depth)
        region_end(t, track, time_ns, true);
}

static void region_close(struct swi_timeline *t, struct swi_track *track, uint32_t name,
                         int64_t time_ns, int64_t samples, bool cancelled)
{
    size_t depth = depth_of(track, name);
    if (depth != track->depth)
        others_close(t, track, depth, time_ns);
    if (!depth)
        return;
    track->frame[depth - 1].samples = samples;
    region_end(t, track, time_ns, cancelled);
}

/* Begins the recorded range of a thread. Regions that are open now were open before. */
static void inside_begin(struct swi_timeline *t, struct swi_track *track, int64_t from_ns)
{
    track->is_inside = true;
    for (size_t i = 0; i < track->depth; i++) {
        track->frame[i].begin_ns = from_ns;
        track->frame[i].cut = true;
        region_take(t, track, &track->frame[i]);
    }
}

static void inside_end(struct swi_timeline *t, struct swi_track *track, int64_t upto_ns)
{
    for (size_t i = track->depth; i-- > 0;) {
        struct swi_interval *interval = &track->frame[i];
        if (interval->skipped)
            continue;
        interval->cut = true;
        interval->end_ns = upto_ns;
        region_write(t, track, interval);
        interval->skipped = true;
    }
    track->is_inside = false;
}

/* An event at the border of the recorded range belongs to it if it ends a region, but not if it
 * begins one. */
static SWI_RARE void range_follow(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                                  bool begins)
{
    const struct swi_timeline_process *process = t->process[track->process];
    int64_t from_ns = process->from_ns + process->offset_ns;
    int64_t upto_ns = process->upto_ns + process->offset_ns;
    bool started = begins ? time_ns >= from_ns : time_ns > from_ns;
    bool over = begins ? time_ns >= upto_ns : time_ns > upto_ns;
    if (!track->is_inside && started && !over)
        inside_begin(t, track, from_ns);
    else if (!track->is_inside && over && track->last_ns < upto_ns && started) {
        inside_begin(t, track, from_ns);
        inside_end(t, track, upto_ns);
    } else if (track->is_inside && over)
        inside_end(t, track, upto_ns);
}

static inline int64_t time_of(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                              bool begins)
{
    time_ns += track->of->offset_ns;
    if (time_ns < track->last_ns)
        time_ns = track->last_ns;
    if (track->of->upto_ns)
        range_follow(t, track, time_ns, begins);
    track->last_ns = time_ns;
    if (time_ns > t->end_ns && track->is_inside)
        t->end_ns = time_ns;
    return time_ns;
}

static inline void event_add(struct swi_timeline *t, struct swi_track *track,
                             enum sw_region_event event, uint32_t name, int64_t time_ns,
                             int64_t samples)
{
    time_ns = time_of(t, track, time_ns, event == SW_REGION_BEGIN);
    if (event == SW_REGION_BEGIN)
        region_begin(t, track, name, time_ns);
    else
        region_close(t, track, name, time_ns, samples, event != SW_REGION_END);
}

static SWI_RARE void odd_event_add(struct swi_timeline *t, int process, int thread,
                                   enum sw_region_event event, uint32_t name, int64_t time_ns,
                                   int64_t samples)
{
    struct swi_track *track = swi_track_get(t, process, thread);
    if (!track || t->failed)
        return;
    swi_drain_if_much(t);
    event_add(t, track, event, name, time_ns, samples);
}

void swi_timeline_region(struct swi_timeline *t, int process, int thread,
                         enum sw_region_event event, uint32_t name, int64_t time_ns,
                         int64_t samples)
{
    struct swi_track *track = swi_track_known(t, process, thread);
    bool odd = !track || t->failed || t->out.size >= SWI_DRAIN || track->of->upto_ns;
    if (odd)
        odd_event_add(t, process, thread, event, name, time_ns, samples);
    else
        event_add(t, track, event, name, time_ns, samples);
}

uint32_t swi_timeline_action(struct swi_timeline *t, int action_id, const char *action)
{
    if (action_id >= 0 && (size_t)action_id < t->actions && t->by_action[action_id])
        return (uint32_t)t->by_action[action_id] - 1;
    uint32_t number = swi_name_number(t, action, strlen(action));
    if (action_id >= 0 && action_id <= 1 << 20 &&
        swi_vec_reach(&t->by_action, (size_t)action_id, &t->actions, sizeof *t->by_action))
        t->by_action[action_id] = (int32_t)number + 1;
    return number;
}

/* A pause is a separate region. Regions around it stay open. */
void swi_timeline_pause(struct swi_timeline *t, int process, int thread, bool paused,
                        int64_t time_ns)
{
    struct swi_track *track = swi_track_get(t, process, thread);
    if (!track || t->failed)
        return;
    uint32_t name = swi_name_number(t, "paused", 6);
    time_ns = time_of(t, track, time_ns, paused);
    if (paused) {
        region_begin(t, track, name, time_ns);
        return;
    }
    size_t depth = depth_of(track, name);
    int64_t took = depth ? time_ns - track->frame[depth - 1].begin_ns : 0;
    region_close(t, track, name, time_ns, -1, false);
    for (size_t i = 0; i < track->depth; i++)
        track->frame[i].paused_ns += took;
}

void swi_timeline_cut(struct swi_timeline *t, int process, int64_t time_ns)
{
    for (size_t i = 0; i < t->track_count; i++) {
        struct swi_track *track = t->track[i];
        if (track->process != (size_t)process || track->depth == 0)
            continue;
        int64_t end_ns = time_of(t, track, time_ns, false);
        while (track->depth > 0) {
            track->frame[track->depth - 1].cut = true;
            region_end(t, track, end_ns, false);
        }
    }
}

void swi_timeline_close(struct swi_timeline *t)
{
    for (size_t i = 0; i < t->track_count; i++) {
        struct swi_track *track = t->track[i];
        const struct swi_timeline_process *process = t->process[track->process];
        int64_t upto_ns = process->upto_ns + process->offset_ns;
        int64_t end_ns = process->upto_ns ? upto_ns : t->end_ns;
        if (process->upto_ns && !track->is_inside && track->last_ns < upto_ns)
            inside_begin(t, track, process->from_ns + process->offset_ns);
        while (track->depth > 0) {
            track->frame[track->depth - 1].cut = true;
            region_end(t, track, end_ns > track->last_ns ? end_ns : track->last_ns, false);
        }
    }
}
