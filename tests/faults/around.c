/* SPDX-License-Identifier: MIT */
/* around.c - preloaded, it reads a clock of its own around each call of the loop that a program
 * makes, on all threads, and says at exit on standard error what they took:
 *
 *     around STEPS NANOSECONDS
 *
 * The end of fit is left out: the report is made in it. */
#define SW_NO_INLINE /* the functions themselves */
#include <stepwatch/stepwatch.h>
#include <stepwatch/values.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define EXPORT __attribute__((visibility("default")))

static atomic_llong spent, steps;
static int64_t empty, first_tick, first_ns;
static __thread bool inside __attribute__((tls_model("initial-exec")));

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* What was before is done, and what is after has not begun. */
static inline int64_t fenced(void)
{
#if defined(__x86_64__)
    _mm_lfence();
    int64_t tick = (int64_t)__rdtsc();
    _mm_lfence();
    return tick;
#else
    return now_ns();
#endif
}

__attribute__((constructor)) static void begin(void)
{
    empty = INT64_MAX;
    for (int i = 0; i < 10000; i++) {
        int64_t tick = fenced();
        tick = fenced() - tick;
        empty = tick < empty ? tick : empty;
    }
    first_tick = fenced();
    first_ns = now_ns();
}

__attribute__((destructor)) static void end(void)
{
    double ns_per_tick = (double)(now_ns() - first_ns) / (double)(fenced() - first_tick);
    if (steps)
        fprintf(stderr, "around %lld %.0f\n", (long long)steps, (double)spent * ns_per_tick);
}

/* A call that leads to another one is one. */
#define CALL(name, counts, ...) CALL_FOR((void), name, counts, __VA_ARGS__)
#define CALL_FOR(to, name, counts, ...)                                                            \
    do {                                                                                           \
        static _Atomic(void *) real;                                                               \
        if (!real)                                                                                 \
            real = dlsym(RTLD_NEXT, #name);                                                        \
        bool outer = !inside && (counts);                                                          \
        inside = inside || outer;                                                                  \
        int64_t tick = fenced();                                                                   \
        to(__extension__(__typeof__(&name)) real)(__VA_ARGS__);                                    \
        if (outer) {                                                                               \
            spent += fenced() - tick - empty;                                                      \
            inside = false;                                                                        \
        }                                                                                          \
    } while (0)

EXPORT void sw_begin(struct sw_profiler *sw, int action)
{
    CALL(sw_begin, true, sw, action);
}

EXPORT void sw_next(struct sw_profiler *sw, int action)
{
    CALL(sw_next, true, sw, action);
}

EXPORT void sw_end(struct sw_profiler *sw, int action)
{
    CALL(sw_end, action != SW_FIT, sw, action);
}

EXPORT void sw_cancel(struct sw_profiler *sw, int action)
{
    CALL(sw_cancel, action != SW_FIT, sw, action);
}

EXPORT void sw_end_batch(struct sw_profiler *sw, int64_t samples)
{
    steps++;
    CALL(sw_end_batch, true, sw, samples);
}

EXPORT void sw_log(struct sw_profiler *sw, const char *name, double value)
{
    CALL(sw_log, true, sw, name, value);
}

/* They fold what the loop has noted. */
EXPORT int sw_log_vector(struct sw_profiler *sw, const char *name, enum sw_type type,
                         const void *data, size_t count, unsigned what)
{
    int rc;
    CALL_FOR(rc =, sw_log_vector, true, sw, name, type, data, count, what);
    return rc;
}

EXPORT int sw_log_images(struct sw_profiler *sw, const char *name, const struct sw_image *image,
                         size_t count)
{
    int rc;
    CALL_FOR(rc =, sw_log_images, true, sw, name, image, count);
    return rc;
}

EXPORT int sw_log_image(struct sw_profiler *sw, const char *name, enum sw_type type,
                        const void *pixels, int width, int height, int channels,
                        const char *caption)
{
    int rc;
    CALL_FOR(rc =, sw_log_image, true, sw, name, type, pixels, width, height, channels, caption);
    return rc;
}

EXPORT int sw_log_table(struct sw_profiler *sw, const char *name,
                        const struct sw_table_column *column, size_t columns, size_t rows)
{
    int rc;
    CALL_FOR(rc =, sw_log_table, true, sw, name, column, columns, rows);
    return rc;
}
