/* SPDX-License-Identifier: MIT */
#include "sinks/common/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

enum {
    DRAIN = 1 << 14,    /* bytes that are buffered before they are written */
    END_BYTES = 224,    /* the most bytes for the end of an open region, without its name */
    CLOSING_BYTES = 512 /* the end of the file, and the note that it is full */
};

/* ---- processes and threads --------------------------------------------------------------------
 */

static bool grow(void **array, size_t count, size_t item)
{
    if (count & (count - 1) || (count == 0 && *array))
        return true;
    void *grown = realloc(*array, (count ? 2 * count : 1) * item);
    if (grown)
        *array = grown;
    return grown != NULL;
}

static const char *text_copy(const char *text)
{
    return strdup(text ? text : "");
}

static void process_free(struct swi_timeline_process *process)
{
    if (!process)
        return;
    free((char *)process->name);
    free((char *)process->host);
    free((char *)process->version);
    free(process);
}

static struct swi_timeline_process *process_new(const struct swi_timeline_process *from)
{
    struct swi_timeline_process *process = malloc(sizeof *process);
    if (!process)
        return NULL;
    *process = *from;
    process->name = text_copy(from->name);
    process->host = text_copy(from->host);
    process->version = text_copy(from->version);
    process->loop = -1;
    process->group = process->epoch = -1;
    if (process->name && process->host && process->version)
        return process;
    process_free(process);
    return NULL;
}

int swi_timeline_process(struct swi_timeline *t, const struct swi_timeline_process *from)
{
    struct swi_timeline_process *process = process_new(from);
    if (!process || !grow((void **)&t->process, t->process_count, sizeof *t->process)) {
        process_free(process);
        t->failed = true;
        return -1;
    }
    process->number = t->process_count;
    t->process[t->process_count++] = process;
    if (!t->origin_ns)
        t->origin_ns = t->process[0]->started_ns;
    process->offset_ns = process->started_ns - t->origin_ns;
    if (t->format->process)
        t->format->process(t, process);
    return (int)process->number;
}

static struct swi_track *track_new(struct swi_timeline *t, size_t process, int thread)
{
    struct swi_track *track = calloc(1, sizeof *track);
    if (!track || !grow((void **)&t->track, t->track_count, sizeof *t->track)) {
        free(track);
        t->failed = true;
        return NULL;
    }
    track->process = process;
    track->thread = thread;
    track->number = (int)t->track_count;
    track->is_loop = t->process[process]->loop == thread;
    track->tid = t->process[process]->pid + (track->is_loop ? 0 : 1 + thread);
    track->last_ns = INT64_MIN;
    track->is_inside = t->process[process]->upto_ns == 0;
    t->track[t->track_count++] = track;
    return track;
}

static struct swi_track *track_search(struct swi_timeline *t, size_t process, int thread)
{
    for (size_t i = 0; i < t->track_count; i++)
        if (t->track[i]->process == process && t->track[i]->thread == thread)
            return t->track[i];
    return track_new(t, process, thread);
}

static bool by_thread_room(struct swi_timeline *t, size_t process, int thread)
{
    size_t count = (size_t)thread + 8;
    if (process != t->by_thread_process) {
        if (t->by_thread)
            memset(t->by_thread, 0, t->by_thread_count * sizeof(struct swi_track *));
        t->by_thread_process = process;
    }
    if ((size_t)thread < t->by_thread_count)
        return true;
    struct swi_track **by = realloc(t->by_thread, count * sizeof(struct swi_track *));
    if (!by)
        return false;
    memset(by + t->by_thread_count, 0, (count - t->by_thread_count) * sizeof(struct swi_track *));
    t->by_thread = by;
    t->by_thread_count = count;
    return true;
}

/* Threads have small numbers, from 0. */
static struct swi_track *track_get(struct swi_timeline *t, int process, int thread)
{
    size_t at = thread < 0 ? 0 : (size_t)thread;
    if ((size_t)process == t->by_thread_process && at < t->by_thread_count && t->by_thread[at])
        return t->by_thread[at];
    struct swi_track *track = track_search(t, (size_t)process, thread);
    if (track && thread >= 0 && thread < 1 << 20 && by_thread_room(t, (size_t)process, thread))
        t->by_thread[at] = track;
    return track;
}

static void track_start(struct swi_timeline *t, struct swi_track *track)
{
    if (track->started)
        return;
    track->started = true;
    if (t->format->thread)
        t->format->thread(t, track);
}

static void track_reset(struct swi_track *track)
{
    track->started = false;
    track->prefix.size = 0;
    track->written_ns = 0;
    if (track->interned)
        memset(track->interned, 0, track->interned_room);
}

/* ---- limits -----------------------------------------------------------------------------------
 */

int64_t swi_timeline_size(const struct swi_timeline *t)
{
    return t->written + (int64_t)t->out.size + t->spooled + t->reserved + CLOSING_BYTES;
}

static int64_t shape_bytes(const struct swi_timeline *t, const struct swi_interval *interval)
{
    return interval->shape ? (int64_t)t->names.item[interval->shape - 1].json_size : 0;
}

static int64_t end_bytes(const struct swi_timeline *t, const struct swi_interval *interval)
{
    return END_BYTES + (int64_t)t->names.item[interval->name].json_size + shape_bytes(t, interval);
}

static bool is_full(struct swi_timeline *t, const struct swi_interval *interval)
{
    if (t->full)
        return true;
    bool many = t->max_events && t->events >= t->max_events;
    bool large = t->max_size && swi_timeline_size(t) + 2 * end_bytes(t, interval) > t->max_size;
    t->full = many || large;
    return t->full;
}

void swi_timeline_drain(struct swi_timeline *t)
{
    if (t->out.failed)
        t->failed = true;
    if (t->out.size && !t->failed && !t->write(t->arg, t->out.data, t->out.size))
        t->failed = true;
    t->written += (int64_t)t->out.size;
    t->out.size = 0;
}

static void drain_if_much(struct swi_timeline *t)
{
    if (t->out.size >= DRAIN)
        swi_timeline_drain(t);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static void loop_find(struct swi_timeline *t, struct swi_track *track, enum swi_kind kind)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (process->loop >= 0 || kind == SWI_KIND_OTHER || kind > SWI_KIND_BATCH)
        return;
    process->loop = track->thread;
    track->is_loop = true;
    /* It has another name now. */
    if (track->started) {
        track_reset(track);
        track_start(t, track);
    }
}

void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread)
{
    if (t->process[process]->loop < 0)
        t->process[process]->loop = thread;
}

static enum sw_phase phase_of(const struct swi_track *track, enum swi_kind kind)
{
    if (!track->is_loop)
        return SW_PHASE_THREADS;
    if (kind >= SWI_KIND_FIT && kind <= SWI_KIND_VALID)
        return SW_PHASE_FIT;
    for (size_t i = track->depth; i-- > 0;) {
        if (track->frame[i].kind == SWI_KIND_TRAIN)
            return SW_PHASE_TRAIN;
        if (track->frame[i].kind == SWI_KIND_VALID)
            return SW_PHASE_VALID;
    }
    return kind == SWI_KIND_DRAW || kind == SWI_KIND_BATCH ? SW_PHASE_TRAIN : SW_PHASE_FIT;
}

static bool is_in_batch(const struct swi_track *track)
{
    for (size_t i = track->depth; i-- > 0;)
        if (track->frame[i].kind == SWI_KIND_BATCH)
            return true;
    return false;
}

static void step_begin(struct swi_timeline *t, struct swi_timeline_process *process,
                       int64_t time_ns)
{
    process->group = t->groups++;
    process->step_begin_ns = time_ns;
}

/* Follows the steps: a draw begins a step, or a batch without a draw before it. */
static void step_follow(struct swi_timeline *t, struct swi_track *track,
                        struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (interval->kind == SWI_KIND_TRAIN || interval->kind == SWI_KIND_VALID)
        process->phase_steps = 0;
    if (interval->kind == SWI_KIND_EPOCH)
        interval->epoch = process->epoch = process->epochs++;
    if (interval->kind <= SWI_KIND_VALID && interval->kind != SWI_KIND_OTHER)
        process->group = -1;
    bool outside = !is_in_batch(track);
    if (interval->kind == SWI_KIND_DRAW && outside)
        step_begin(t, process, interval->begin_ns);
    if (interval->kind == SWI_KIND_BATCH && outside && process->group < 0)
        step_begin(t, process, interval->begin_ns);
    interval->group = process->group;
}

static void step_end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    bool train = interval->phase == SW_PHASE_TRAIN;
    struct swi_timeline_step step = {.begin_ns = process->step_begin_ns,
                                     .end_ns = interval->end_ns,
                                     .phase = interval->phase,
                                     .epoch = process->epoch < 0 ? 0 : process->epoch,
                                     .in_epoch = process->phase_steps,
                                     .group = process->group};
    process->group = -1;
    if (interval->cancelled)
        return;
    step.number = train ? process->training_steps++ : process->phase_steps;
    process->phase_steps++;
    interval->step = step.number;
    if (t->format->step && !interval->skipped)
        t->format->step(t, track, &step);
}

void swi_timeline_step_set(struct swi_timeline *t, int process, int64_t step)
{
    t->process[process]->training_steps = step;
}

void swi_timeline_epoch_set(struct swi_timeline *t, int process, int64_t epoch)
{
    t->process[process]->epochs = epoch < 0 ? 0 : epoch;
}

void swi_timeline_upto(struct swi_timeline *t, int process, int64_t time_ns)
{
    if (!t->process_count)
        return;
    time_ns += t->process[process]->offset_ns;
    if (time_ns > t->end_ns)
        t->end_ns = time_ns;
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static bool frame_room(struct swi_timeline *t, struct swi_track *track)
{
    if (track->depth < track->room)
        return true;
    size_t room = track->room ? 2 * track->room : 16;
    struct swi_interval *frame = realloc(track->frame, room * sizeof *frame);
    if (!frame) {
        t->failed = true;
        return false;
    }
    track->frame = frame;
    track->room = room;
    return true;
}

static void region_take(struct swi_timeline *t, struct swi_track *track,
                        struct swi_interval *interval)
{
    interval->skipped = !track->is_inside || is_full(t, interval);
    if (interval->skipped) {
        t->dropped += track->is_inside;
        return;
    }
    track_start(t, track);
    t->events++;
    t->reserved += end_bytes(t, interval);
    if (t->format->begin)
        t->format->begin(t, track, interval);
}

static void region_begin(struct swi_timeline *t, struct swi_track *track, uint32_t name,
                         int64_t time_ns)
{
    enum swi_kind kind = t->names.item[name].kind;
    if (!frame_room(t, track))
        return;
    loop_find(t, track, kind);
    struct swi_interval *interval = &track->frame[track->depth];
    *interval = (struct swi_interval){.begin_ns = time_ns,
                                      .name = name,
                                      .kind = kind,
                                      .phase = phase_of(track, kind),
                                      .samples = -1,
                                      .step = -1,
                                      .epoch = -1,
                                      .group = -1};
    if (track->is_loop)
        step_follow(t, track, interval);
    region_take(t, track, interval);
    track->depth++;
}

/* Writes the top of the stack and removes it. */
static void region_end(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                       bool cancelled)
{
    struct swi_interval *interval = &track->frame[--track->depth];
    interval->end_ns = time_ns;
    interval->cancelled = cancelled;
    if (track->is_loop && interval->kind == SWI_KIND_BATCH && !is_in_batch(track))
        step_end(t, track, interval);
    if (interval->skipped)
        return;
    t->reserved -= end_bytes(t, interval);
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
static void region_close(struct swi_timeline *t, struct swi_track *track, uint32_t name,
                         int64_t time_ns, int64_t samples, bool cancelled)
{
    size_t depth = depth_of(track, name);
    if (!depth)
        return;
    while (track->depth > depth)
        region_end(t, track, time_ns, true);
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
        t->reserved -= end_bytes(t, interval);
        t->format->end(t, track, interval);
        interval->skipped = true;
    }
    track->is_inside = false;
}

/* An event at the border of the recorded range belongs to it if it ends a region, but not if it
 * begins one. */
static void range_follow(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                         bool begins)
{
    const struct swi_timeline_process *process = t->process[track->process];
    int64_t from_ns = process->from_ns + process->offset_ns;
    int64_t upto_ns = process->upto_ns + process->offset_ns;
    bool started = begins ? time_ns >= from_ns : time_ns > from_ns;
    bool over = begins ? time_ns >= upto_ns : time_ns > upto_ns;
    if (!process->upto_ns)
        return;
    if (!track->is_inside && started && !over)
        inside_begin(t, track, from_ns);
    else if (!track->is_inside && over && track->last_ns < upto_ns && started) {
        inside_begin(t, track, from_ns);
        inside_end(t, track, upto_ns);
    } else if (track->is_inside && over)
        inside_end(t, track, upto_ns);
}

static int64_t time_of(struct swi_timeline *t, struct swi_track *track, int64_t time_ns,
                       bool begins)
{
    time_ns += t->process[track->process]->offset_ns;
    if (time_ns < track->last_ns)
        time_ns = track->last_ns;
    range_follow(t, track, time_ns, begins);
    track->last_ns = time_ns;
    if (time_ns > t->end_ns && track->is_inside)
        t->end_ns = time_ns;
    return time_ns;
}

void swi_timeline_region(struct swi_timeline *t, int process, int thread,
                         enum sw_region_event event, uint32_t name, int64_t time_ns,
                         int64_t samples)
{
    struct swi_track *track = track_get(t, process, thread);
    if (!track || t->failed)
        return;
    time_ns = time_of(t, track, time_ns, event == SW_REGION_BEGIN);
    if (event == SW_REGION_BEGIN)
        region_begin(t, track, name, time_ns);
    else
        region_close(t, track, name, time_ns, samples, event != SW_REGION_END);
    drain_if_much(t);
}

static uint32_t name_number(struct swi_timeline *t, const char *name, size_t size)
{
    int32_t number = swi_timeline_name(&t->names, name, size);
    if (number < 0)
        t->failed = true;
    return number < 0 ? 0 : (uint32_t)number;
}

void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape)
{
    struct swi_track *track = track_get(t, process, thread);
    if (!track || t->failed || !track->depth)
        return;
    struct swi_interval *interval = &track->frame[track->depth - 1];
    interval->shape = name_number(t, shape, strlen(shape)) + 1;
    t->reserved += interval->skipped ? 0 : shape_bytes(t, interval);
}

static const char *blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* Behind a list of numbers and lists; NULL if there is none. */
static const char *list_end(const char *at, int depth)
{
    if (*at != '[' || depth > 8)
        return NULL;
    at = blanks(at + 1);
    while (at && *at != ']') {
        size_t digits = strspn(at + (*at == '-'), "0123456789");
        at = *at == '[' ? list_end(at, depth + 1) : digits ? at + (*at == '-') + digits : NULL;
        at = at ? blanks(at) : NULL;
        if (at && *at == ',' && *blanks(at + 1) != ']')
            at = blanks(at + 1);
        else if (at && *at != ']')
            return NULL;
    }
    return at ? at + 1 : NULL;
}

const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size)
{
    if (!interval->shape)
        return NULL;
    const struct swi_timeline_name *name = &t->names.item[interval->shape - 1];
    const char *end = list_end(name->text, 0);
    bool list = end && *end == '\0';
    *size = list ? name->size : name->json_size;
    return list ? name->text : name->json;
}

uint32_t swi_timeline_action(struct swi_timeline *t, int action_id, const char *action)
{
    if (action_id >= 0 && action_id < t->actions && t->by_action[action_id])
        return (uint32_t)t->by_action[action_id] - 1;
    uint32_t number = name_number(t, action, strlen(action));
    if (action_id < 0 || action_id > 1 << 20)
        return number;
    if (action_id >= t->actions) {
        int actions = 2 * action_id + 32;
        int32_t *by = realloc(t->by_action, (size_t)actions * sizeof *by);
        if (!by)
            return number;
        memset(by + t->actions, 0, (size_t)(actions - t->actions) * sizeof *by);
        t->by_action = by;
        t->actions = actions;
    }
    t->by_action[action_id] = (int32_t)number + 1;
    return number;
}

/* A pause is a separate region. Regions around it stay open. */
void swi_timeline_pause(struct swi_timeline *t, int process, int thread, bool paused,
                        int64_t time_ns)
{
    struct swi_track *track = track_get(t, process, thread);
    if (!track || t->failed)
        return;
    uint32_t name = name_number(t, "paused", 6);
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

/* ---- what is not a region ---------------------------------------------------------------------
 */

static int64_t instant_of(struct swi_timeline *t, int process, int64_t time_ns)
{
    time_ns += t->process[process]->offset_ns;
    if (time_ns > t->end_ns)
        t->end_ns = time_ns;
    return time_ns < 0 ? 0 : time_ns;
}

static bool is_recorded(const struct swi_timeline *t, int process, int64_t time_ns)
{
    const struct swi_timeline_process *of = t->process[process];
    return !of->upto_ns || (time_ns >= of->from_ns && time_ns <= of->upto_ns);
}

static bool has_room(const struct swi_timeline *t, size_t size)
{
    return !t->failed && !t->full &&
           (!t->max_size || swi_timeline_size(t) + (int64_t)size < t->max_size);
}

/* Values come before the regions of their time, so they may take only a part of the file. */
static bool has_counter_room(const struct swi_timeline *t)
{
    return !t->max_size || t->valued < t->max_size / 4;
}

void swi_timeline_counter(struct swi_timeline *t, int process, int64_t time_ns, const char *name,
                          double value)
{
    size_t size = strlen(name);
    if (!t->format->counter || !isfinite(value) || !is_recorded(t, process, time_ns) ||
        !has_counter_room(t) || !has_room(t, 2 * size + END_BYTES))
        return;
    size_t before = t->out.size;
    t->format->counter(t, t->process[process], instant_of(t, process, time_ns),
                       name_number(t, name, size), value);
    t->valued += (int64_t)(t->out.size - before);
    drain_if_much(t);
}

void swi_timeline_instant(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                          const char *text, const char *key, const char *value)
{
    struct swi_track *track = thread < 0 ? NULL : track_get(t, process, thread);
    size_t size = 2 * strlen(text) + (value ? strlen(value) : 0);
    if (!t->format->instant || !is_recorded(t, process, time_ns) || !has_room(t, size + END_BYTES))
        return;
    if (track)
        track_start(t, track);
    t->format->instant(t, t->process[process], track, instant_of(t, process, time_ns), text, key,
                       value);
    drain_if_much(t);
}

void swi_timeline_span(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                       const char *name, int64_t id, bool begins)
{
    struct swi_track *track = track_get(t, process, thread);
    size_t size = strlen(name);
    if (!track || !t->format->span || !is_recorded(t, process, time_ns) ||
        !has_room(t, begins ? 2 * size + END_BYTES : 0))
        return;
    track_start(t, track);
    t->format->span(t, track, instant_of(t, process, time_ns), name_number(t, name, size), id,
                    begins);
    drain_if_much(t);
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

void swi_timeline_start(struct swi_timeline *t)
{
    t->by_thread_process = SIZE_MAX;
    if (t->format->start)
        t->format->start(t);
}

static void close_open(struct swi_timeline *t)
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

static void say_full(struct swi_timeline *t)
{
    char count[32];
    if (!t->dropped || !t->format->instant || !t->process_count)
        return;
    snprintf(count, sizeof count, "%" PRId64, t->dropped);
    t->format->instant(t, t->process[0], NULL, t->end_ns < 0 ? 0 : t->end_ns,
                       "stepwatch: limit reached", "dropped", count);
}

void swi_timeline_finish(struct swi_timeline *t)
{
    close_open(t);
    say_full(t);
    if (t->format->finish)
        t->format->finish(t);
    swi_timeline_drain(t);
}

static void open_again(struct swi_timeline *t, struct swi_track *track)
{
    track_start(t, track);
    for (size_t i = 0; i < track->depth; i++) {
        struct swi_interval *interval = &track->frame[i];
        interval->opened = false;
        if (!interval->skipped && t->format->begin)
            t->format->begin(t, track, interval);
    }
}

void swi_timeline_next_file(struct swi_timeline *t, bool (*between)(void *arg))
{
    if (t->format->finish)
        t->format->finish(t);
    swi_timeline_drain(t);
    if (t->failed || !between(t->arg)) {
        t->failed = true;
        return;
    }
    t->written = 0;
    if (t->format->start)
        t->format->start(t);
    for (size_t i = 0; i < t->track_count; i++)
        track_reset(t->track[i]);
    for (size_t i = 0; i < t->process_count && t->format->process; i++)
        t->format->process(t, t->process[i]);
    for (size_t i = 0; i < t->track_count; i++)
        if (t->track[i]->depth)
            open_again(t, t->track[i]);
}

static void track_free(struct swi_track *track)
{
    free(track->frame);
    free(track->interned);
    swi_text_free(&track->prefix);
    swi_spool_free(&track->spool);
    free(track);
}

void swi_timeline_free(struct swi_timeline *t)
{
    if (t->format && t->format->free)
        t->format->free(t);
    for (size_t i = 0; i < t->track_count; i++)
        track_free(t->track[i]);
    for (size_t i = 0; i < t->process_count; i++)
        process_free(t->process[i]);
    swi_timeline_names_free(&t->names);
    swi_text_free(&t->out);
    free(t->by_action);
    free(t->by_thread);
    free(t->track);
    free(t->process);
    *t = (struct swi_timeline){0};
}
