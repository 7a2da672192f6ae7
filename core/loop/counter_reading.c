/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/counters/counter.h"
#include "core/loop/counting.h"

#include <stdlib.h>

static SWI_INLINE void part_put(struct swi_counter_reading *reading, int slot, int64_t value,
                                unsigned flags)
{
    reading->part[reading->count++] =
        (struct swi_counter_part){value, swi_event_what(SWI_EVENT_PART, slot, flags)};
}

/* Finds the words of the calling OS thread. */
static void words_find(struct swi_counter_reading *reading)
{
    reading->words = reading->counters->chosen;
    for (int i = 0; i < reading->counters->chosen; i++) {
        const struct swi_slot *slot = &reading->counters->slot[i];
        const struct swi_counter *counter = slot->counter;
        reading->word[i] = counter && counter->word ? counter->word() : NULL;
        reading->peak[i] = counter && counter->peak ? counter->peak() : NULL;
        if (!reading->word[i] || slot->steps_only)
            reading->words = 0;
    }
    reading->owner = swi_current.id;
}

void swi_counter_reading_look(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    const struct swi_counters *counters = &sw->measured.counters;
    if (!counters->chosen || counters->replayed || thread->reading)
        return;
    struct swi_counter_reading *reading = calloc(1, sizeof *reading);
    if (!reading) {
        swi_no_memory(&sw->records, "what a thread counts");
        return;
    }
    reading->counters = counters;
    reading->whole = true;
    words_find(reading);
    thread->reading = reading;
}

/* The next peak begins at the current value. */
static SWI_INLINE struct swi_counter_part *word_read(const struct swi_counter_reading *reading,
                                                     int i, struct swi_counter_part *part)
{
    int64_t value = *reading->word[i], *peak = reading->peak[i];
    if (SWI_UNLIKELY(peak)) {
        *part++ =
            (struct swi_counter_part){*peak, swi_event_what(SWI_EVENT_PART, i, SWI_READ_PEAK)};
        swi_memory_set_peak(peak, value);
    }
    *part++ = (struct swi_counter_part){value, swi_event_what(SWI_EVENT_PART, i, 0)};
    return part;
}

/* Reads the words of the calling OS thread. Returns false if these are not all counters. */
static SWI_INLINE bool words_read(struct swi_counter_reading *reading)
{
    if (!reading->words || reading->owner != swi_current.id)
        return false;
    struct swi_counter_part *part = reading->part;
    for (int i = 0; i < reading->words; i++)
        part = word_read(reading, i, part);
    reading->count = (int)(part - reading->part);
    return true;
}

static void slot_read(struct swi_counter_reading *reading, int action, int i)
{
    const struct swi_slot *slot = &reading->counters->slot[i];
    int64_t value = 0;
    if (slot->steps_only && !reading->whole && !swi_counters_is_wide(action))
        return;
    if (reading->word[i]) {
        struct swi_counter_part *end = word_read(reading, i, &reading->part[reading->count]);
        reading->count = (int)(end - reading->part);
        return;
    }
    bool known = slot->counter && slot->counter->read && slot->counter->read(&value);
    bool lost = slot->counter && slot->counter->gap && slot->counter->gap();
    part_put(reading, i, value, (known ? 0 : SWI_READ_NOTHING) | (lost ? SWI_READ_LOST : 0));
}

/* Reads the slots that count what a reading uses, or the others. */
static void slots_read(struct swi_counter_reading *reading, int action, bool reading_counts)
{
    for (int i = 0; i < reading->counters->chosen; i++) {
        const struct swi_counter *counter = reading->counters->slot[i].counter;
        if ((counter && counter->reading_counts) == reading_counts)
            slot_read(reading, action, i);
    }
}

/* The open regions began on another OS thread, so what they used is unknown. The program's own
 * counters belong to the thread that the program names, unless it moved them. */
static void begin(const struct swi_thread *thread, struct swi_counter_reading *reading)
{
    reading->count = 0;
    swi_reading_number++;
    if (reading->owner == swi_current.id)
        return;
    words_find(reading);
    part_put(reading, 0, !thread->owner, SWI_READ_MOVED);
}

void swi_counters_read_at_begin(struct swi_thread *thread, int action)
{
    struct swi_counter_reading *reading = thread->reading;
    if (words_read(reading))
        return;
    begin(thread, reading);
    slots_read(reading, action, false);
    slots_read(reading, action, true);
    reading->whole = false;
}

void swi_counters_read_at_end(struct swi_thread *thread, int action)
{
    struct swi_counter_reading *reading = thread->reading;
    if (words_read(reading))
        return;
    begin(thread, reading);
    slots_read(reading, action, true);
    slots_read(reading, action, false);
    reading->whole = false;
}

void swi_counters_read_now(struct swi_thread *thread)
{
    struct swi_counter_reading *reading = thread->reading;
    if (!reading || !thread->counting)
        return;
    swi_counters_read_at_begin(thread, SW_FIT);
    for (int i = 0; i < reading->count; i++)
        swi_counting_take(thread, reading->part[i].value, reading->part[i].what);
}
