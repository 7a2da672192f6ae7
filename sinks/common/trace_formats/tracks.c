/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/tracks.h"
#include "core/text/characters.h"
#include "core/text/vec.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------
 */

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns whether every viewer shows a character once it is escaped, and a terminal as well. */
static bool is_shown(uint32_t code)
{
    return code == '\t' || code == '\n' || !swi_character_is_unsafe(code);
}

/* Adds a text in a form that every viewer shows. json: with escapes. */
static void shown_add(struct swi_text *out, const char *text, size_t size, bool json)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        bool fine = length && is_shown(code);
        const char *escape = !fine          ? REPLACEMENT
                             : !json        ? NULL
                             : code == '"'  ? "\\\""
                             : code == '\\' ? "\\\\"
                             : code == '\t' ? "\\t"
                             : code == '\n' ? "\\n"
                                            : NULL;
        length = length ? length : 1;
        if (escape)
            swi_text_put(out, escape);
        else
            swi_text_add(out, text, length);
    }
}

void swi_timeline_repair(struct swi_text *out, const char *text, size_t size)
{
    shown_add(out, text, size, false);
}

static void json_add(struct swi_text *out, const char *text, size_t size)
{
    swi_text_put(out, "\"");
    shown_add(out, text, size, true);
    swi_text_put(out, "\"");
}

void swi_timeline_json(struct swi_text *out, const char *text)
{
    json_add(out, text, strlen(text));
}

static enum swi_kind kind_of(const char *text)
{
    static const struct {
        const char *name;
        enum swi_kind kind;
    } kinds[] = {{"fit", SWI_KIND_FIT},           {"epoch", SWI_KIND_EPOCH},
                 {"train", SWI_KIND_TRAIN},       {"valid", SWI_KIND_VALID},
                 {"draw", SWI_KIND_DRAW},         {"batch", SWI_KIND_BATCH},
                 {"opt_step", SWI_KIND_OPT_STEP}, {"zero_grad", SWI_KIND_ZERO_GRAD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, text) == 0)
            return kinds[i].kind;
    return SWI_KIND_OTHER;
}

static void name_free(struct swi_timeline_name *name)
{
    free(name->text);
    free(name->json);
}

/* Viewers fail on an empty name. */
static bool name_make(struct swi_timeline_name *name, const char *text, size_t size)
{
    struct swi_text shown = {0}, json = {0};
    text = size ? text : "unnamed";
    size = size ? size : strlen(text);
    swi_timeline_repair(&shown, text, size);
    json_add(&json, text, size);
    *name = (struct swi_timeline_name){
        .text = shown.data, .size = shown.size, .json = json.data, .json_size = json.size};
    if (shown.failed || json.failed) {
        name_free(name);
        return false;
    }
    name->kind = kind_of(name->text);
    return true;
}

uint32_t swi_name_number(struct swi_timeline *t, const char *text, size_t size)
{
    struct swi_timeline_names *names = &t->names;
    size = strnlen(text, size);
    struct swi_timeline_name *name =
        swi_map_item(&names->keys, &names->item, sizeof *name, text, size);
    if (name && !name->text && !name_make(name, text, size)) {
        swi_map_undo(&names->keys);
        name = NULL;
    }
    t->failed |= !name;
    return name ? (uint32_t)(name - names->item) : 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

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
    if (!process || !swi_vec_room(&t->process, t->process_count, sizeof *t->process)) {
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

/* ---- threads --------------------------------------------------------------------------------- */

const struct swi_interval swi_interval_fresh = {
    .samples = -1, .step = -1, .epoch = -1, .group = -1};

static struct swi_track *track_new(struct swi_timeline *t, size_t process, int thread)
{
    struct swi_track *track = calloc(1, sizeof *track);
    if (!track || !swi_vec_room(&t->track, t->track_count, sizeof *t->track)) {
        free(track);
        t->failed = true;
        return NULL;
    }
    track->process = process;
    track->of = t->process[process];
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
    if (process != t->by_thread_process) {
        if (t->by_thread)
            memset(t->by_thread, 0, t->by_thread_count * sizeof(struct swi_track *));
        t->by_thread_process = process;
    }
    return swi_vec_reach(&t->by_thread, (size_t)thread, &t->by_thread_count,
                         sizeof(struct swi_track *));
}

/* Threads have small numbers, from 0. */
struct swi_track *swi_track_find(struct swi_timeline *t, int process, int thread)
{
    struct swi_track *track = track_search(t, (size_t)process, thread);
    if (track && thread >= 0 && thread < 1 << 20 && by_thread_room(t, (size_t)process, thread))
        t->by_thread[thread] = track;
    return track;
}

const char *swi_track_name(const struct swi_track *track, char name[SWI_TRACK_NAME])
{
    if (track->is_loop)
        snprintf(name, SWI_TRACK_NAME, "loop");
    else
        snprintf(name, SWI_TRACK_NAME, "thread %d", track->thread);
    return name;
}

void swi_track_json_prefix(struct swi_timeline *t, struct swi_track *track)
{
    track->prefix.size = 0;
    swi_text_format(&track->prefix,
                    ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":", track->of->pid, track->tid);
    t->failed |= track->prefix.failed;
}

void swi_track_describe(struct swi_timeline *t, struct swi_track *track)
{
    track->started = true;
    if (t->format->thread)
        t->format->thread(t, track);
}

void swi_track_reset(struct swi_track *track)
{
    track->started = false;
    track->prefix.size = 0;
    track->written_ns = 0;
    if (track->interned)
        memset(track->interned, 0, track->interned_room);
}

static void track_free(struct swi_track *track)
{
    free(track->frame);
    free(track->interned);
    if (track->uses)
        free(track->uses->start);
    free(track->uses);
    swi_text_free(&track->prefix);
    swi_text_free(&track->held);
    swi_spool_free(&track->spool);
    free(track->coverage.item);
    free(track);
}

void swi_tracks_free(struct swi_timeline *t)
{
    for (size_t i = 0; i < t->track_count; i++)
        track_free(t->track[i]);
    for (size_t i = 0; i < t->process_count; i++)
        process_free(t->process[i]);
    for (size_t i = 0; i < t->names.keys.count; i++)
        name_free(&t->names.item[i]);
    free(t->names.item);
    swi_map_free(&t->names.keys);
    free(t->by_thread);
    free(t->track);
    free(t->process);
}

/* ---- times ------------------------------------------------------------------------------------
 */

int64_t swi_time_in_file(struct swi_timeline *t, int process, int64_t time_ns)
{
    time_ns += t->process[process]->offset_ns;
    if (time_ns > t->end_ns)
        t->end_ns = time_ns;
    return time_ns < 0 ? 0 : time_ns;
}

bool swi_is_recorded(const struct swi_timeline *t, int process, int64_t time_ns)
{
    const struct swi_timeline_process *of = t->process[process];
    return !of->upto_ns || (time_ns >= of->from_ns && time_ns <= of->upto_ns);
}

/* ---- the thread of the loop, and its steps --------------------------------------------------- */

/* A span may have made the thread known before its first region. It has another name now. */
static void loop_take(struct swi_timeline *t, struct swi_track *track)
{
    track->is_loop = true;
    if (track->started) {
        swi_track_reset(track);
        swi_track_start(t, track);
    }
}

void swi_timeline_loop_find(struct swi_timeline *t, struct swi_track *track)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (process->loop >= 0)
        return;
    process->loop = track->thread;
    loop_take(t, track);
}

void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread)
{
    if (t->process[process]->loop >= 0)
        return;
    t->process[process]->loop = thread;
    struct swi_track *track = swi_track_get(t, process, thread);
    if (track && !track->is_loop)
        loop_take(t, track);
}

bool swi_track_is_in_batch(const struct swi_track *track)
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

/* An epoch, train or valid that was open when the window began has steps from before. */
static void steps_restart(struct swi_timeline_process *process, int which)
{
    process->epoch_steps[which] = process->steps_before[which];
}

static void epoch_begin(struct swi_timeline_process *process)
{
    process->epoch = process->epochs++;
    for (int i = 0; i < SWI_STEP_KINDS; i++) {
        if (process->epoch != process->first_epoch)
            process->steps_before[i] = 0;
        steps_restart(process, i);
    }
}

static void phase_begin(struct swi_timeline_process *process, enum swi_kind kind)
{
    int which = kind == SWI_KIND_TRAIN ? SWI_TRAIN_STEPS : SWI_VALID_STEPS;
    steps_restart(process, which);
    process->steps_before[which] = 0;
}

void swi_timeline_step_follow(struct swi_timeline *t, struct swi_track *track,
                              struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (interval->kind == SWI_KIND_TRAIN || interval->kind == SWI_KIND_VALID)
        phase_begin(process, interval->kind);
    if (interval->kind == SWI_KIND_EPOCH) {
        epoch_begin(process);
        interval->epoch = process->epoch;
    }
    if (interval->kind <= SWI_KIND_VALID && interval->kind != SWI_KIND_OTHER)
        process->group = -1;
    bool begins =
        interval->kind == SWI_KIND_DRAW || (interval->kind == SWI_KIND_BATCH && process->group < 0);
    if (begins && !swi_track_is_in_batch(track))
        step_begin(t, process, interval->begin_ns);
    interval->group = process->group;
}

void swi_timeline_step_end(struct swi_timeline *t, struct swi_track *track,
                           struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    bool train = interval->phase == SW_PHASE_TRAIN;
    int64_t *in_epoch = &process->epoch_steps[train ? SWI_TRAIN_STEPS : SWI_VALID_STEPS];
    struct swi_timeline_step step = {.begin_ns = process->step_begin_ns,
                                     .end_ns = interval->end_ns,
                                     .phase = interval->phase,
                                     .epoch = process->epoch < 0 ? 0 : process->epoch,
                                     .in_epoch = *in_epoch,
                                     .group = process->group};
    process->group = -1;
    if (interval->cancelled)
        return;
    step.number = train ? process->training_steps++ : *in_epoch;
    ++*in_epoch;
    interval->step = step.number;
    if (t->format->step && !interval->skipped)
        t->format->step(t, track, &step);
}

void swi_timeline_place_set(struct swi_timeline *t, int process,
                            const struct swi_timeline_place *place)
{
    struct swi_timeline_process *set = t->process[process];
    set->training_steps = place->step;
    set->epochs = place->epoch < 0 ? set->epochs : place->epoch;
    set->first_epoch = set->epochs;
    set->epoch_steps[SWI_TRAIN_STEPS] = set->steps_before[SWI_TRAIN_STEPS] = place->train_steps;
    set->epoch_steps[SWI_VALID_STEPS] = set->steps_before[SWI_VALID_STEPS] = place->valid_steps;
}
