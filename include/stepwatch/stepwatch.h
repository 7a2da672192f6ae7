/* SPDX-License-Identifier: MIT */
/* stepwatch.h - measure a training loop.
 *
 * A profiler is opened from a YAML file, the loop says where its actions begin and end, and the
 * sinks named in the file get the numbers. Every function takes a NULL profiler and then does
 * nothing, so a program runs the same when stepwatch is off or could not be opened.
 *
 * Threads: every function may be called from any thread unless it says otherwise. A profiler is
 * valid until sw_close(); like a FILE after fclose(), it must not be used by any thread after that.
 *
 * Time is taken from a monotonic clock. Durations are nanoseconds. */
#ifndef STEPWATCH_STEPWATCH_H
#define STEPWATCH_STEPWATCH_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One profiler: actions, threads, sinks. Opaque. */
struct sw_profiler;

/** The actions of a training loop. They nest: fit > epoch > train, valid > draw, batch > the
 * others. */
enum sw_builtin_action {
    SW_FIT,      /**< the whole training; the thread that begins it is the loop thread */
    SW_EPOCH,    /**< one pass */
    SW_TRAIN,    /**< the training part of an epoch */
    SW_VALID,    /**< the validation part of an epoch */
    SW_STEP,     /**< draw + batch; made by stepwatch itself: beginning or ending it does nothing */
    SW_DRAW,     /**< waiting for the loader's next batch */
    SW_BATCH,    /**< everything that is done with one batch; sw_end_batch() ends it and the step */
    SW_FORWARD,  /**< the model's prediction while training */
    SW_LOSS,     /**< the loss */
    SW_BACKWARD, /**< the gradients */
    SW_OPT_STEP, /**< the optimizer's step */
    SW_ZERO_GRAD, /**< zeroing the gradients */
    SW_PREDICT,   /**< the model's prediction while validating */
    SW_BUILTIN_ACTIONS
};

/** The events of callback-style frameworks, for sw_event(). Each begins or ends actions as noted.
 */
enum sw_event {
    SW_BEFORE_FIT,      /**< begins fit */
    SW_BEFORE_EPOCH,    /**< begins epoch */
    SW_BEFORE_TRAIN,    /**< begins train */
    SW_BEFORE_DRAW,     /**< begins draw */
    SW_BEFORE_BATCH,    /**< ends draw, begins batch and forward (in validation: predict) */
    SW_AFTER_PRED,      /**< ends forward or predict, begins loss */
    SW_AFTER_LOSS,      /**< ends loss */
    SW_BEFORE_BACKWARD, /**< begins backward */
    SW_BEFORE_STEP,     /**< ends backward, begins opt_step */
    SW_AFTER_STEP,      /**< ends opt_step, begins zero_grad */
    SW_AFTER_BATCH,     /**< ends zero_grad, batch and step; samples as told by sw_event_batch() */
    SW_AFTER_TRAIN,     /**< ends train */
    SW_BEFORE_VALIDATE, /**< begins valid */
    SW_AFTER_VALIDATE,  /**< ends valid */
    SW_AFTER_EPOCH,     /**< ends epoch */
    SW_AFTER_FIT,       /**< ends fit, makes its report */
    SW_AFTER_CANCEL_BATCH /**< cancels the batch: what finished inside it is kept */
};

/* ---- open and close ----------------------------------------------------------------------------
 */

/**
 * Opens a profiler by a configuration file.
 *
 * path: the YAML file; NULL means $STEPWATCH_CONFIG, else ./stepwatch.yaml if there is one, else
 * the defaults (throughput mode and the table on stdout). What $STEPWATCH_SET says of the profiler
 * (key=value,key=value) counts more than the file. Neither is read by setuid programs. A
 * ./stepwatch.yaml that another user may have laid is a failure (a FIFO, a link in a directory that
 * others may write to, another user's file in one that everybody may write to). err:  filled on
 * failure with every mistake of the file, one a line as file:line:column; may be NULL.
 *
 * Returns the profiler, the caller's to give to sw_close(). Returns NULL on failure, and also, with
 * err->code 0, where the profiler is switched off (`profiler: off`, or STEPWATCH=off in the
 * environment). Waits for no network and starts no process; each sink is opened on a thread of its
 * own. Call it after fork() or daemon(): a child of the process that called it measures nothing.
 */
SW_API struct sw_profiler *sw_open(const char *path, struct sw_error *err);

/** As sw_open(), with the YAML as text. Relative paths in it are relative to the working directory.
 */
SW_API struct sw_profiler *sw_open_text(const char *yaml, struct sw_error *err);

/**
 * Ends the measurement: closes a fit that is still open, makes its report, and lets every sink
 * finish. Actions of your own that no fit has are reported, too: after the last fit as rows of its
 * report, and in a program without one as a fit of their own.
 *
 * All sinks share one deadline (the option close_timeout, 5 s by default) and work in parallel. A
 * sink that does not finish is left alone and named in err. Call it from one thread, when no other
 * uses sw any more.
 *
 * Returns 0, or SW_ESINK or SW_ETIME when some sink lost something, or SW_ENOMEM when something
 * never came to the sinks for lack of memory: err says which, what and how much. sw is invalid
 * afterwards in any case. Where exit() or a signal has ended the run before, it waits for that and
 * returns what was lost then. Where a signal is about to end the program, it does not return.
 * Returns SW_EINVAL where sw is not open, and in a process that goes on without its parent, by
 * daemon() or a double fork after sw_open(): nothing was measured there.
 */
SW_API int sw_close(struct sw_profiler *sw, struct sw_error *err);

/**
 * Waits until every sink has taken and flushed what was handed to it: before a fork, in a replay,
 * in a test.
 *
 * timeout_ns: nanoseconds for all sinks together, 0 or more.
 * Returns 0, or SW_ETIME when some sink was not done by then; nothing is lost by that.
 */
SW_API int sw_flush(struct sw_profiler *sw, int64_t timeout_ns);

/** The library's version, like "0.1.0". Static text. */
SW_API const char *sw_version(void);

/* ---- the loop
 * ------------------------------------------------------------------------------------ */

/**
 * The handle of an action of your own: the same name gives the same handle, process-wide and for
 * ever, so a `static int` may keep it and any number of profilers may use it.
 *
 * name: copied; at most 255 bytes count. A builtin action's name gives the builtin.
 *
 * Returns a handle for sw_begin() and the others, never negative. After 10,000 names every new one
 * gives the handle of the action "other".
 */
SW_API int sw_action(const char *name);

/** The name of an action's handle, static text; "other" for a handle that nobody gave out. */
SW_API const char *sw_action_name(int action);

/**
 * Begins a region of an action on the calling thread. Regions nest, to a depth of 1,024.
 *
 * The thread that begins fit, epoch, train, valid or the first batch is the loop thread; its
 * regions make the steps. Regions of other threads are reported under `threads`; what the loop
 * thread does outside of every fit, under `before` and `after`. A builtin action
 * that is already open on this thread is begun anew: the later begin replaces the earlier and is
 * counted as a misuse. So does an epoch, train or valid that begins within a batch replace that
 * batch. An action of your own may be begun inside of itself: all calls are counted, and the
 * outermost ones make the total. Never fails.
 */
SW_API void sw_begin(struct sw_profiler *sw, int action);

/**
 * Ends the innermost region and begins action, with one clock read: `sw_next(sw, SW_LOSS)`.
 *
 * fit, epoch, train, valid and batch are not ended by it: inside them, with no sibling open, it
 * just begins.
 */
SW_API void sw_next(struct sw_profiler *sw, int action);

/**
 * Ends the region of an action.
 *
 * Regions still open inside it are discarded: they are not counted. With no such region open it
 * does nothing but count a misuse. Ending batch is sw_end_batch(sw, 0). Ending fit makes its
 * report.
 */
SW_API void sw_end(struct sw_profiler *sw, int action);

/**
 * Ends a region without counting it, and discards those still open inside it.
 *
 * What had already ended inside a cancelled batch is kept. For a draw that found no more data.
 * Cancelling fit ends it: the report has what had ended.
 */
SW_API void sw_cancel(struct sw_profiler *sw, int action);

/**
 * Ends the batch and with it the step.
 *
 * samples: how many samples the batch held; the rates of the batch's actions are made of it. 0 or
 * less: the step counts, without a rate.
 */
SW_API void sw_end_batch(struct sw_profiler *sw, int64_t samples);

/** Tells an event of a callback-style framework; SW_AFTER_BATCH through this call ends a batch of 0
 * samples.
 */
SW_API void sw_event(struct sw_profiler *sw, enum sw_event event);

/** SW_AFTER_BATCH with the batch's number of samples. */
SW_API void sw_event_batch(struct sw_profiler *sw, int64_t samples);

/* ---- what else the loop has to say
 * --------------------------------------------------------------- */

/**
 * Logs a value of your own, like a loss, in the row of the current training step.
 *
 * During validation it belongs to the last training step, before any to step 0. The name is copied;
 * at most 255 bytes count. Any value is kept, also NAN and infinity.
 */
SW_API void sw_log(struct sw_profiler *sw, const char *name, double value);

/** Hands a hyper-parameter to the loggers. Name and text are copied. Best said before the first
 * step. */
SW_API void sw_config_int(struct sw_profiler *sw, const char *name, int64_t value);
/** As sw_config_int(), for a number that is no integer. */
SW_API void sw_config_float(struct sw_profiler *sw, const char *name, double value);
/** As sw_config_int(), for a text. */
SW_API void sw_config_string(struct sw_profiler *sw, const char *name, const char *value);

/** Sets the number of the training step that comes next, after a resume from a checkpoint: 0 to
 * 2^52, which also stands for more; a negative one changes nothing. Loop thread. */
SW_API void sw_set_step(struct sw_profiler *sw, int64_t step);

/** The number of the training step that comes next: training steps finished so far, from 0. */
SW_API int64_t sw_get_step(struct sw_profiler *sw);

/** Tells how many training steps there will be in all, for an eta. 0: unknown. */
SW_API void sw_expect_steps(struct sw_profiler *sw, int64_t steps);

/**
 * Leaves the stretch until sw_resume() out of everything: a learning-rate search, a checkpoint.
 *
 * Calls in between do nothing. The time is taken out of the regions that the calling thread has
 * open; regions that other threads have open are discarded. Loop thread; pauses do not nest.
 */
SW_API void sw_pause(struct sw_profiler *sw);
/** Ends what sw_pause() began. */
SW_API void sw_resume(struct sw_profiler *sw);

/** Whether some sink was told from outside to stop the run (a stop button). The loop decides. Never
 * waits. */
SW_API bool sw_should_stop(struct sw_profiler *sw);

/** Tells the program's exit status to the loggers: a run whose status is not 0 is marked failed. 0
 * if not told. */
SW_API void sw_set_exit_status(struct sw_profiler *sw, int status);

/**
 * Makes a report of everything measured so far: one row for each phase and action.
 *
 * report: set to a new report, the caller's to give to sw_report_free(); untouched on failure.
 * err:    filled on failure; may be NULL.
 *
 * Returns the number of rows, or SW_ENOMEM; SW_EINVAL where sw is NULL or of a parent process. Any
 * thread may call it while the loop runs, and no thread waits for it: each row, with
 * its histogram, is of one moment. A region that is still
 * open is not in it, nor is the open step.
 */
SW_API int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err);

/** Frees a report; NULL is fine. */
SW_API void sw_report_free(struct sw_report *report);

/* ---- messages, clocks, threads: for frameworks, bindings and tests
 * --------------------------------- */

/** How grave a message is. */
enum sw_level {
    SW_NOTE,    /**< worth knowing: a run's URL */
    SW_WARNING, /**< something was lost or is doubtful, the measurement goes on */
    SW_ERROR    /**< a sink gave up */
};

/**
 * Who gets the messages of this profiler and its sinks: one line of text without newline, escaped
 * so that it is safe on a terminal. Called from any thread, one call at a time.
 */
typedef void sw_message_fn(void *arg, enum sw_level level, const char *text);

/**
 * Sends messages to fn instead of stderr ("stepwatch: warning: …"); fn NULL: to nobody.
 *
 * Waits for a message that another thread is saying. fn may call any function but sw_close(), this
 * one too; what its own calls have to say goes to stderr.
 */
SW_API void sw_set_messages(struct sw_profiler *sw, sw_message_fn *fn, void *arg);

/** A clock: nanoseconds that never go back, from any start. */
typedef int64_t sw_clock_fn(void *arg);

/** Measures with another clock from now on: tests and replay. Call it before the first region. */
SW_API void sw_set_clock(struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg);

/** Sets the wall clock of the run's start, in seconds since 1970, and marks the run as replayed.
 * Call it before the first region. */
SW_API void sw_set_start(struct sw_profiler *sw, double started_s);

/**
 * Lets the calling thread act as thread number n from now on: replay, fibers, coroutines.
 *
 * n: >= 0; the caller sees to it that no two threads act as the same number at the same time.
 */
SW_API void sw_set_thread(struct sw_profiler *sw, int n);

/* ---- conveniences
 * -------------------------------------------------------------------------------- */

#if defined(__GNUC__) && !defined(SW_NO_INLINE)
/* The off switch, inline: a NULL profiler costs a test. The functions of the same name are there as
 * well, for other languages and for their addresses. */
#define SW_IF_ON_(sw, call)                                                                        \
    __extension__({                                                                                \
        struct sw_profiler *sw_on_ = (sw);                                                         \
        if (__builtin_expect(sw_on_ != 0, 1))                                                      \
            call;                                                                                  \
    })
#define sw_begin(sw, action) SW_IF_ON_(sw, (sw_begin)(sw_on_, (action)))
#define sw_next(sw, action) SW_IF_ON_(sw, (sw_next)(sw_on_, (action)))
#define sw_end(sw, action) SW_IF_ON_(sw, (sw_end)(sw_on_, (action)))
#define sw_cancel(sw, action) SW_IF_ON_(sw, (sw_cancel)(sw_on_, (action)))
#define sw_end_batch(sw, samples) SW_IF_ON_(sw, (sw_end_batch)(sw_on_, (samples)))
#define sw_log(sw, name, value) SW_IF_ON_(sw, (sw_log)(sw_on_, (name), (value)))
#endif

/** What SW_SCOPE keeps until the end of the block. */
struct sw_scope {
    struct sw_profiler *sw;
    int action;
};

/** Ends the scope's region; called by the compiler. */
SW_NOT_INSTRUMENTED_ static inline void sw_scope_end(struct sw_scope *scope)
{
    sw_end(scope->sw, scope->action);
}

/** Begins action and remembers to end it; for SW_SCOPE. */
SW_NOT_INSTRUMENTED_ static inline struct sw_scope sw_scope_begin(struct sw_profiler *sw,
                                                                  int action)
{
    struct sw_scope scope = {sw, action};
    sw_begin(sw, action);
    return scope;
}

#define SW_PASTE_(a, b) a##b
#define SW_PASTE(a, b) SW_PASTE_(a, b)

/**
 * A region from here to the end of the enclosing block, however that is left: break, continue,
 * return and goto mean what they always mean. It is a declaration. Needs the cleanup attribute
 * (gcc, clang).
 */
#define SW_SCOPE(sw, action)                                                                       \
    __attribute__((cleanup(sw_scope_end), unused)) struct sw_scope SW_PASTE(sw_scope_, __LINE__) = \
        sw_scope_begin((sw), (action))

#ifdef __cplusplus
}
#endif
#endif
