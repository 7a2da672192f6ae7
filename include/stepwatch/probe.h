/* SPDX-License-Identifier: MIT */
/**
 * probe.h - how a probe learns which action is innermost on a thread.
 *
 * A probe is a library that measures code that does not call stepwatch, such as
 * libstepwatch-functions. It defines sw_probe_regions(). sw_open() asks that function, if a probe
 * is linked or preloaded; without one, the calls of the loop do nothing more than before.
 */
#ifndef STEPWATCH_PROBE_H
#define STEPWATCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a probe hears of regions. All calls come from the thread that the region is on, as soon as
 * the region is the innermost one, or no longer. A region that is discarded or cancelled has ended.
 */
struct sw_probe {
    size_t size; /* of this struct, as the probe knows it */

    /**
     * Called by sw_open(), on its thread. action_name returns the name of an action, valid until
     * the end of the process; any thread may call it, but no signal handler.
     */
    void (*attach)(const char *(*action_name)(int action));

    /**
     * Called when a region of an action begins. NULL, with `end`: the probe hears of no region, and
     * the calls of the loop are as fast as without it.
     *
     * again: whether the thread has an open region of this action already.
     * tick:  the CPU's counter at that time; 0 if the profiler has another clock.
     */
    void (*begin)(int action, bool again, int64_t tick);

    /**
     * Called when a region ends. innermost: the action that is innermost now; negative if none is.
     */
    void (*end)(int innermost, int64_t tick);

    /**
     * Called by sw_open() after attach(); NULL: the probe does not ask. innermost returns the
     * action that is innermost on the calling thread; negative if none is. Any thread may call it
     * at any time, also in a signal handler.
     */
    void (*look)(int (*innermost)(void));
};

/** What the key `functions` of the configuration asks of a probe. */
struct sw_probe_choice {
    size_t size;       /**< of this struct in core */
    const char *times; /**< "exact", "sampled" or "sample"; NULL: not given */
    int rate;          /**< samples a second of "sample"; 0: not given */
};

/**
 * Returns the probe that wants to know of regions, valid until the end of the process; NULL if it
 * is not measuring. Defined by a probe, not by libstepwatch.
 */
const struct sw_probe *sw_probe_regions(void);

/**
 * Called by sw_open() before sw_probe_regions(), if the configuration has the key `functions`. What
 * the command or the environment asked for before counts more. Defined by a probe.
 *
 * Returns NULL, or a sentence that says why the choice has no effect, valid until the end of the
 * process.
 */
const char *sw_probe_choose(const struct sw_probe_choice *choice);

/**
 * Returns the path of the file that the probe writes the profile of this process to; NULL if it
 * measures nothing. What it knows is in the file when this returns. Defined by a probe.
 */
const char *sw_probe_file(void);

#ifdef __cplusplus
}
#endif

#endif
