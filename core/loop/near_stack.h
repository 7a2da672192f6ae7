/* SPDX-License-Identifier: MIT */
/* near_stack.h - which actions are open on a thread, as far as it can know before its events are
 * folded: probes, samplers and the calls of frameworks ask for it. It knows too much where a
 * builtin action began twice, of which the fold discards the first. Only the thread itself, and
 * signal handlers on it, call these. */
#ifndef CORE_LOOP_NEAR_STACK_H
#define CORE_LOOP_NEAR_STACK_H

#include "core/loop/state.h"
#include "core/rows/action.h"

#include <stepwatch/stepwatch.h>

/* ---- which builtin actions the loop treats in a special way or ignores ----------------------- */

#define SWI_BIT(action) (UINT64_C(1) << (action))

/* Regions that sw_next() does not end, and whose end is more than a duration. */
#define SWI_CONTAINERS (SWI_BIT(SW_FIT) | SWI_BIT(SW_EPOCH) | SWI_BIT(SW_TRAIN) | SWI_BIT(SW_VALID))
#define SWI_SPECIAL (SWI_CONTAINERS | SWI_BIT(SW_STEP) | SWI_BIT(SW_BATCH))

static inline uint64_t swi_action_bit(int action)
{
    return (unsigned)action < 63 ? SWI_BIT(action) : SWI_BIT(63);
}

static inline bool swi_is_container(int action)
{
    return action >= SW_FIT && action <= SW_VALID;
}

static inline bool swi_is_special(int action)
{
    return swi_action_bit(action) & SWI_SPECIAL;
}

/* Returns the builtin actions that are not measured in a mode, a bit for each. */
uint64_t swi_actions_ignored(enum sw_mode mode);

static inline bool swi_is_ignored(const struct sw_profiler *sw, int action)
{
    return (unsigned)action < SW_BUILTIN_ACTIONS && (sw->measured.ignored & SWI_BIT(action));
}

/* The same for an action with a shape. */
bool swi_is_shaped_ignored(const struct sw_profiler *sw, int action);

static inline bool swi_is_ignored_slow(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, action) ||
           (SWI_UNLIKELY(action >= SWI_SHAPED_FIRST) && swi_is_shaped_ignored(sw, action));
}

/* ---- which actions are open ------------------------------------------------------------------ */

/* Returns whether an action is neither a container, nor step or batch, nor unknown. */
static SWI_INLINE bool swi_is_usual(unsigned action)
{
    return SWI_LIKELY(action - (SW_BATCH + 1) < SWI_ACTIONS - (SW_BATCH + 1)) || action == SW_DRAW;
}

static SWI_INLINE bool swi_near_is_full(const struct swi_thread *thread)
{
    return SWI_UNLIKELY(thread->top == thread->near + SWI_DEPTH_MAX);
}

/* Written before, so that what interrupts the thread never finds an old one; and after, in case the
 * place was used meanwhile. */
static SWI_INLINE void swi_near_push(struct swi_thread *thread, int action)
{
    uint16_t *top = thread->top + 1;
    *(volatile uint16_t *)top = (uint16_t)action;
    atomic_signal_fence(memory_order_release);
    thread->top = top;
    atomic_signal_fence(memory_order_release);
    *(volatile uint16_t *)top = (uint16_t)action;
}

/* Returns the innermost builtin action that is open at a place or below it; SWI_NEAR_NONE: none. */
static inline unsigned swi_near_builtin(const uint16_t *at)
{
    while ((unsigned)*at - SW_BUILTIN_ACTIONS < SWI_ACTIONS - SW_BUILTIN_ACTIONS)
        at--;
    return *at;
}

/* Remember that an action begins, or that the innermost one of it ends, with what is open in it.
 * swi_near_end() returns whether a fit ends with it. */
void swi_near_begin(struct swi_thread *thread, int action);
bool swi_near_end(struct swi_thread *thread, int action);
void swi_near_clear(struct swi_thread *thread);
/* What is open inside the innermost one of an action is forgotten. */
void swi_near_inside(struct swi_thread *thread, int action);

/* Returns whether an action is open on the thread, as far as it knows. */
bool swi_near_is_open(const struct swi_thread *thread, int action);

/* The phase in which the thread is, as far as it knows. */
enum sw_phase swi_near_phase(const struct swi_thread *thread);

/* ---- which one is innermost ------------------------------------------------------------------ */

/* Asked at any time: a signal handler that takes a sample has no profiler, and may have interrupted
 * any call. */

/* From now on the regions of a profiler are found, until they are forgotten: before it is freed. */
void swi_innermost_know(struct sw_profiler *sw);
void swi_innermost_forget(struct sw_profiler *sw);

/* The action of the innermost region of the calling thread; -1 if none is open. */
int swi_innermost(void);

/* ---- telling a probe which region is innermost (notify_probe.c) ------------------------------ */

/* Tells a probe which region is innermost. Without a probe, the thread's `probe` is NULL, and
 * begin and end cost nothing more. */

struct sw_probe;

/* Asks the probe for what the configuration wants: how the times of functions are taken, and how
 * often a second; NULL and 0: as the probe does it. Says where it cannot. */
void swi_probe_choose(struct sw_profiler *sw, const char *times, int rate);

/* Looks for a probe at the end of sw_open(), so that the probe does not see what sw_open() does. */
void swi_probe_find(struct sw_profiler *sw);

/* Reports the calling thread's regions to the probe from now on, if there is one. */
void swi_probe_set(const struct sw_profiler *sw, struct swi_thread *thread);

/* Tell the probe that the innermost region has just begun, or that a region has ended. tick: of the
 * profiler's clock. */
void swi_probe_tell_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                          int64_t tick);
void swi_probe_tell_end(const struct sw_profiler *sw, const struct swi_thread *thread,
                        int64_t tick);

static inline void swi_probe_begin(const struct sw_profiler *sw, const struct swi_thread *thread,
                                   int64_t tick)
{
    if (SWI_UNLIKELY(thread->probe != NULL))
        swi_probe_tell_begin(sw, thread, tick);
}

static inline void swi_probe_end(const struct sw_profiler *sw, const struct swi_thread *thread,
                                 int64_t tick)
{
    if (SWI_UNLIKELY(thread->probe != NULL))
        swi_probe_tell_end(sw, thread, tick);
}

#endif
