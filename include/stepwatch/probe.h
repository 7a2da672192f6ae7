/* SPDX-License-Identifier: MIT */
/**
 * probe.h - how a probe learns which action is innermost on a thread.
 *
 * A probe is a library that measures code that does not call stepwatch, such as
 * libstepwatch-functions. It defines sw_probe_regions(), which sw_open() calls if a probe is linked
 * or preloaded. Without a probe, the calls of the loop cost nothing more.
 */
#ifndef STEPWATCH_PROBE_H
#define STEPWATCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/**
 * The functions of a probe. They are called on the thread of the region, as soon as the region
 * becomes the innermost one, and when it no longer is. A region that is discarded or cancelled has
 * ended.
 */
struct sw_probe {
    size_t size; /* of this struct, as the probe knows it */

    /**
     * Called by sw_open(), on its thread. action_name returns the name of an action, valid until
     * the end of the process; any thread may call it, but not in a signal handler.
     */
    void (*attach)(const char *(*action_name)(int action));

    /**
     * Called when a region of an action begins. If this and `end` are NULL, the calls of the loop
     * are as fast as without a probe.
     *
     * again: the thread already has an open region of this action.
     * tick:  the CPU's counter at that time; 0 if the profiler uses another clock.
     */
    void (*begin)(int action, bool again, int64_t tick);

    /**
     * Called when a region ends. innermost: the innermost action now; negative if there is none.
     */
    void (*end)(int innermost, int64_t tick);

    /**
     * Called by sw_open() after attach(); may be NULL. innermost returns the innermost action on
     * the calling thread; negative if there is none. Any thread may call it at any time, even in a
     * signal handler.
     */
    void (*look)(int (*innermost)(void));
};

/** What the key `functions` of the configuration tells a probe to do. */
struct sw_probe_choice {
    size_t size;       /**< of this struct in core */
    const char *times; /**< "exact", "sampled", "sample", "wall"; NULL: not given */
    int rate;          /**< samples a second of "sample" and "wall"; 0: not given */
};

/**
 * Returns the functions to call for regions, valid until the end of the process; NULL if the probe
 * is not measuring. Defined by a probe, not by libstepwatch.
 */
const struct sw_probe *sw_probe_regions(void);

/**
 * Called by sw_open() before sw_probe_regions(), if the configuration has the key `functions`. The
 * options of `stepwatch run` and the environment take precedence over it. Defined by a probe.
 *
 * Returns NULL, or a sentence that says why the choice has no effect, valid until the end of the
 * process.
 */
const char *sw_probe_choose(const struct sw_probe_choice *choice);

/**
 * Brings the file with the profile of this process up to date, and returns its path; NULL if the
 * probe measures nothing. Defined by a probe.
 */
const char *sw_probe_file(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
