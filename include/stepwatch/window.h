/* SPDX-License-Identifier: MIT */
/* window.h - the steps in which regions are recorded one by one.
 *
 * A report needs no windows: it counts every region. Sinks that show each region, such as a
 * timeline, get only the regions within a window. Windows are opened by the schedule of the
 * configuration (key `schedule` of `profiler`) or on demand (sw_capture(), key `capture`). With
 * neither key, the window is the whole run. */
#ifndef STEPWATCH_WINDOW_H
#define STEPWATCH_WINDOW_H

#include <stepwatch/error.h>

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

/** Why a window is open. */
enum sw_window_reason {
    SW_WINDOW_RUN,      /**< the window is the whole run */
    SW_WINDOW_SCHEDULE, /**< by the schedule */
    SW_WINDOW_CAPTURE   /**< sw_capture(), a file, a signal, or `stepwatch capture` */
};

/** The beginning or the end of a window. */
struct sw_window {
    size_t size;    /**< of this struct in core */
    bool open;      /**< true: the window begins; false: it has ended */
    bool cut;       /**< at the end: the run ended before all steps of the window were done */
    int64_t number; /**< 0 is the first window of the run */
    enum sw_window_reason reason;
    int64_t begin_ns; /**< since the run's start: no region in the window begins earlier. A region
                         that was already open counts from here */
    int64_t end_ns; /**< at the end: since the run's start. A region that is still open counts up to
                       here */
    int64_t first_step; /**< number of the first training step in the window */
    int64_t next_step; /**< at the end: number of the training step that comes next, so the last one
                          in the window is one less */
    int64_t train_steps; /**< at the beginning: training steps done in the open epoch or train */
    int64_t valid_steps; /**< at the beginning: steps done in the open epoch or valid */
};

/** What a schedule does with one training step. */
enum sw_schedule_action {
    SW_SCHEDULE_NONE,   /**< it is not recorded */
    SW_SCHEDULE_WARMUP, /**< it is not recorded, and comes right before the recorded steps */
    SW_SCHEDULE_RECORD, /**< it is recorded */
    SW_SCHEDULE_RECORD_AND_SAVE /**< it is recorded as the last step of its window */
};

/** The largest number in a schedule: more than the steps of any run, but no sum overflows. */
#define SW_SCHEDULE_MOST 1000000000

/**
 * A schedule: `skip_first` steps are skipped. After them, each cycle has `wait`, then `warmup`,
 * then `active` steps. Only the active steps are recorded, as with torch.profiler.schedule(). Steps
 * are counted from the start of the run, even after sw_set_step().
 */
struct sw_schedule {
    size_t size;          /**< of this struct: `sizeof(struct sw_schedule)` */
    bool given;           /**< false: there is none, and the other fields are 0 */
    bool skip_first_wait; /**< the first cycle has no wait */
    int64_t skip_first;   /**< 0 to SW_SCHEDULE_MOST */
    int64_t wait;         /**< 0 to SW_SCHEDULE_MOST */
    int64_t warmup;       /**< 0 to SW_SCHEDULE_MOST */
    int64_t active;       /**< 1 to SW_SCHEDULE_MOST */
    int64_t repeat;       /**< number of cycles; 0: no limit */
};

/**
 * Returns what a schedule does with a training step.
 *
 * step: counted from 0. A negative step, and every step of a schedule that is not given or has a
 * number out of its range, is not recorded.
 */
SW_API enum sw_schedule_action sw_schedule_action(const struct sw_schedule *schedule, int64_t step);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(enum sw_schedule_action, sw_schedule_action,
        (const struct sw_schedule *schedule, int64_t step), SW_SCHEDULE_NONE)
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
