/* SPDX-License-Identifier: MIT */
/* The calls of <stepwatch/replay.h>: what the replay of a log says of its run. */
#include "core/counters/counter.h"
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/open_regions.h"
#include "core/monitors/monitors.h"
#include "core/process/own_floats.h"
#include "core/text/address_user.h"

#include <stepwatch/replay.h>

#include <stdlib.h>
#include <string.h>

/* ---- the run --------------------------------------------------------------------------------- */

void sw_set_clock(struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg)
{
    SWI_OWN_FLOATS;
    if (!sw || !now_ns)
        return;
    SWI_FOLDED(&sw->measured);
    swi_monitors_clock_hold(sw->monitors);
    swi_clock_set(&sw->measured.clock, now_ns, arg);
    swi_monitors_clock_release(sw->monitors);
    swi_counting_forget_cost(sw);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}

void sw_set_start(struct sw_profiler *sw, double started_s)
{
    SWI_OWN_FLOATS;
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    swi_run_replayed(&sw->records.run, started_s);
    swi_monitors_give_up(sw->monitors);
}

void sw_set_program(struct sw_profiler *sw, const char *program, const char *name)
{
    SWI_OWN_FLOATS;
    if (!sw || !program || !*program || swi_is_inherited(&sw->measured) || sw->records.own_program)
        return;
    struct swi_recorder *records = &sw->records;
    /* Without a name in the configuration, a run has its program's. */
    bool named = strcmp(records->run.name, records->run.program) != 0 || !name || !*name;
    char *made_by = swi_address_clean_copy(program);
    char *called = swi_address_clean_copy(named ? records->run.name : name);
    if (!made_by || !called) {
        free(made_by);
        free(called);
        return;
    }
    records->own_program = records->run.program;
    records->own_name = records->run.name;
    swi_run_made_by(&records->run, made_by, called);
}

void sw_set_costs(struct sw_profiler *sw, int fit, double own_ns, double own_threads_ns,
                  double joules)
{
    SWI_OWN_FLOATS;
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    swi_replayed_costs_add(&sw->reports.costs,
                           &(struct swi_replayed_cost){fit, own_ns, own_threads_ns, joules});
    pthread_mutex_unlock(&sw->measured.lock);
}

void sw_set_interrupted(struct sw_profiler *sw, int signal, const char *cause)
{
    if (!sw)
        return;
    SWI_FOLDED(&sw->measured);
    sw->ending.interrupted = true;
    sw->reports.costs.ended = true;
    sw->ending.signal = signal;
    snprintf(sw->ending.cause, sizeof sw->ending.cause, "%s", cause ? cause : "");
}

/* ---- counters and steps ---------------------------------------------------------------------- */

static enum swi_shown shown_of(const struct sw_counter_info *info)
{
    int standard = SW_HAS(info->size, info, standard) ? info->standard : 0;
    return standard <= 0 ? SWI_SHOWN_BY_NAME : standard == 1 ? SWI_SHOWN_TOTAL : SWI_SHOWN_BOTH;
}

static bool slot_fill(struct swi_slot *slot, const struct sw_counter_info *info)
{
    const struct swi_counter *known = swi_counters_find(info->name);
    *slot = (struct swi_slot){.name = strdup(info->name),
                              .unit = strdup(info->unit),
                              .kind = info->kind,
                              .less = info->less,
                              .steps_only = info->steps_only,
                              .shown = shown_of(info),
                              .own = !known};
    slot->label = known ? known->label : slot->name;
    return slot->name && slot->unit;
}

int sw_set_counter(struct sw_profiler *sw, const struct sw_counter_info *info)
{
    struct swi_counters *counters = sw ? &sw->measured.counters : NULL;
    if (!counters || counters->chosen == SWI_SLOTS || atomic_load(&counters->own))
        return SW_EINVAL;
    SWI_FOLDED(&sw->measured); /* a fold looks how many there are */
    pthread_mutex_lock(&sw->measured.lock);
    int number = counters->chosen;
    bool fine = slot_fill(&counters->slot[number], info);
    counters->replayed = true;
    counters->chosen++;
    swi_counters_tell(counters, number);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    pthread_mutex_unlock(&sw->measured.lock);
    return fine ? number : SW_ENOMEM;
}

/* Returns the state of the calling thread if it has this counter; else NULL. */
static struct swi_counting *counting_of(struct sw_profiler *sw, int counter)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    struct swi_counting *counting =
        thread && swi_counting_look(sw, thread) ? thread->counting : NULL;
    bool has =
        counting && counting->counters->replayed && counter >= 0 && counter < counting->chosen;
    return has ? counting : NULL;
}

void sw_set_reading(struct sw_profiler *sw, int counter, int64_t increase)
{
    if (!sw)
        return;
    SWI_FOLDED(&sw->measured);
    struct swi_counting *counting = counting_of(sw, counter);
    if (!counting)
        return;
    struct swi_slot_count *slot = &counting->slot[counter];
    slot->unread = increase == SW_COUNTER_NONE;
    if (increase >= 0)
        swi_counting_add(sw, swi_thread_get(sw), counter, increase);
    else if (!slot->unread)
        slot->value = (int64_t)((uint64_t)slot->value + (uint64_t)increase);
}

void sw_set_use(struct sw_profiler *sw, int counter, int64_t total, int64_t self)
{
    if (!sw)
        return;
    SWI_FOLDED(&sw->measured);
    struct swi_counting *counting = counting_of(sw, counter);
    if (!counting)
        return;
    if (!counting->given)
        counting->given = calloc(SWI_SLOTS, sizeof *counting->given);
    if (counting->given)
        counting->given[counter] = (struct swi_given_use){true, total, self};
}

/* Whoever wants every region wants those of each step. */
int sw_set_steps(struct sw_profiler *sw, int64_t steps)
{
    if (!sw || steps < 1 || swi_wants(&sw->records, SW_RECORD_REGIONS))
        return SW_EINVAL;
    SWI_OWN_FLOATS;
    SWI_FOLDED(&sw->measured);
    sw->loop.step_more = steps - 1;
    return 0;
}

/* A log of steps does not say which region was in which. */
void sw_set_self(struct sw_profiler *sw, int64_t self_ns)
{
    SWI_OWN_FLOATS;
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    if (!thread)
        return;
    SWI_FOLDED(&sw->measured);
    if (!swi_depth(thread))
        return;
    double all = (double)(swi_clock_tick(&sw->measured.clock) - thread->frame->start);
    double self = (double)self_ns / swi_clock_rate(&sw->measured.clock);
    if (self >= 0 && self <= all)
        thread->frame->inside = (int64_t)(all - self + 0.5);
}
