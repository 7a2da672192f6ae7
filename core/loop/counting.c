/* SPDX-License-Identifier: MIT */
#include "core/loop/counting.h"
#include "core/clock/now.h"
#include "core/counters/counted_memory.h"
#include "core/counters/counter.h"
#include "core/delivery/messages.h"
#include "core/loop/calling_thread.h"
#include "core/loop/misuse.h"
#include "core/loop/note_event.h"
#include "core/text/buffer.h"

#include <stdlib.h>
#include <string.h>

/* ---- says which of the chosen counters are not measured -------------------------------------- */

/* Counters that are not measured for the same reason. Zero-initialised, it is empty. */
struct unmeasured {
    const char *name[SWI_COUNTER_CHOICES];
    int count;
    struct sw_error why;
};

static const char *before(const struct unmeasured *unmeasured, int i)
{
    if (i == 0)
        return unmeasured->count > 1 ? "counters " : "counter ";
    return i + 1 < unmeasured->count ? ", " : " and ";
}

/* Says which were added, and forgets them. */
static void unmeasured_tell(struct swi_messages *messages, struct unmeasured *unmeasured)
{
    struct swi_text names = {0};
    for (int i = 0; i < unmeasured->count; i++) {
        swi_text_put(&names, before(unmeasured, i));
        swi_text_put(&names, unmeasured->name[i]);
    }
    if (unmeasured->count)
        swi_say(messages, SW_WARNING, "%s %s not measured: %s",
                names.failed ? "some counters" : names.data,
                names.failed || unmeasured->count > 1 ? "are" : "is",
                sw_error_text(&unmeasured->why));
    swi_text_free(&names);
    sw_error_free(&unmeasured->why);
    unmeasured->count = 0;
}

/* Adds a counter. If the reason is another one, first says which were added before. */
static void unmeasured_add(struct swi_messages *messages, struct unmeasured *unmeasured,
                           const char *name, const struct sw_error *why)
{
    bool same = strcmp(sw_error_text(&unmeasured->why), sw_error_text(why)) == 0;
    if (unmeasured->count && (!same || unmeasured->count == SWI_COUNTER_CHOICES))
        unmeasured_tell(messages, unmeasured);
    if (!unmeasured->count)
        sw_error_set(&unmeasured->why, SW_ESINK, "%s", sw_error_text(why));
    unmeasured->name[unmeasured->count++] = name;
}

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
                      enum swi_shown shown, struct unmeasured *unmeasured)
{
    const struct swi_counter *counter = choice.counter;
    struct swi_counters *counters = &sw->measured.counters;
    SW_ERROR_SCOPE(err);
    if (counter->open && counter->open(&err) < 0) {
        unmeasured_add(&sw->records.messages, unmeasured, counter->name, &err);
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
static void memory_open(struct sw_profiler *sw, struct unmeasured *unmeasured)
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
    struct unmeasured unmeasured = {0};
    for (; choice && choice->counter; choice++)
        slot_open(sw, *choice, SWI_SHOWN_BY_NAME, &unmeasured);
    memory_open(sw, &unmeasured);
    unmeasured_tell(&sw->records.messages, &unmeasured);
    sw->records.run.counter = sw->measured.counters.info;
    sw->records.run.counter_count = (size_t)sw->measured.counters.chosen;
    sw->records.run.counter_stride = sizeof *sw->records.run.counter;
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* The part behind an event. What a thread read is as of that event. */
void swi_counting_take(struct swi_thread *thread, int64_t value, uint64_t what)
{
    struct swi_counting *counting = thread->counting;
    int slot = swi_event_action(what);
    uint64_t flags = swi_event_payload(what);
    if (flags & SWI_READ_MOVED)
        swi_counter_use_lose(counting, swi_depth(thread), value != 0);
    if ((flags & SWI_READ_MOVED) || slot >= counting->chosen)
        return;
    struct swi_slot_count *at = &counting->slot[slot];
    if (flags & SWI_READ_PEAK) {
        at->peak = value > at->peak ? value : at->peak;
        return;
    }
    at->unread = flags & SWI_READ_NOTHING;
    if (!at->unread)
        at->value = value;
    if (flags & SWI_READ_LOST)
        swi_counter_use_lose_slot(counting, swi_depth(thread), slot);
}

/* The thread counts from now on. NULL if out of memory. */
static struct swi_counting *counting_turn_on(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    if (!thread->counting)
        thread->counting = swi_counting_new(&sw->measured.counters, thread);
    if (!thread->counting)
        swi_no_memory(&sw->records, "what a thread counts");
    return thread->counting;
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

bool swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!sw->measured.counters.chosen || thread->number == SWI_SPANS_THREAD)
        return thread->counting;
    if (!counting_turn_on(sw, thread))
        return false;
    grown(sw, thread, thread->counting);
    return true;
}

void swi_counting_first(struct swi_thread *thread)
{
    struct swi_counting *counting = thread->counting;
    bool first = !counting->begun;
    swi_counter_use_first(counting);
    counting->begun = true;
    for (int i = 0; first && i < counting->active; i++)
        counting->slot[i].traced = counting->slot[i].marked = counting->slot[i].value;
}

void swi_counting_add(struct sw_profiler *sw, struct swi_thread *thread, int slot, int64_t n)
{
    int64_t *value = &thread->counting->slot[slot].value;
    if (swi_counters_may_fall(thread->counting->counters, slot)) {
        *value = (int64_t)((uint64_t)*value + (uint64_t)n);
        return;
    }
    for (uint64_t left = (uint64_t)n; left;) {
        uint64_t room = SWI_MUCH - ((uint64_t)*value & (SWI_MUCH - 1));
        uint64_t now = left < room ? left : room;
        *value = (int64_t)((uint64_t)*value + now);
        left -= now;
        if (now < room)
            continue;
        swi_counter_use_look(thread, slot);
        if (thread->loop)
            swi_rolling_use_look(&sw->loop.window, slot);
    }
}

void swi_counting_count(struct sw_profiler *sw, struct swi_thread *thread, int counter, int64_t n)
{
    struct swi_counting *counting = counting_turn_on(sw, thread);
    int slots = counting ? counting->chosen + counter + 1 : 0;
    if (!counting || slots > SWI_SLOTS)
        return;
    if (counting->active < slots && !swi_counting_grow(counting, thread, slots))
        swi_no_memory(&sw->records, "what a thread counts");
    else
        swi_counting_add(sw, thread, counting->chosen + counter, n);
}

void swi_counting_insert(struct swi_thread *thread, bool below)
{
    struct swi_counting *counting = thread->counting;
    int top = swi_depth(thread) + 1;
    if (counting)
        swi_counter_use_insert(counting, below ? 1 : top, top, below);
}

static void counted_first(struct sw_profiler *sw, int counter)
{
    struct swi_counters *counters = &sw->measured.counters;
    if (atomic_load(&counters->counted[counter]))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    /* Another thread may have come first: sinks read what it has told by now. */
    if (!atomic_load(&counters->counted[counter]))
        swi_counters_tell(counters, counters->chosen + counter);
    atomic_store(&counters->counted[counter], true);
    if (SWI_GET(counters->own) <= counter)
        atomic_store(&counters->own, counter + 1);
    pthread_mutex_unlock(&sw->measured.lock);
}

static SWI_NOINLINE void count_first(struct sw_profiler *sw, int counter, int64_t n)
{
    struct swi_thread *thread = swi_thread_get(sw);
    if (!thread)
        return;
    if (counter < 0 || counter >= SWI_USER_COUNTERS)
        counter = SWI_USER_COUNTERS - 1;
    if (n < 0) {
        SWI_FOLDED(&sw->measured);
        swi_misuse(sw, thread, SWI_COUNTED_BACK, counter, -1);
        return;
    }
    if (sw->measured.counters.chosen + counter >= SWI_SLOTS) /* a replay that has all of them */
        return;
    counted_first(sw, counter);
    swi_note_number(thread, 0, swi_event_what(SWI_EVENT_COUNT, counter, 0), n);
}

SWI_NOINLINE void sw_count(struct sw_profiler *sw, int counter, int64_t n)
{
    if (!sw)
        return;
    bool known =
        swi_thread_is_known(sw) && (unsigned)counter < SWI_USER_COUNTERS && n >= 0 &&
        atomic_load_explicit(&sw->measured.counters.counted[counter], memory_order_relaxed);
    if (SWI_LIKELY(known))
        swi_note_number(swi_thread_known(sw), 0, swi_event_what(SWI_EVENT_COUNT, counter, 0), n);
    else
        count_first(sw, counter, n);
}
