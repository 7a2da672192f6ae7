/* SPDX-License-Identifier: MIT */
#include "core/clock/clock.h"

#include <math.h>
#include <string.h>

enum { BRACKETS = 20 };
/* Smaller differences of the clocks are not a gap: CLOCK_MONOTONIC is slewed, by 0.0005 for long
 * and by 1/12 for a short time (chrony's maxslewrate). */
#define NO_GAP_NS 1e6
#define NO_GAP_SLEW 0.1
#define NO_GAP_SLEW_NS 1e9
#define NO_GAP 1e-3
/* A thread that lost its processor between reading the two clocks looks again, closely. */
#define WIDE_NS 1e5
/* If a gap follows another one this soon, the rate is probably wrong, not the clocks. */
#define SOON_NS 1000000000
/* A clock that has not moved for this long has stopped: no clock ticks so rarely. */
#define STANDS_STILL_NS 12e6
/* Before anything is measured, the rate may differ this much from the CPU's nominal rate. */
#define NOMINAL_DOUBT 0.5
/* The shortest interval between two accurate comparisons of the clocks. */
#define COMPARE_LEAST_NS 1e5
/* An error of the times is corrected by at most this part of the rate. */
#define SLEW_MOST 0.1

/* ---- pairs of both clocks -------------------------------------------------------------------- */

struct pair {
    int64_t tick;
    int64_t ns;
    int64_t width; /* ticks within which both were read */
    int64_t asked; /* the tick from which on they are compared, which is no later */
};

/* Reads counter, clock, counter some times and returns the tightest bracket: the best of 20 is
 * accurate to a few ns. */
static struct pair pair_read(const struct swi_clock_source *source, int brackets)
{
    struct pair best = {.width = INT64_MAX};
    for (int i = 0; i < brackets; i++) {
        int64_t before = source->counter(source->arg);
        int64_t ns = source->kernel_ns(source->arg);
        int64_t width = source->counter(source->arg) - before;
        if (width >= 0 && width < best.width)
            best = (struct pair){before + width / 2, ns, width, 0};
    }
    /* The counter went back within each bracket, so it is not usable as a counter. */
    if (best.width == INT64_MAX)
        best = (struct pair){source->counter(source->arg), source->kernel_ns(source->arg), 0, 0};
    return best;
}

/* ---- starting -------------------------------------------------------------------------------- */

static void rate_set(struct swi_clock *clock, double rate, double doubt)
{
    clock->rate = rate;
    clock->doubt = doubt;
    atomic_store_explicit(&clock->second, (int64_t)(1e9 / rate), memory_order_relaxed);
}

static void begin_at(struct swi_clock *clock, const struct pair *pair)
{
    clock->begin_tick = clock->close_tick = pair->tick;
    clock->begin_ns = clock->close_ns = pair->ns;
    clock->wide_ticks = 2 * pair->width;
}

/* Begins a new course, which times follow from now on. */
static void course_begin(struct swi_clock *clock, int64_t tick, double ns, double slope)
{
    clock->courses += clock->courses < SWI_COURSES_KEPT;
    memmove(&clock->course[1], &clock->course[0],
            (size_t)(clock->courses - 1) * sizeof *clock->course);
    clock->course[0] = (struct swi_course){tick, ns, slope};
}

static void compared_at(struct swi_clock *clock, const struct pair *pair)
{
    atomic_store_explicit(&clock->compared, pair->tick, memory_order_relaxed);
    clock->compared_ns = pair->ns;
}

static void start(struct swi_clock *clock)
{
    struct pair pair = {0};
    if (clock->counter)
        pair = pair_read(&clock->source, BRACKETS);
    else
        pair.tick = pair.ns = clock->read(clock->arg);
    clock->first_ns = pair.ns;
    clock->next_tick = pair.tick;
    begin_at(clock, &pair);
    compared_at(clock, &pair);
    rate_set(clock, clock->counter ? clock->source.nominal : 1, NOMINAL_DOUBT);
    clock->courses = 0;
    course_begin(clock, pair.tick, 0, clock->rate);
}

void swi_clock_init_from(struct swi_clock *clock, const struct swi_clock_source *source)
{
    *clock = (struct swi_clock){.counter = true, .source = *source};
    pthread_mutex_init(&clock->lock, NULL);
    start(clock);
}

void swi_clock_init(struct swi_clock *clock)
{
    *clock = (struct swi_clock){0};
    clock->counter = swi_clock_source_init(&clock->source);
    clock->read = clock->source.kernel_ns;
    pthread_mutex_init(&clock->lock, NULL);
    start(clock);
}

void swi_clock_fini(struct swi_clock *clock)
{
    pthread_mutex_destroy(&clock->lock);
}

void swi_clock_set(struct swi_clock *clock, sw_clock_fn *read, void *arg)
{
    clock->counter = false;
    clock->read = read;
    clock->arg = arg;
    clock->set = true;
    start(clock);
}

/* ---- looking, with the lock held ------------------------------------------------------------- */

/* Adds the comparisons so far to the sums for the rate, and begins another stretch. */
static void stretch_end(struct swi_clock *clock, const struct pair *pair)
{
    clock->earlier_ticks += clock->close_tick - clock->begin_tick;
    clock->earlier_ns += clock->close_ns - clock->begin_ns;
    begin_at(clock, pair);
}

/* The kernel's clock must neither go back nor stop. If it does, the counter is used to continue it.
 * Returns false if the clock may just have a coarse resolution. */
static bool keep_forward(struct swi_clock *clock, struct pair *pair)
{
    int64_t ticks = pair->tick - clock->compared;
    double passed = ticks > 0 ? (double)ticks * clock->rate : 0;
    pair->ns += clock->back_ns;
    if (pair->ns > clock->compared_ns)
        return true;
    if (pair->ns == clock->compared_ns && passed < STANDS_STILL_NS)
        return false;
    int64_t missing = clock->compared_ns + (int64_t)passed - pair->ns;
    clock->back_ns += missing;
    pair->ns += missing;
    stretch_end(clock, pair);
    return true;
}

/* Returns by how many nanoseconds the counter has run ahead since the last look, or 0 if there is
 * no gap. */
static double gap_ns(const struct swi_clock *clock, const struct pair *pair)
{
    double passed = (double)(pair->ns - clock->compared_ns);
    double counted = (double)(pair->tick - clock->compared) * clock->rate;
    double most = NO_GAP_NS + (double)pair->width * clock->rate +
                  fmin(NO_GAP_SLEW * passed, NO_GAP_SLEW_NS) +
                  (NO_GAP + clock->doubt) * fmax(passed, fabs(counted));
    return fabs(counted - passed) > most ? counted - passed : 0;
}

/* Returns the gap, which is valid with the lock held. It is after the last look, and after what has
 * a time already: nobody knows better. */
static const struct swi_gap *gap_keep(struct swi_clock *clock, const struct pair *pair,
                                      double too_far_ns)
{
    unsigned n = atomic_load(&clock->gaps);
    int64_t since = (int64_t)((double)(pair->ns - clock->compared_ns) / clock->rate);
    int64_t after = pair->tick - since;
    bool set_back = pair->tick < clock->compared;
    int64_t before = clock->issued_tick > clock->compared ? clock->issued_tick : clock->compared;
    if (!set_back && after < before)
        after = before < pair->tick ? before : pair->tick;
    struct swi_gap *gap = &clock->gap[n % SWI_GAPS_KEPT];
    *gap = (struct swi_gap){after, set_back, pair->asked, (int64_t)(too_far_ns / clock->rate)};
    atomic_store_explicit(&clock->gaps, n + 1, memory_order_release);
    return gap;
}

static double course_at(const struct swi_course *course, int64_t tick)
{
    return course->ns + (double)(tick - course->tick) * course->slope;
}

/* If a gap follows a gap, the rate may be wrong, so it is measured again. */
static void rate_doubt(struct swi_clock *clock)
{
    clock->earlier_ticks = clock->earlier_ns = 0;
    clock->doubt = NOMINAL_DOUBT;
    clock->measured = false;
}

/* Times continue from the latest that was returned, or from now if that is later. What was read
 * between the last look and the gap has times of the old course if they were asked for already, or
 * if later ones were, and else of the new one. */
static void gap_cross(struct swi_clock *clock, const struct pair *pair, double too_far_ns)
{
    double now = (double)(pair->ns - clock->first_ns), issued = (double)clock->issued_ns;
    double least = fmax(issued, course_at(&clock->course[0], clock->compared));
    bool soon = clock->gaps && clock->compared_ns - clock->begin_ns < SOON_NS;
    const struct swi_gap *gap = gap_keep(clock, pair, too_far_ns);
    bool kept = swi_gap_is_before(gap, clock->issued_tick, pair->tick);
    stretch_end(clock, pair);
    if (soon)
        rate_doubt(clock);
    clock->next_tick = pair->tick;
    clock->issued_tick += gap->shift;
    for (int i = 0; i < clock->courses; i++)
        clock->course[i].tick += gap->shift;
    int64_t after = gap->after;
    if (kept && clock->issued_tick > after && clock->issued_tick <= pair->tick)
        after = clock->issued_tick;
    double since = (double)(pair->tick - after) * clock->rate;
    course_begin(clock, after + 1, fmax(fmax(now, issued) - since, least), clock->rate);
}

/* Returns false if it is too early to know, or if a clock stops. ns: set to how long was measured.
 */
static bool rate_measure(struct swi_clock *clock, double *ns)
{
    double ticks = (double)(clock->earlier_ticks + clock->close_tick - clock->begin_tick);
    *ns = (double)(clock->earlier_ns + clock->close_ns - clock->begin_ns);
    double rate = *ns / ticks, doubt = (double)clock->wide_ticks / ticks;
    double nominal = clock->source.nominal;
    if (!(ticks > 0 && *ns > 0 && doubt < 0.1 && rate > nominal / 20 && rate < nominal * 20))
        return false;
    rate_set(clock, rate, doubt);
    return true;
}

/* The correction of times lasts until the next accurate comparison was due. If that comparison is
 * late, no time was returned since, and times continue with the rate. */
static void course_straighten(struct swi_clock *clock, int64_t tick)
{
    const struct swi_course *course = &clock->course[0];
    int64_t end = clock->next_tick;
    if (tick > end && end > course->tick && course->slope != clock->rate)
        course_begin(clock, end, course_at(course, end), clock->rate);
}

/* Durations use the new rate at once. Times continue from where they are, and their error is
 * corrected until the next accurate comparison, when the run is a quarter longer. */
static void compare(struct swi_clock *clock, const struct pair *pair)
{
    double elapsed = (double)(pair->ns - clock->first_ns), known_ns = 0;
    course_straighten(clock, pair->tick);
    double reached = course_at(&clock->course[0], pair->tick);
    clock->close_tick = pair->tick;
    clock->close_ns = pair->ns;
    bool first = !clock->measured && !clock->issued_ns;
    clock->measured = rate_measure(clock, &known_ns) || clock->measured;
    double interval = fmax(known_ns / 4, COMPARE_LEAST_NS);
    if (first)
        reached = elapsed; /* the first time: nothing to correct */
    double back = fmax(-SLEW_MOST, fmin((elapsed - reached) / interval, SLEW_MOST));
    course_begin(clock, pair->tick, reached, clock->rate * (1 + back));
    if (first) { /* what was before has this rate, too */
        clock->course[1] = (struct swi_course){pair->tick, elapsed, clock->rate};
        clock->courses = 2;
    }
    clock->next_tick = pair->tick + (int64_t)(interval / clock->rate);
}

/* Returns false if a rough look is inaccurate or seems to show a gap, so that a close look is
 * needed. */
static bool take(struct swi_clock *clock, struct pair *pair, bool closely)
{
    if (!closely && (double)pair->width * clock->rate > WIDE_NS)
        return false;
    if (!keep_forward(clock, pair))
        return true;
    double too_far_ns = gap_ns(clock, pair);
    if (!closely && (too_far_ns != 0 || pair->tick >= clock->next_tick))
        return false;
    if (too_far_ns != 0)
        gap_cross(clock, pair, too_far_ns);
    else if (closely)
        compare(clock, pair);
    compared_at(clock, pair);
    return true;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Returns false without having looked if the lock is held and waits is false. */
static bool look(struct swi_clock *clock, int64_t now, bool waits)
{
    bool done = !clock->counter;
    for (int brackets = 1; !done; brackets = BRACKETS) {
        unsigned comparisons = atomic_load_explicit(&clock->comparisons, memory_order_acquire);
        struct pair pair = pair_read(&clock->source, brackets);
        pair.asked = now < pair.tick ? now : pair.tick;
        if (waits)
            pthread_mutex_lock(&clock->lock);
        else if (pthread_mutex_trylock(&clock->lock) != 0)
            return false;
        /* If another thread has looked since, the pair is outdated. */
        done = clock->comparisons != comparisons || take(clock, &pair, brackets > 1);
        atomic_fetch_add(&clock->comparisons, done);
        pthread_mutex_unlock(&clock->lock);
    }
    return true;
}

void swi_clock_look_before(struct swi_clock *clock, int64_t now)
{
    look(clock, now, true);
}

bool swi_clock_look_unless_held(struct swi_clock *clock, int64_t now)
{
    return look(clock, now, false);
}

void swi_clock_look(struct swi_clock *clock)
{
    swi_clock_look_before(clock, INT64_MAX);
}

/* Call it with the lock held. */
static bool is_far(const struct swi_clock *clock, int64_t tick)
{
    int64_t since = tick - clock->compared, second = clock->second;
    return clock->counter && (since > second || since < -second / 8);
}

double swi_clock_rate(struct swi_clock *clock)
{
    if (!clock->counter)
        return 1;
    int64_t now = clock->source.counter(clock->source.arg);
    pthread_mutex_lock(&clock->lock);
    bool due = is_far(clock, now) || now >= clock->next_tick;
    pthread_mutex_unlock(&clock->lock);
    if (due)
        swi_clock_look(clock);
    pthread_mutex_lock(&clock->lock);
    double rate = clock->rate;
    pthread_mutex_unlock(&clock->lock);
    return rate;
}

/* Returns the tick that the counter would have shown without the gaps since. Call it with the lock
 * held. */
static int64_t gaps_taken_out(const struct swi_clock *clock, int64_t tick)
{
    unsigned gaps = clock->gaps;
    for (unsigned n = gaps > SWI_GAPS_KEPT ? gaps - SWI_GAPS_KEPT : 0; n < gaps; n++) {
        const struct swi_gap *gap = &clock->gap[n % SWI_GAPS_KEPT];
        if (swi_gap_is_before(gap, tick, swi_clock_latest(clock)))
            tick += gap->shift;
    }
    return tick;
}

static const struct swi_course *course_of(const struct swi_clock *clock, int64_t tick)
{
    int i = 0;
    while (i < clock->courses - 1 && tick < clock->course[i].tick)
        i++;
    return &clock->course[i];
}

static int64_t time_of(struct swi_clock *clock, int64_t tick)
{
    tick = gaps_taken_out(clock, tick);
    double ns = course_at(course_of(clock, tick), tick);
    int64_t time = ns > 0 ? (int64_t)ns : 0;
    if (time > clock->issued_ns) {
        clock->issued_ns = time;
        clock->issued_tick = tick;
    }
    return time;
}

int64_t swi_clock_ns(struct swi_clock *clock, int64_t tick)
{
    if (!clock->counter)
        return tick - clock->begin_tick;
    pthread_mutex_lock(&clock->lock);
    bool far = is_far(clock, tick) || tick >= clock->next_tick;
    if (far) {
        pthread_mutex_unlock(&clock->lock);
        swi_clock_look(clock);
        pthread_mutex_lock(&clock->lock);
    }
    int64_t time = time_of(clock, tick);
    pthread_mutex_unlock(&clock->lock);
    return time;
}

bool swi_clock_gap(struct swi_clock *clock, unsigned n, struct swi_gap *gap)
{
    pthread_mutex_lock(&clock->lock);
    unsigned gaps = atomic_load(&clock->gaps);
    bool kept = n < gaps && gaps - n <= SWI_GAPS_KEPT;
    if (kept)
        *gap = clock->gap[n % SWI_GAPS_KEPT];
    pthread_mutex_unlock(&clock->lock);
    return kept;
}
