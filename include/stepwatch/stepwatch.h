/* SPDX-License-Identifier: MIT */
/* stepwatch.h - measure a training loop.
 *
 * You open a profiler with a YAML file, the loop marks where its actions begin and end, and the
 * sinks named in the file receive the results. Every function accepts a NULL profiler and then does
 * nothing, so a program runs the same when stepwatch is off or could not be opened.
 *
 * Threads: you can call every function from any thread unless it says otherwise. A profiler is
 * valid until sw_close(); like a FILE after fclose(), it must not be used by any thread after that.
 * Times: durations are in nanoseconds of a monotonic clock. Texts that you pass are copied. */
#ifndef STEPWATCH_STEPWATCH_H
#define STEPWATCH_STEPWATCH_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>
#include <stepwatch/values.h>
#include <stepwatch/window.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** A profiler: its threads, measurements and sinks. Opaque. */
struct sw_profiler;

/** The actions of a training loop. They nest: fit > epoch > train, valid > draw, batch > the
 * others. */
enum sw_builtin_action {
    SW_FIT,      /**< the whole training; the thread that begins it is the loop thread */
    SW_EPOCH,    /**< one pass over the data */
    SW_TRAIN,    /**< the training part of an epoch */
    SW_VALID,    /**< the validation part of an epoch */
    SW_STEP,     /**< draw + batch; measured automatically: beginning or ending it does nothing */
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

/** The events of frameworks with callbacks, for sw_event(): what each begins or ends. */
enum sw_event {
    SW_BEFORE_FIT,            /**< begins fit */
    SW_BEFORE_EPOCH,          /**< begins epoch */
    SW_BEFORE_TRAIN,          /**< begins train */
    SW_BEFORE_DRAW,           /**< begins draw */
    SW_BEFORE_BATCH,          /**< ends draw, begins batch and forward (in validation: predict) */
    SW_AFTER_PRED,            /**< ends forward or predict, begins loss */
    SW_AFTER_LOSS,            /**< ends loss */
    SW_BEFORE_BACKWARD,       /**< begins backward */
    SW_BEFORE_STEP,           /**< ends backward, begins opt_step */
    SW_AFTER_STEP,            /**< ends opt_step, begins zero_grad */
    SW_AFTER_BATCH,           /**< ends zero_grad, batch and step; see sw_event_batch() */
    SW_AFTER_TRAIN,           /**< ends train */
    SW_BEFORE_VALIDATE,       /**< begins valid */
    SW_AFTER_VALIDATE,        /**< ends valid */
    SW_AFTER_EPOCH,           /**< ends epoch */
    SW_AFTER_FIT,             /**< ends fit, makes its report */
    SW_AFTER_CANCEL_BATCH,    /**< cancels the batch; keeps what ended inside it */
    SW_AFTER_CREATE,          /**< nothing is measured: the learner was made */
    SW_AFTER_BACKWARD,        /**< nothing: backward ends at SW_BEFORE_STEP */
    SW_AFTER_CANCEL_BACKWARD, /**< nothing: backward ends at SW_BEFORE_STEP */
    SW_AFTER_CANCEL_STEP,     /**< nothing: opt_step ends at SW_AFTER_STEP */
    SW_AFTER_CANCEL_TRAIN,    /**< discards what is open inside train; SW_AFTER_TRAIN ends it */
    SW_AFTER_CANCEL_VALIDATE, /**< discards what is open inside valid; SW_AFTER_VALIDATE ends it */
    SW_AFTER_CANCEL_EPOCH,    /**< discards what is open inside epoch; SW_AFTER_EPOCH ends it */
    SW_AFTER_CANCEL_FIT       /**< discards what is open inside fit; SW_AFTER_FIT ends it */
};

/* ---- open and close -------------------------------------------------------------------------- */

/**
 * Opens a profiler with a configuration file.
 *
 * path: the YAML file. NULL: the file that $STEPWATCH_CONFIG names, or else ./stepwatch.yaml; if
 * it does not exist, the defaults: throughput mode and the table on stdout. $STEPWATCH_SET
 * (key=value,key=value) overrides the profiler's keys in the file. Setuid programs ignore both
 * variables. ./stepwatch.yaml is refused if another user may have put it there: if it is a FIFO, a
 * link in a directory that others may write to, or another user's file in a directory that
 * everybody may write to.
 * err: filled on failure with all mistakes of the file, one on each line as file:line:column. NULL:
 * they are printed to standard error.
 *
 * Returns the profiler, which the caller must close with sw_close(); NULL on failure; NULL with
 * err->code 0 if it is turned off (`profiler: off`, or STEPWATCH=off in the environment). Does not
 * wait for the network and starts no process; each sink is opened on its own thread. Call it after
 * fork() or daemon(): a child of the calling process measures nothing.
 */
SW_API struct sw_profiler *sw_open(const char *path, struct sw_error *err);

/** Like sw_open(), but takes the YAML as text. Its relative paths are relative to the working
 * directory. */
SW_API struct sw_profiler *sw_open_text(const char *yaml, struct sw_error *err);

/** A function that receives the messages of a profiler and its sinks: one line each, without a
 * newline, safe on a terminal. Called from any thread, one call at a time. If it does not return
 * for a second, messages of other threads go to stderr; so do all once exit() or a signal has begun
 * to end the program. */
typedef void sw_message_fn(void *arg, enum sw_level level, const char *text);

/** A sink for sw_open_options(). */
struct sw_sink_options {
    const char *name; /**< a plugin or a sink of sw_sink_register(), such as "csv" */
    /** Keys and values in turn, ending with NULL: `{"path", "run.csv", NULL}`; NULL: the defaults.
     * Values are written as in YAML, but without quotes and ${NAME}. For a list, repeat the key. An
     * entry of a mapping has the key "KEY.ENTRY". A secret can be given directly. */
    const char *const *options;
};

/** How to open a profiler without a YAML file. Call sw_options_init() first: it sets the sizes, and
 * everything else to 0, which is the default. Texts and arrays are copied. */
struct sw_options {
    size_t size;       /**< of this struct */
    size_t sink_size;  /**< of one element of sinks */
    enum sw_mode mode; /**< SW_MODE_THROUGHPUT by default */
    const char *name;  /**< of the run; NULL: the program's name */
    /** Keys of the mapping `profiler` and their values, written like the options of a sink:
     * `{"rolling_average", "20", NULL}`. "mode" overrides the field mode. Monitors are given here,
     * too: `{"monitors", "true", NULL}`, `{"monitors.gpu.pcie", "true", NULL}`. */
    const char *const *options;
    const struct sw_sink_options *sinks; /**< sink_count of them */
    size_t sink_count;
    const char *const *plugin_path; /**< folders to search for plugins, ending with NULL */
    /** Base of relative paths; NULL: the folder of the YAML file, or else the working directory. */
    const char *directory;
    /** A YAML file to read first; "": the one that sw_open(NULL) finds; NULL: none. The options
     * override the file's keys, and the sinks are added to its sinks. */
    const char *file;
    /** Receives all messages from the beginning, and each mistake as a message of level SW_ERROR.
     * NULL: messages go to stderr, and mistakes only to err. */
    sw_message_fn *messages;
    void *messages_arg;
    /** The rank of this process in a distributed run, and the number of ranks. If ranks is 0, both
     * are read from the environment of the launcher. */
    int64_t rank;
    int64_t ranks;
};

/** Sets the sizes, and everything else to the default. */
SW_NOT_INSTRUMENTED_ static inline void sw_options_init(struct sw_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->sink_size = sizeof(struct sw_sink_options);
}

/** Like sw_open(), with options instead of a YAML file. A mistake in the options has a name in
 * place of file:line:column, such as `sinks[0].path` or `options.rolling_average`. $STEPWATCH=off
 * and $STEPWATCH_SET apply here, too. */
SW_API struct sw_profiler *sw_open_options(const struct sw_options *options, struct sw_error *err);

/**
 * Ends the measurement: closes a fit that is still open, makes its report, and lets every sink
 * finish. Own actions outside of any fit are reported after the last fit, as rows of its report; in
 * a program without a fit, as a fit of their own.
 *
 * All sinks work in parallel and share one deadline (the option close_timeout, 5 s by default). A
 * sink that misses it is abandoned and named in err. Call sw_close() from one thread, after all
 * others have stopped using sw, which is invalid afterwards, even on failure.
 *
 * Returns 0; SW_ESINK or SW_ETIME if a sink lost something, or SW_ENOMEM if memory ran out: err
 * names the sink and says what was lost and how much. SW_EINVAL if sw is not open, or in a process
 * that was made by daemon() or a double fork after sw_open() and has outlived its parent: nothing
 * was measured there. If exit() or a signal has already ended the run, it waits until that is done
 * and reports what was lost. If a signal is about to end the program, it does not return.
 */
SW_API int sw_close(struct sw_profiler *sw, struct sw_error *err);

/** Says that the program calls sw_close() or exit() when this signal ends it, although it or its
 * runtime handles the signal (in a finally block, by defer): the message of sw_open() about
 * handlers leaves it out. For the whole process; call it before sw_open(). Signals that stepwatch
 * does not handle are ignored. */
SW_API void sw_closes_at_signal(int signal);

/** Waits until every sink has processed and flushed what was sent to it: for use before a fork, in
 * a replay or in a test. timeout_ns: for all sinks together, 0 or more. Returns 0, or SW_ETIME if a
 * sink did not finish in time; no data is lost then. */
SW_API int sw_flush(struct sw_profiler *sw, int64_t timeout_ns);

/** The version of this header as a number, for comparisons: 0x010203 is 1.2.3. */
#define SW_VERSION_NUMBER 0x000100

/** Returns the version of the library, such as "0.1.0", as static text. */
SW_API const char *sw_version(void);

/* ---- the loop -------------------------------------------------------------------------------- */

/**
 * Returns a handle for your own action, for sw_begin() and the other calls; never negative. The
 * same name always gives the same handle in the whole process, so you can keep it in a `static int`
 * and use it with any number of profilers. The name of a builtin action gives that action.
 *
 * name: if it has more than 255 bytes, it is cut, and ends with a checksum. After 10,000 names,
 * each new name gives the handle of the action "other".
 */
SW_API int sw_action(const char *name);

/** Returns the name of an action, as static text; "other" for an unknown handle. */
SW_API const char *sw_action_name(int action);

/**
 * Returns a handle for an action whose input has this shape. Use it like the action itself, and
 * begin and end a region with the same handle. Reports show all shapes of an action as one action;
 * with `group_by: shape`, tables show each shape in a row of its own.
 *
 * action: forward, loss, backward, opt_step, predict, or your own; others have no shapes: for
 * these, the action itself is returned. shape: any text, such as "[[64, 128], [128, 10]]" for two
 * inputs, of which the first 1,023 bytes count. NULL or "": the action without a shape.
 *
 * The same action and shape always give the same handle. Finding a known shape takes no lock and no
 * memory. After 1,000 handles, each new shape gives the action itself.
 */
SW_API int sw_action_shaped(int action, const char *shape);

/** The dimensions of one input: an array of `rank` numbers. */
struct sw_dims {
    size_t rank;
    const int64_t *dim;
};

/** Like sw_action_shaped(), with the dimensions of `count` inputs as the shape. */
SW_API int sw_action_dims(int action, const struct sw_dims *input, size_t count);

/** Returns the shape of a handle of sw_action_shaped(), as static text; "" for other handles. */
SW_API const char *sw_action_shape(int action);

/**
 * Begins a region of an action on the calling thread. Regions nest, to a depth of 1,024. Never
 * fails.
 *
 * The thread that begins fit, epoch, train, valid or the first batch is the loop thread; its
 * regions make the steps. Regions of other threads are reported under `threads`, and regions of the
 * loop thread outside of any fit under `before` and `after`.
 *
 * Misuses, which are counted: a builtin action that is already open on this thread is replaced, and
 * a batch by an epoch, train or valid that begins within it. Beginning a fit ends one that is still
 * open and makes its report (no misuse if stepwatch itself began that fit, as for a trial
 * validation before the fit). Your own actions may nest in themselves: all calls are counted, and
 * the total is that of the outermost calls.
 */
SW_API void sw_begin(struct sw_profiler *sw, int action);

/** Ends the innermost region and begins action, with a single clock read: `sw_next(sw, SW_LOSS)`.
 * It never ends fit, epoch, train, valid or batch: within one of those, it just begins action. */
SW_API void sw_next(struct sw_profiler *sw, int action);

/** Ends the region of an action, and discards what is still open inside it: a batch together with
 * its draw and the actions that have ended in it. If no such region is open, it is counted as a
 * misuse. sw_end(sw, SW_BATCH) is sw_end_batch(sw, 0). Ending fit makes its report. */
SW_API void sw_end(struct sw_profiler *sw, int action);

/** Ends a region without counting it or what is open inside it, as for a draw that found no more
 * data. Actions that have ended inside a cancelled batch are kept; a batch that is open inside the
 * cancelled region is discarded as by sw_end(). Cancelling fit ends it: its report has everything
 * else that had ended. */
SW_API void sw_cancel(struct sw_profiler *sw, int action);

/** Ends the batch and with it the step. samples: in the batch, for the rates of its actions; if it
 * is 0 or less, the step is counted but has no rate. */
SW_API void sw_end_batch(struct sw_profiler *sw, int64_t samples);

/** Reports an event of a framework with callbacks. SW_AFTER_BATCH ends a batch of 0 samples. */
SW_API void sw_event(struct sw_profiler *sw, enum sw_event event);

/** Reports SW_AFTER_BATCH with the number of samples in the batch. */
SW_API void sw_event_batch(struct sw_profiler *sw, int64_t samples);

/** A function for sw_on_event(). */
typedef void sw_event_fn(void *arg, enum sw_event event);

/**
 * Calls fn each time that the program reports this event, on the loop's thread, in the order in
 * which functions were added.
 *
 * fn is called after an event has begun its actions, and before an event ends its actions, so its
 * time is part of the action; at SW_AFTER_BATCH, of the batch, and of no action in it. fn may call
 * any function except sw_close(). It is not called in a pause, nor if sw is NULL: use it only for
 * what belongs to the measurement.
 *
 * Returns 0, SW_EINVAL if the event is unknown or fn is NULL, or SW_ENOMEM. Call it before the
 * loop, or from the loop's thread.
 */
SW_API int sw_on_event(struct sw_profiler *sw, enum sw_event event, sw_event_fn *fn, void *arg);

/* ---- values, and the course of the run ------------------------------------------------------- */

/** Logs a value of your own, such as a loss, for the current training step; during validation, for
 * the last one. Before the first training step, and in a program that has none, the step starts at
 * 0, or at the newest one of sw_log_at(), and goes up by one when a name already has a value at it.
 * Names are cut as by sw_action(). All values are kept, including NAN and infinity. */
SW_API void sw_log(struct sw_profiler *sw, const char *name, double value);

/** Logs a value for a step that you know, such as of solver iterations or evaluated checkpoints.
 * Does not change the training step. step: clamped to 0 to 2^52. Give each name rising steps:
 * viewers such as TensorBoard hide the values of higher steps that were logged earlier. */
SW_API void sw_log_at(struct sw_profiler *sw, const char *name, double value, int64_t step);

/** Returns a handle for a counter of your own, such as tokens, bytes or flops. The same name always
 * gives the same handle in the whole process. Names are cut as by sw_action(). After 64 names, each
 * new name gives the handle of the counter "other". */
SW_API int sw_counter(const char *name);

/**
 * Adds n to a counter of the calling thread, and so to all regions that are open on it. For each
 * action, reports show how much was counted in its regions, with and without the regions inside.
 *
 * n: a negative number is counted as a misuse and ignored. A sum of a report is at most INT64_MAX,
 * which stands for all that is larger; nothing is computed from it. In a pause it does nothing. A
 * region that begins on one OS thread and ends on another has no counts.
 */
SW_API void sw_count(struct sw_profiler *sw, int counter, int64_t n);

/** Logs a hyper-parameter. Call it before the first step if you can. */
SW_API void sw_hparam_int(struct sw_profiler *sw, const char *name, int64_t value);
/** Like sw_hparam_int(), for a floating-point number. */
SW_API void sw_hparam_float(struct sw_profiler *sw, const char *name, double value);
/** Like sw_hparam_int(), for a text. The user part of an address such as https://user@host goes. */
SW_API void sw_hparam_string(struct sw_profiler *sw, const char *name, const char *value);

/**
 * Returns a number that a sweep of W&B gives the program, such as a learning rate, and logs it like
 * sw_hparam_float() unless sw is NULL. Reads the file that WANDB_SWEEP_PARAM_PATH names, which
 * `wandb agent` writes, at each call: the program need not parse arguments.
 *
 * fallback: returned outside of a sweep, or if the sweep lacks the name; with a warning, if the
 * file cannot be read, or if the value is not a number, true (1) or false (0).
 */
SW_API double sw_param(struct sw_profiler *sw, const char *name, double fallback);

/** Sets the number of the next training step, after you resume from a checkpoint. Until the first
 * training step of the run ends, values that you log belong to that number; during validation, to
 * the step before. Clamped to 2^52; negative values are ignored. Call it from the loop thread. */
SW_API void sw_set_step(struct sw_profiler *sw, int64_t step);

/** Returns the number of the next training step. It starts at 0 and counts finished steps. */
SW_API int64_t sw_get_step(struct sw_profiler *sw);

/** Sets the total number of training steps, for the estimated time of arrival. 0: unknown. */
SW_API void sw_expect_steps(struct sw_profiler *sw, int64_t steps);

/** Excludes all time until sw_resume() from every measurement, for example during a learning-rate
 * search or while a checkpoint is saved. Regions, spans, counts and values in between are left out.
 * The time is subtracted from the open regions of the calling thread; open regions of other threads
 * are discarded, and their ends are not misuses. Call it from the loop thread. Pauses do not nest.
 */
SW_API void sw_pause(struct sw_profiler *sw);
/** Ends the pause that sw_pause() began. */
SW_API void sw_resume(struct sw_profiler *sw);

/** Returns true if a sink received a request to stop the run, such as from a stop button. The loop
 * decides whether to stop. Never waits. */
SW_API bool sw_should_stop(struct sw_profiler *sw);

/** Passes the program's exit status to the loggers; a run whose status is not 0 is marked as
 * failed. The default is 0. */
SW_API void sw_set_exit_status(struct sw_profiler *sw, int status);

/**
 * Makes a report of everything measured so far, without regions and steps that are still open: one
 * row for each phase and action, each of them consistent. No thread waits for it.
 *
 * report: set to a new report, which the caller must free with sw_report_free(); unchanged on
 * failure. Returns the number of rows, SW_ENOMEM, or SW_EINVAL if sw is NULL or belongs to a parent
 * process.
 */
SW_API int sw_report_new(struct sw_profiler *sw, struct sw_report **report, struct sw_error *err);

/** Frees a report. Accepts NULL. */
SW_API void sw_report_free(struct sw_report *report);

/* ---- spans, notes, printing, alerts ---------------------------------------------------------- */

/**
 * Begins a span: an interval that need not nest, and may end on another thread, such as a prefetch
 * or an all-reduce beside backward. Spans may overlap each other and any region. They have rows of
 * their own in the report, in the phase `spans`, without a share of fit and without self time, and
 * no other row includes them. Holds a lock for a short time.
 *
 * Returns an id for sw_span_end() that no other span of the profiler has; 0 if the span is not
 * measured: if sw is NULL, in a pause, or if more than 1,048,576 spans are open.
 */
SW_API int64_t sw_span_begin(struct sw_profiler *sw, int action);

/** Ends a span, once: an id that is not open is ignored, and so is 0. A span that a pause
 * interrupts, or that never ends, is not counted. It belongs to the report of the fit in which it
 * ends. */
SW_API void sw_span_end(struct sw_profiler *sw, int64_t id);

/** Adds a note about this moment, such as "checkpoint written", to the run log and to timelines. It
 * belongs to the current training step, like a value of sw_log(). Works in a pause, too. */
SW_API void sw_note(struct sw_profiler *sw, const char *text);

/**
 * Prints to standard output like printf(), in one piece, without mixing the text with the line with
 * which the sink `table` shows the progress of the loop: that line is wiped first, and drawn again
 * when the program has ended its own line and printed nothing for a quarter of a second. After the
 * first call, `live: auto` shows the line even if standard output goes to the same terminal.
 *
 * Returns the number of bytes, or a negative number on failure.
 */
__attribute__((format(printf, 2, 3))) SW_API int sw_print(struct sw_profiler *sw,
                                                          const char *format, ...);

/**
 * Reports something that the user should look at, such as a loss that diverges: printed as a
 * message, `alert: TITLE: TEXT`, and given to the sinks (the run log, Weights & Biases,
 * TensorBoard). It belongs to the current training step, like a value of sw_log(). Works in a
 * pause, too.
 *
 * title: what is wrong, cut after 64 characters. If the same title comes again within 60 seconds,
 * it is counted but not sent.
 * text: the details, cut after 4 KiB; NULL: none. Bytes that are not UTF-8 become the text \xNN.
 *
 * Returns 0, even if the alert was only counted; SW_EINVAL if the level is unknown or there is no
 * title; or SW_ENOMEM. A loop may ignore the result.
 */
SW_API int sw_alert(struct sw_profiler *sw, enum sw_level level, const char *title,
                    const char *text);

/* ---- windows: the steps in which each region is recorded ------------------------------------- */

/** A function for sw_on_window(). window: the one that has ended, valid only during the call. */
typedef void sw_window_fn(void *arg, const struct sw_window *window);

/**
 * Calls fn at the end of each window, on the loop's thread: at the end of the window's last step,
 * when sw_get_step() already returns the number of the next one, or in sw_close(); not if exit() or
 * a signal ends the window. All regions of the window have been sent to the sinks; call sw_flush()
 * in fn if you need their files.
 *
 * fn may call any function except sw_close(). NULL: no function. Call sw_on_window() before the
 * first region, or from the loop's thread.
 */
SW_API void sw_on_window(struct sw_profiler *sw, sw_window_fn *fn, void *arg);

/**
 * Records the next training steps: opens a window for them, or keeps the one that is open. Between
 * two steps on the loop's thread, it begins with the next step, otherwise with the one after the
 * current step. Without the key `schedule` or `capture`, the window is the whole run anyway, and
 * the call does nothing.
 *
 * steps: how many. If a capture is still going on, the larger number counts.
 *
 * Returns 0, or SW_EINVAL if steps is less than 1.
 */
SW_API int sw_capture(struct sw_profiler *sw, int64_t steps);

/* ---- messages, clocks, threads: for frameworks, bindings and tests --------------------------- */

/**
 * Sends messages to fn instead of stderr ("stepwatch: warning: …"). NULL: messages are discarded.
 *
 * Waits while another thread is inside the current fn, for at most a second. fn may call any
 * function except sw_close(), including this one; messages that its own calls cause go to stderr.
 */
SW_API void sw_set_messages(struct sw_profiler *sw, sw_message_fn *fn, void *arg);

/** A clock. Returns nanoseconds since an arbitrary fixed start, and never goes back. */
typedef int64_t sw_clock_fn(void *arg);

/** Uses another clock, for tests and replay. Call it before the first region. */
SW_API void sw_set_clock(struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg);

/** Makes the calling thread act as thread number n from now on, for replay, fibers and coroutines.
 * n: 0 or more, of one thread at a time. A number that a thread has by itself, as the first one has
 * 0, stays with it: if other OS threads continue its regions, call this before the first region. */
SW_API void sw_set_thread(struct sw_profiler *sw, int n);

/* ---- conveniences ---------------------------------------------------------------------------- */

/** Measures a region from here to the end of the enclosing block, even if break, continue, return
 * or goto leaves the block. It is a declaration. Needs the cleanup attribute (gcc, clang). */
#define SW_SCOPE(sw, action)                                                                       \
    __attribute__((cleanup(sw_scope_end), unused)) struct sw_scope SW_PASTE(                       \
        sw_scope_, __COUNTER__) = sw_scope_begin((sw), (action))

/** The action of this place in the source: in line 42 of train.c, SW_PLACE("forward") is the action
 * "train.c(42): forward", as torch.profiler names places. With `group_by: stack`, such a region is
 * in the stacks of the regions inside it, and has no row of its own. function: a string literal.
 * Each use looks the name up, as sw_action() does. */
#define SW_PLACE(function) sw_action(__FILE__ "(" SW_TEXT_OF(__LINE__) "): " function)

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#include <stepwatch/inline.h>

#endif
