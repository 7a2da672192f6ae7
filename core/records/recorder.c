/* SPDX-License-Identifier: MIT */
/* Makes records of what was measured and hands them to the pipeline. */
#include "core/records/recorder.h"

#include "core/process/hot_code.h"
#include "core/rows/action.h"
#include "core/rows/current_profiler.h"
#include "core/rows/measured.h"
#include "core/text/printable.h"
#include "core/text/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- the names that something was said of, up to a limit ------------------------------------- */

void swi_name_set_init(struct swi_name_set *set)
{
    *set = (struct swi_name_set){0};
    pthread_mutex_init(&set->lock, NULL);
}

void swi_name_set_fini(struct swi_name_set *set)
{
    swi_map_free(&set->names);
    pthread_mutex_destroy(&set->lock);
}

bool swi_name_set_add(struct swi_name_set *set, const char *name, size_t most)
{
    size_t size = strlen(name);
    pthread_mutex_lock(&set->lock);
    bool has = swi_map_find(&set->names, name, size) >= 0 ||
               (set->names.count < most && swi_map_add(&set->names, name, size) >= 0);
    pthread_mutex_unlock(&set->lock);
    return has;
}

/* ---- makes records of what was measured and passes them to the pipeline ---------------------- */

SWI_HOT bool swi_wants(const struct swi_recorder *records, enum sw_record_type type)
{
    return records->pipeline && (swi_pipeline_wants(records->pipeline) & SW_WANT(type));
}

void swi_no_memory(struct swi_recorder *records, const char *what)
{
    if (atomic_fetch_add(&records->unmade.times, 1) > 0)
        return;
    atomic_store(&records->unmade.first, what);
    swi_say(&records->messages, SW_ERROR,
            "out of memory: %s was dropped; the total is reported at close", what);
}

/* Two names with the same first 255 bytes are still two. */
static __attribute__((noinline)) void shortened_say(struct swi_recorder *records)
{
    size_t bytes, most;
    if (atomic_exchange(&records->shortened_reported, true))
        return;
    const char *name = swi_name_shortened_first(&bytes, &most);
    swi_say(&records->messages, SW_WARNING,
            "the name \"%s...\" has %zu bytes: longer names than %zu bytes are cut, and end with a "
            "checksum of the whole name",
            SWI_PRINTABLE(name), bytes, most);
}

struct swi_record *swi_recorder_make(struct swi_recorder *records, enum sw_record_type type,
                                     size_t metrics, int64_t tick)
{
    SWI_OWN_MEMORY;
    struct swi_record *record = swi_record_new(&records->pool, type, metrics);
    if (__builtin_expect(swi_name_was_shortened(), 0) && !atomic_load(&records->shortened_reported))
        shortened_say(records);
    if (!record) {
        swi_no_memory(records, "a record");
        return NULL;
    }
    struct sw_record *r = &record->record;
    const struct swi_progress *progress = &records->measured->progress;
    struct swi_thread *loop = atomic_load(&records->measured->loop);
    int64_t next = SWI_GET(progress->step);
    r->time_ns = swi_clock_ns(&records->measured->clock, tick);
    double started_s;
    __atomic_load(&records->run.started_s, &started_s, __ATOMIC_RELAXED);
    r->wall_s = started_s + (double)r->time_ns * 1e-9;
    r->step = next > 0 ? next - 1 : 0;
    r->steps_expected = SWI_GET(progress->expected);
    r->epoch = SWI_GET(progress->epochs);
    r->fit = SWI_GET(progress->fit_number);
    const struct swi_thread *own = swi_known_of(records->measured)->thread;
    bool by_loop = loop == (swi_current.folded ? swi_current.folded : own);
    r->phase = loop && by_loop ? loop->phase : SW_PHASE_FIT;
    return record;
}

struct swi_record *swi_recorder_owning(struct swi_recorder *records, enum sw_record_type type,
                                       int64_t tick, void *block, size_t bytes, const char *what)
{
    struct swi_record *record = block ? swi_recorder_make(records, type, 0, tick) : NULL;
    if (!block)
        swi_no_memory(records, what);
    if (!record) {
        free(block);
        return NULL;
    }
    record->owned = block;
    record->release = free;
    record->bytes += bytes;
    return record;
}

/* Returns how many metrics would take the same room. */
static size_t metrics_of(size_t size)
{
    return (size + sizeof(struct sw_metric) - 1) / sizeof(struct sw_metric);
}

/* ---- marks and pauses ------------------------------------------------------------------------ */

static size_t mark_room(const struct swi_counting *counting)
{
    size_t uses = counting ? (size_t)counting->active : 0;
    size_t room = metrics_of(sizeof(struct sw_region) + uses * sizeof(struct sw_counter_use));
    return room > SWI_POOL_FEW ? room : SWI_POOL_FEW;
}

/* Returns how much the counters of the loop's thread have gone up since the last mark. */
static void mark_uses(struct swi_counting *counting, struct sw_region *region)
{
    struct sw_counter_use *use = (struct sw_counter_use *)(region + 1);
    region->use = use;
    region->use_stride = sizeof *use;
    for (int i = 0; i < counting->active; i++) {
        struct swi_slot_count *slot = &counting->slot[i];
        int64_t value =
            slot->is_peak ? slot->ended_peak : swi_counter_use_increase(counting, i, &slot->marked);
        if (slot->is_peak ? region->event != SW_REGION_END : !value)
            continue;
        use[region->use_count++] = (struct sw_counter_use){swi_counters_info(counting->counters, i),
                                                           value, SW_COUNTER_NONE};
    }
}

void swi_recorder_mark(struct swi_recorder *records, enum sw_region_event event, int action,
                       int64_t tick)
{
    if (!swi_wants(records, SW_RECORD_MARK))
        return;
    SWI_RARE_WORK(records->measured);
    const struct swi_thread *loop = atomic_load(&records->measured->loop);
    struct swi_counting *counting = loop ? loop->counting : NULL;
    size_t room = mark_room(counting);
    struct swi_record *record = swi_recorder_make(records, SW_RECORD_MARK, room, tick);
    if (!record)
        return;
    struct sw_region *region = swi_record_room(record);
    *region = (struct sw_region){.time_ns = record->record.time_ns,
                                 .event = event,
                                 .phase = SW_PHASE_FIT,
                                 .action = sw_action_name(action),
                                 .action_id = action,
                                 .thread = loop ? loop->number : 0,
                                 .samples = -1,
                                 .shape = "",
                                 .step = -1};
    if (counting)
        mark_uses(counting, region);
    record->record.regions.item = region;
    record->record.regions.count = 1;
    swi_recorder_push(records, record);
}

void swi_recorder_pause(struct swi_recorder *records, struct swi_thread *thread, bool paused,
                        int64_t tick)
{
    if (!swi_wants(records, SW_RECORD_PAUSE))
        return;
    SWI_RARE_WORK(records->measured);
    struct swi_record *record = swi_recorder_make(records, SW_RECORD_PAUSE, SWI_POOL_FEW, tick);
    if (!record)
        return;
    struct sw_pause *pause = swi_record_room(record);
    *pause = (struct sw_pause){.size = sizeof *pause, .paused = paused, .thread = thread->number};
    record->record.pause = pause;
    swi_recorder_push(records, record);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* times: of how many steps it is the sum. A peak is that of all of them. */
static int64_t use_of_each(int64_t use, int64_t times)
{
    return use == SW_COUNTER_NONE ? use : use / times;
}

static struct sw_counter_use *region_uses(struct sw_counter_use *use, struct sw_step_part *part,
                                          const struct swi_counting *counting, uint32_t i,
                                          int64_t times)
{
    part->use = use;
    part->use_stride = sizeof *use;
    for (int slot = 0; slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counter_use_of_ended(counting, i, slot, &total, &self))
            continue;
        bool peak = swi_counters_kind(counting->counters, slot) == SW_COUNTER_PEAK;
        *use++ = (struct sw_counter_use){swi_counters_info(counting->counters, slot),
                                         peak ? total : use_of_each(total, times),
                                         use_of_each(self, times)};
        part->use_count++;
    }
    return use;
}

/* Adds to the parts of a step what they used of the thread's counters. use: has room for all. */
static void uses_fill(const struct swi_counting *counting, struct sw_step_part *part,
                      struct sw_counter_use *use, const struct swi_step *step, int64_t times)
{
    for (uint32_t i = step->from; i < step->count; i++)
        use = region_uses(use, part++, counting, i, times);
}

/* rate: nanoseconds of one step in a tick. */
static void parts_fill(struct sw_step_part *part, const struct swi_step *step, double rate)
{
    for (uint32_t i = step->from; i < step->count; i++) {
        const struct swi_ended *ended = &step->ended[i];
        const struct swi_row *row = ended->row;
        *part++ = (struct sw_step_part){
            .action = sw_action_name(row->action),
            .action_id = swi_action_base(row->action),
            .inner = row->is_inner,
            .duration_ns = swi_ticks_ns(ended->ticks, rate),
            .shape = row->action < SWI_SHAPED_FIRST ? "" : sw_action_shape(row->action),
            .self_ns = swi_ticks_ns(ended->self, rate),
            .in_draw = swi_step_is_drawn(step, i)};
    }
}

/* Returns whether some sink wants the step, too. */
static bool step_goes_on(struct swi_recorder *records, const struct swi_thread *thread,
                         const struct swi_step *step)
{
    if (!records->history)
        return true;
    if (step->samples >= 0 && thread->phase == SW_PHASE_TRAIN)
        swi_step_history_step(records->history, step, swi_clock_rate(&records->measured->clock));
    return swi_pipeline_sinks_want(records->pipeline, SW_RECORD_STEP);
}

double swi_samples_per_s(struct swi_measured *measured, const struct swi_thread *thread,
                         int64_t samples, int64_t ticks, int64_t tick)
{
    struct swi_elapsed elapsed = thread->elapsed;
    int phase = swi_elapsed_index(thread->phase);
    if (samples >= 0)
        swi_elapsed_step(&elapsed, thread->phase, samples, 1, ticks, tick);
    double ns = (double)swi_elapsed_ticks(&elapsed, phase, tick) * swi_clock_rate(&measured->clock);
    return ns > 0 ? (double)elapsed.samples[phase] * 1e9 / ns : 0;
}

static size_t size_of(const struct swi_thread *thread, const struct swi_step *of)
{
    size_t parts = of->count - of->from;
    size_t uses = thread->counting ? parts * (size_t)thread->counting->active : 0;
    return sizeof(struct sw_step) + parts * sizeof(struct sw_step_part) +
           uses * sizeof(struct sw_counter_use);
}

/* Makes a step, or the sum of several, in memory that has room for it. times: by what to divide. */
static void step_fill(const struct swi_recorder *records, const struct swi_thread *thread,
                      const struct swi_step *of, struct sw_step *step, int64_t times)
{
    const struct swi_counting *counting = thread->counting;
    struct sw_step_part *part = (struct sw_step_part *)(step + 1);
    size_t parts = of->count - of->from;
    parts_fill(part, of, swi_clock_rate(&records->measured->clock) / (double)times);
    if (counting)
        uses_fill(counting, part, (struct sw_counter_use *)(part + parts), of, times);
    *step = (struct sw_step){.size = sizeof *step,
                             .phase = thread->phase,
                             .count = parts,
                             .part_stride = sizeof *part,
                             .part = part,
                             .steps = 1};
}

/* Rounds. */
static int64_t samples_of_each(int64_t samples, int64_t times)
{
    return samples < 0 ? samples : samples / times + (samples % times * 2 >= times);
}

void swi_recorder_step(struct swi_recorder *records, struct swi_thread *thread,
                       const struct swi_step *of)
{
    int64_t samples = of->samples, times = of->times;
    if (!step_goes_on(records, thread, of))
        return;
    size_t size = size_of(thread, of);
    struct swi_record *record = swi_recorder_make(records, SW_RECORD_STEP,
                                                  metrics_of(times > 1 ? 2 * size : size), of->end);
    if (!record)
        return;
    struct sw_step *step = swi_record_room(record);
    step_fill(records, thread, of, step, times);
    step->samples = times > 1 ? samples_of_each(samples, times) : samples;
    if (times > 1) {
        struct sw_step *sum = (struct sw_step *)((char *)step + size);
        step_fill(records, thread, of, sum, 1);
        sum->samples = samples;
        sum->steps = step->steps = times;
        step->sum = sum;
    }
    record->record.step_done = step;
    int64_t ticks = samples < 0 ? 0 : swi_ticks_sum(of->draw, of->batch);
    record->record.samples_per_s =
        swi_samples_per_s(records->measured, thread, samples, ticks, of->end);
    record->record.phase = thread->phase;
    if (thread->phase == SW_PHASE_TRAIN)
        record->record.step = SWI_GET(records->measured->progress.step);
    swi_recorder_push(records, record);
}

/* ---- the end --------------------------------------------------------------------------------- */

void swi_recorder_end(struct swi_recorder *records, const struct sw_end *end, int64_t tick)
{
    struct swi_record *record = swi_wants(records, SW_RECORD_END)
                                    ? swi_recorder_make(records, SW_RECORD_END, 0, tick)
                                    : NULL;
    if (!record)
        return;
    record->record.end = end;
    swi_recorder_push(records, record);
}
