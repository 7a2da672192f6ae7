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
     * Called when a region of an action begins.
     *
     * again: whether the thread has an open region of this action already.
     * tick:  the CPU's counter at that time; 0 if the profiler has another clock.
     */
    void (*begin)(int action, bool again, int64_t tick);

    /**
     * Called when a region ends. innermost: the action that is innermost now; negative if none is.
     */
    void (*end)(int innermost, int64_t tick);
};

/**
 * Returns the probe that wants to know of regions, valid until the end of the process; NULL if it
 * is not measuring. Defined by a probe, not by libstepwatch.
 */
const struct sw_probe *sw_probe_regions(void);

#ifdef __cplusplus
}
#endif

#endif
