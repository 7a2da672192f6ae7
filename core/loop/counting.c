/* SPDX-License-Identifier: MIT */
#include "core/loop/counting.h"
#include "core/clock/now.h"
#include "core/counters/counted_memory.h"
#include "core/counters/counter_table.h"
#include "core/counters/reading_number.h"
#include "core/loop/counted_words.h"
#include "core/loop/unmeasured.h"

#include <stdlib.h>
#include <string.h>

/* ---- which counters there are ---------------------------------------------------------------- */

/* Returns the smallest of many differences between two readings in a row: what a reading itself
 * uses. */
static int64_t reading_cost(const struct swi_counter *counter)
{
    enum { ROUNDS = 100 };
    int64_t least = INT64_MAX, before, after;
    for (int i = 0; i < ROUNDS; i++)
        if (counter->read(&before) && counter->read(&after) && after - before < least)
            least = after - before;
    return least == INT64_MAX ? 0 : least;
}

/* Returns how long it takes to read the first `count` of the chosen counters: one system call may
 * read several. */
static int64_t reading_ns(const struct swi_counters *counters, int count)
{
    int64_t begin = swi_now_ns(), value;
    swi_reading_number++;
    for (int i = 0; i < count; i++)
        if (counters->slot[i].counter->read)
            counters->slot[i].counter->read(&value);
    return swi_now_ns() - begin;
}

/* What the last counter adds to the least time of some readings. Those with and without it take
 * turns, so that a processor that is slow for a while makes no difference. Words in memory take
 * less than the clock can tell. */
static void reading_measure(struct swi_counters *counters)
{
    enum { ROUNDS = 20 };
    int last = counters->chosen - 1;
    int64_t without = INT64_MAX, with = INT64_MAX;
    for (int i = 0; i < ROUNDS && counters->slot[last].counter->read; i++) {
        int64_t first = reading_ns(counters, last), second = reading_ns(counters, last + 1);
        without = first < without ? first : without;
        with = second < with ? second : with;
    }
    counters->slot[last].reading_ns = with > without ? (double)(with - without) : 0;
}

/* Returns whether it counts what is allocated. */
static bool is_of_memory(const struct swi_counter *counter)
{
    static const char *const names[] = {"allocated", "freed", "allocs", "frees", "net", "peak"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(counter->name, names[i]) == 0)
            return true;
    return false;
}

static void slot_open(struct sw_profiler *sw, struct swi_counter_choice choice,
                      enum swi_shown shown, struct swi_unmeasured *unmeasured)
{
    const struct swi_counter *counter = choice.counter;
    struct swi_counters *counters = &sw->measured.counters;
    SW_ERROR_SCOPE(err);
    if (counter->open && counter->open(&err) < 0) {
        swi_unmeasured_add(&sw->records.messages, unmeasured, counter->name, &err);
        return;
    }
    counters->slot[counters->chosen++] = (struct swi_slot){
        .name = counter->name,
        .label = counter->label,
        .unit = counter->unit,
        .kind = counter->kind,
        .counter = counter,
        .less = counter->reading_counts ? reading_cost(counter) : 0,
        .steps_only = choice.steps_only || (!choice.regions && counter->slow && counter->slow()),
        .shown = shown,
    };
    counters->of_memory = counters->of_memory || is_of_memory(counter);
    reading_measure(counters);
    swi_counters_tell(counters, counters->chosen - 1);
}

void swi_counting_forget_cost(struct sw_profiler *sw)
{
    struct swi_counters *counters = &sw->measured.counters;
    for (int i = 0; i < counters->chosen; i++)
        counters->slot[i].reading_ns = 0;
}

void swi_counting_close(struct sw_profiler *sw)
{
    struct swi_counters *counters = &sw->measured.counters;
    for (int i = 0; counters->replayed && i < counters->chosen; i++) {
        free((void *)counters->slot[i].name);
        free((void *)counters->slot[i].unit);
    }
}

/* What `stepwatch run --memory` asks for where the configuration names none of them, and shows in
 * each table: it sets STEPWATCH_MEMORY. A process that has no library to count them asks for
 * nothing. */
static void memory_open(struct sw_profiler *sw, struct swi_unmeasured *unmeasured)
{
    static const struct {
        const char *name;
        enum swi_shown shown;
    } added[] = {{"allocated", SWI_SHOWN_BOTH},
                 {"net", SWI_SHOWN_TOTAL},
                 {"allocs", SWI_SHOWN_TOTAL},
                 {"peak", SWI_SHOWN_TOTAL}};
    struct swi_counters *counters = &sw->measured.counters;
    const char *wanted = secure_getenv("STEPWATCH_MEMORY");
    SW_ERROR_SCOPE(err);
    if (!wanted || !*wanted || counters->of_memory || swi_counters_find("peak")->open(&err) < 0)
        return;
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (counters->chosen < SWI_COUNTER_CHOICES)
            slot_open(sw, (struct swi_counter_choice){.counter = swi_counters_find(added[i].name)},
                      added[i].shown, unmeasured);
}

void swi_counting_open(struct sw_profiler *sw, const struct swi_counter_choice *choice)
{
    struct swi_unmeasured unmeasured = {0};
    for (; choice && choice->counter; choice++)
        slot_open(sw, *choice, SWI_SHOWN_BY_NAME, &unmeasured);
    memory_open(sw, &unmeasured);
    swi_unmeasured_tell(&sw->records.messages, &unmeasured);
    sw->records.run.counter = sw->measured.counters.info;
    sw->records.run.counter_count = (size_t)sw->measured.counters.chosen;
    sw->records.run.counter_stride = sizeof *sw->records.run.counter;
}

/* ---- the calling thread ---------------------------------------------------------------------- */

/* Finds the words of the calling OS thread. */
static void words_find(struct swi_counting *counting)
{
    counting->words = true;
    for (int i = 0; i < counting->chosen; i++) {
        const struct swi_counter *counter = counting->counters->slot[i].counter;
        counting->word[i] = counter && counter->word ? counter->word() : NULL;
        counting->peak[i] = counter && counter->peak ? counter->peak() : NULL;
        if (counter &&
            ((counter->word && !counting->word[i]) || (counter->peak && !counting->peak[i])))
            counting->plain = false;
        if (!counting->word[i] || counting->counters->slot[i].steps_only)
            counting->words = false;
    }
    counting->owner = swi_current.id;
}

/* The open regions began on another OS thread, so what they used is unknown. The program's own
 * counters belong to the thread that the program names, unless it moved them. */
static void moved(const struct swi_thread *thread, struct swi_counting *counting)
{
    swi_counter_use_lose(counting, swi_depth(thread), !thread->owner);
    words_find(counting);
}

static bool is_wide(int action)
{
    return action <= SW_VALID || action == SW_DRAW || action == SW_BATCH;
}

/* The region that ends may have left the stack already. */
static void gap_follow(const struct swi_thread *thread, struct swi_counting *counting, int i)
{
    const struct swi_counter *counter = counting->counters->slot[i].counter;
    if (counter && counter->gap && counter->gap())
        swi_counter_use_lose_slot(counting, swi_depth(thread) + 1, i);
}

static bool slot_read(struct swi_counting *counting, int i)
{
    const struct swi_counter *counter = counting->counters->slot[i].counter;
    return !counter || (counter->read && counter->read(&counting->value[i]));
}

static void words_copy(struct swi_counting *counting)
{
    for (int i = 0; i < counting->chosen; i++)
        counting->value[i] = *counting->word[i];
}

void swi_counting_add(struct sw_profiler *sw, struct swi_thread *thread, int slot, int64_t n)
{
    int64_t *value = &SWI_GET(thread->counting)->value[slot];
    for (uint64_t left = (uint64_t)n; left;) {
        uint64_t room = SWI_MUCH - ((uint64_t)*value & (SWI_MUCH - 1));
        uint64_t now = left < room ? left : room;
        *value = (int64_t)((uint64_t)*value + now);
        left -= now;
        if (now < room)
            continue;
        swi_counter_use_look(thread, slot);
        if (thread->loop)
            swi_rolling_counter_use_look(&sw->loop.window_counts, slot);
    }
}

void swi_counting_catch_up(const struct swi_thread *thread)
{
    if (swi_counter_use_words(thread))
        words_copy(SWI_GET(thread->counting));
}

/* Reads slot i if regions of this action have it. */
static void slot_take(struct swi_thread *thread, struct swi_counting *counting, int action, int i)
{
    uint8_t bit = (uint8_t)(1U << i % SWI_BANK), *unread = &counting->unread[i / SWI_BANK];
    if (counting->steps_only[i / SWI_BANK] & bit && !is_wide(action))
        return;
    if (counting->word[i]) { /* it can always be read, and never stops */
        counting->value[i] = *counting->word[i];
        *unread &= (uint8_t)~bit;
        return;
    }
    *unread = slot_read(counting, i) ? *unread & (uint8_t)~bit : *unread | bit;
    gap_follow(thread, counting, i);
}

/* Takes the slots that count what a reading uses, or the others. */
static void slots_take(struct swi_thread *thread, struct swi_counting *counting, int action,
                       bool reading_counts)
{
    for (int i = 0; i < counting->chosen; i++) {
        const struct swi_counter *counter = counting->counters->slot[i].counter;
        if ((counter && counter->reading_counts) == reading_counts)
            slot_take(thread, counting, action, i);
    }
}

/* Words can always be read. */
static void words_take(struct swi_counting *counting)
{
    words_copy(counting);
    memset(counting->unread, 0, sizeof counting->unread);
}

void swi_counting_read(struct swi_thread *thread, int action, enum swi_yaml_reader reading)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (swi_counter_use_words(thread)) {
        swi_counting_catch_up(thread);
        return;
    }
    if (counting->counters->replayed)
        return;
    if (counting->owner != swi_current.id)
        moved(thread, counting);
    if (counting->words) {
        words_take(counting);
        return;
    }
    swi_reading_number++;
    slots_take(thread, counting, action, reading == SWI_READ_AT_END);
    slots_take(thread, counting, action, reading == SWI_READ_AT_BEGIN);
}

struct swi_counting *swi_counting_turn_on(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_counting *counting = swi_counting_new(&sw->measured.counters, thread);
    if (!counting)
        return NULL;
    words_find(counting);
    atomic_store_explicit(&thread->counting, counting, memory_order_release);
    swi_thread_phase(thread, thread->phase);
    return counting;
}

/* A replay may add counters at any time. */
static void grown(struct sw_profiler *sw, const struct swi_thread *thread,
                  struct swi_counting *counting)
{
    int chosen = sw->measured.counters.chosen;
    if (chosen == counting->chosen || !swi_counting_grow(counting, thread, chosen))
        return;
    counting->chosen = chosen;
    swi_counting_look_again(counting);
}

void swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!sw->measured.counters.chosen || thread->number == SWI_SPANS_THREAD)
        return;
    if (!SWI_GET(thread->counting) && !swi_counting_turn_on(sw, thread)) {
        swi_no_memory(&sw->records, "what a thread counts");
        return;
    }
    struct swi_counting *counting = SWI_GET(thread->counting);
    grown(sw, thread, counting);
    if (thread->owner && counting->owner != swi_current.id && !counting->counters->replayed)
        moved(thread, counting);
    if (thread->begun)
        return;
    bool first = !counting->begun;
    swi_counting_read(thread, SW_FIT, SWI_READ_AT_BEGIN);
    swi_counter_use_first(counting);
    counting->begun = true;
    if (first) {
        memcpy(counting->traced, counting->value, sizeof counting->value);
        memcpy(counting->marked, counting->value, sizeof counting->value);
    }
}

void swi_counting_insert(struct swi_thread *thread, bool below)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    int top = swi_depth(thread) + 1;
    if (!counting)
        return;
    if (!below)
        swi_counting_read(thread, SW_FIT, SWI_READ_AT_BEGIN);
    swi_counter_use_insert(counting, below ? 1 : top, top, below);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

void swi_counting_pause(struct swi_thread *thread)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (!counting)
        return;
    swi_counting_read(thread, SW_FIT, SWI_READ_AT_END);
    swi_counter_use_pause(counting);
}

void swi_counting_resume(struct swi_thread *thread)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (!counting)
        return;
    swi_counting_read(thread, SW_FIT, SWI_READ_AT_BEGIN);
    swi_counter_use_resume(counting, swi_depth(thread));
}
