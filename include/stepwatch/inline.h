/* SPDX-License-Identifier: MIT */
/* inline.h - the loop's calls when stepwatch is off: calls that do nothing where it is disabled,
 * else a test before each call. The last part of stepwatch.h, which includes it. */
#ifndef STEPWATCH_INLINE_H
#define STEPWATCH_INLINE_H

#include <stepwatch/stepwatch.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(struct sw_profiler *, sw_open,
        (const char *path, struct sw_error *err), (sw_error_init(err), (struct sw_profiler *)NULL))
SW_OFF_(struct sw_profiler *, sw_open_text,
        (const char *yaml, struct sw_error *err), (sw_error_init(err), (struct sw_profiler *)NULL))
SW_OFF_(struct sw_profiler *, sw_open_options,
        (const struct sw_options *options, struct sw_error *err),
        (sw_error_init(err), (struct sw_profiler *)NULL))
SW_OFF_(int, sw_close, (struct sw_profiler *sw, struct sw_error *err), (sw_error_init(err), 0))
SW_OFF_(void, sw_closes_at_signal, (int signal), )
SW_OFF_(int, sw_flush, (struct sw_profiler *sw, int64_t timeout_ns), 0)
SW_OFF_(const char *, sw_version, (void), "disabled")
SW_OFF_(int, sw_action, (const char *name), SW_BUILTIN_ACTIONS)
SW_OFF_(const char *, sw_action_name, (int action), "other")
SW_OFF_(int, sw_action_shaped, (int action, const char *shape), action)
SW_OFF_(int, sw_action_dims, (int action, const struct sw_dims *input, size_t count), action)
SW_OFF_(const char *, sw_action_shape, (int action), "")
SW_OFF_(void, sw_begin, (struct sw_profiler *sw, int action), )
SW_OFF_(void, sw_next, (struct sw_profiler *sw, int action), )
SW_OFF_(void, sw_end, (struct sw_profiler *sw, int action), )
SW_OFF_(void, sw_cancel, (struct sw_profiler *sw, int action), )
SW_OFF_(void, sw_end_batch, (struct sw_profiler *sw, int64_t samples), )
SW_OFF_(void, sw_event, (struct sw_profiler *sw, enum sw_event event), )
SW_OFF_(void, sw_event_batch, (struct sw_profiler *sw, int64_t samples), )
SW_OFF_(int, sw_on_event,
        (struct sw_profiler *sw, enum sw_event event, sw_event_fn *fn, void *arg),
        fn && (unsigned)event <= SW_AFTER_CANCEL_FIT ? 0 : SW_EINVAL)
SW_OFF_(void, sw_log, (struct sw_profiler *sw, const char *name, double value), )
SW_OFF_(void, sw_log_at, (struct sw_profiler *sw, const char *name, double value, int64_t step), )
SW_OFF_(int, sw_counter, (const char *name), 0)
SW_OFF_(void, sw_count, (struct sw_profiler *sw, int counter, int64_t n), )
SW_OFF_(void, sw_hparam_int, (struct sw_profiler *sw, const char *name, int64_t value), )
SW_OFF_(void, sw_hparam_float, (struct sw_profiler *sw, const char *name, double value), )
SW_OFF_(void, sw_hparam_string, (struct sw_profiler *sw, const char *name, const char *value), )
SW_OFF_(double, sw_param, (struct sw_profiler *sw, const char *name, double fallback), fallback)
SW_OFF_(void, sw_set_step, (struct sw_profiler *sw, int64_t step), )
SW_OFF_(int64_t, sw_get_step, (struct sw_profiler *sw), 0)
SW_OFF_(void, sw_expect_steps, (struct sw_profiler *sw, int64_t steps), )
SW_OFF_(void, sw_pause, (struct sw_profiler *sw), )
SW_OFF_(void, sw_resume, (struct sw_profiler *sw), )
SW_OFF_(bool, sw_should_stop, (struct sw_profiler *sw), false)
SW_OFF_(void, sw_set_exit_status, (struct sw_profiler *sw, int status), )
SW_OFF_(int, sw_report_new,
        (struct sw_profiler *sw, struct sw_report **report, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(void, sw_report_free, (struct sw_report *report), )
SW_OFF_(int64_t, sw_span_begin, (struct sw_profiler *sw, int action), 0)
SW_OFF_(void, sw_span_end, (struct sw_profiler *sw, int64_t id), )
SW_OFF_(void, sw_note, (struct sw_profiler *sw, const char *text), )
SW_OFF_(int, sw_alert,
        (struct sw_profiler *sw, enum sw_level level, const char *title, const char *text), 0)
SW_OFF_(void, sw_on_window, (struct sw_profiler *sw, sw_window_fn *fn, void *arg), )
SW_OFF_(int, sw_capture, (struct sw_profiler *sw, int64_t steps), steps < 1 ? SW_EINVAL : 0)
SW_OFF_(void, sw_set_messages, (struct sw_profiler *sw, sw_message_fn *fn, void *arg), )
SW_OFF_(void, sw_set_clock, (struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg), )
SW_OFF_(void, sw_set_thread, (struct sw_profiler *sw, int n), )
/* clang-format on */
__attribute__((format(printf, 2, 3))) SW_API int sw_print(struct sw_profiler *sw,
                                                          const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vprintf(format, args);
    va_end(args);
    return n;
}
#pragma GCC diagnostic pop
#endif

#if defined(__GNUC__) && !defined(SW_NO_INLINE) && !defined(SW_DISABLED)
/* Calls through the global offset table only: this needs one cache line less than a call through
 * the procedure linkage table. */
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(noplt)
#define SW_NO_PLT_ __attribute__((noplt))
#endif
#endif
#ifndef SW_NO_PLT_
#define SW_NO_PLT_
#endif
/* An inline test: a call costs no more than this when stepwatch is off. With gnu_inline, the
 * compiler emits no second copy of these functions: other languages, and code that takes their
 * address, use the library's functions of the same name. */
#define SW_CALL_UNLESS_OFF_(name, parameters, arguments)                                           \
    SW_NO_PLT_ SW_API void name##_called_ parameters __asm__(#name);                               \
    SW_NOT_INSTRUMENTED_ extern __inline__ __attribute__((gnu_inline)) void name parameters        \
    {                                                                                              \
        if (__builtin_expect(sw != 0, 1))                                                          \
            name##_called_ arguments;                                                              \
    }
SW_CALL_UNLESS_OFF_(sw_begin, (struct sw_profiler * sw, int action), (sw, action))
SW_CALL_UNLESS_OFF_(sw_next, (struct sw_profiler * sw, int action), (sw, action))
SW_CALL_UNLESS_OFF_(sw_end, (struct sw_profiler * sw, int action), (sw, action))
SW_CALL_UNLESS_OFF_(sw_cancel, (struct sw_profiler * sw, int action), (sw, action))
SW_CALL_UNLESS_OFF_(sw_end_batch, (struct sw_profiler * sw, int64_t samples), (sw, samples))
SW_CALL_UNLESS_OFF_(sw_log, (struct sw_profiler * sw, const char *name, double value),
                    (sw, name, value))
#undef SW_CALL_UNLESS_OFF_
#undef SW_NO_PLT_
#endif

/* ---- parts of SW_SCOPE and SW_PLACE ---------------------------------------------------------- */

/** The state that SW_SCOPE keeps until the end of the block. */
struct sw_scope {
    struct sw_profiler *sw;
    int action;
};

/** Ends the region of a scope. The compiler inserts the call. */
SW_NOT_INSTRUMENTED_ static inline void sw_scope_end(struct sw_scope *scope)
{
    sw_end(scope->sw, scope->action);
}

/** Begins the region of a scope; used by SW_SCOPE. */
SW_NOT_INSTRUMENTED_ static inline struct sw_scope sw_scope_begin(struct sw_profiler *sw,
                                                                  int action)
{
    struct sw_scope scope = {sw, action};
    sw_begin(sw, action);
    return scope;
}

#define SW_PASTE_(a, b) a##b
#define SW_PASTE(a, b) SW_PASTE_(a, b)

#define SW_TEXT_OF_(token) #token
#define SW_TEXT_OF(token) SW_TEXT_OF_(token)

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
