/* SPDX-License-Identifier: MIT */
#include "core/loop/misuse.h"
#include "core/counters/counted_memory.h"
#include "core/loop/state.h"
#include "core/process/own_floats.h"
#include "core/rows/fold_memory.h"

#include <sched.h>

static void say(struct sw_profiler *sw, const struct swi_misuse_item *item)
{
    char text[SWI_MISUSE_TEXT];
    swi_misuse_text(text, sizeof text, item);
    swi_say(&sw->records.messages, SW_WARNING,
            "%s: such calls are ignored; the report counts them; this warning appears once", text);
}

/* Returns the item of a kind and action; NULL if the list is full. Call it with the lock. */
static struct swi_misuse_item *item_get(struct swi_misuses *misuses, enum swi_misuse kind,
                                        int action, int other)
{
    for (size_t i = 0; i < misuses->count; i++) {
        struct swi_misuse_item *item = &misuses->item[i];
        if (item->kind == kind && item->action == action && item->other == other)
            return item;
    }
    if (misuses->count == SWI_MISUSES_MAX)
        return NULL;
    misuses->item[misuses->count] = (struct swi_misuse_item){kind, action, other, 0, false};
    return &misuses->item[misuses->count++];
}

/* The message is sent when the fold lock is given: a function for messages may wait. */
static void add(struct sw_profiler *sw, enum swi_misuse kind, int action, int other, int64_t times)
{
    SWI_OWN_MEMORY;
    struct swi_misuses *misuses = &sw->reports.misuses;
    pthread_mutex_lock(&misuses->lock);
    struct swi_misuse_item *item = item_get(misuses, kind, action, other);
    if (item)
        item->times += times;
    else
        misuses->more += times;
    if (item && !item->reported)
        atomic_store(&misuses->unreported, true);
    pthread_mutex_unlock(&misuses->lock);
}

static bool unreported_take(struct swi_misuses *misuses, struct swi_misuse_item *unreported)
{
    bool any = false;
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count && !any; i++) {
        any = !misuses->item[i].reported;
        misuses->item[i].reported = true;
        *unreported = misuses->item[i];
    }
    if (!any)
        atomic_store(&misuses->unreported, false);
    pthread_mutex_unlock(&misuses->lock);
    return any;
}

void swi_misuses_tell(void *profiler)
{
    SWI_OWN_FLOATS;
    struct sw_profiler *sw = profiler;
    struct swi_misuses *misuses = &sw->reports.misuses;
    struct swi_misuse_item unreported;
    if (!atomic_load(&misuses->unreported) || !swi_fold_may_wait())
        return;
    atomic_fetch_add(&misuses->telling, 1);
    while (atomic_load(&misuses->unreported) && unreported_take(misuses, &unreported))
        say(sw, &unreported);
    atomic_fetch_sub(&misuses->telling, 1);
}

void swi_misuses_wait(const struct sw_profiler *sw, const struct swi_deadline *deadline)
{
    while (atomic_load(&sw->reports.misuses.telling) && !swi_message_is_sent() &&
           !swi_deadline_passed(deadline))
        sched_yield();
}

void swi_misuses_in_handlers(struct sw_profiler *sw, struct swi_thread *thread, int action,
                             int64_t times)
{
    thread->misuses += times;
    add(sw, SWI_IN_HANDLER, action, -1, times);
}

/* A pause of the loop's thread discards what is open on the other threads, and what begins there
 * meanwhile, so a thread ends regions that are not open without a mistake. */
static bool is_of_pause(struct swi_thread *thread, enum swi_misuse kind)
{
    bool ends = kind == SWI_NOT_BEGUN || kind == SWI_CANCEL_NOT_BEGUN;
    if (!ends || thread->loop || !thread->ends_excused)
        return false;
    thread->ends_excused--;
    return true;
}

SWI_NOINLINE void swi_misuse(struct sw_profiler *sw, struct swi_thread *thread,
                             enum swi_misuse kind, int action, int other)
{
    if (is_of_pause(thread, kind))
        return;
    thread->misuses++;
    add(sw, kind, action, other, 1);
}

void swi_misuses_crossed(struct sw_profiler *sw, const struct swi_thread *thread, int depth,
                         int ended)
{
    for (int i = swi_depth(thread) - depth; i-- > 0 && !sw->records.run.replayed;)
        add(sw, SWI_DISCARDED, thread->frame[-i].action, ended, 1);
}
