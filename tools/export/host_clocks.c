/* SPDX-License-Identifier: MIT */
#include "core/stragglers/order_statistics.h"
#include "tools/export/log_timeline.h"
#include "tools/output/print.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- lines ----------------------------------------------------------------------------------- */

/* At t ns after its run began, a clock is ahead by ahead_ns + slope * t. */
struct clock_line {
    double ahead_ns;
    double slope; /* ns per ns */
};

/* Points in time that were the same on all ranks, such as the ends of an allreduce. Of many, every
 * stride-th is kept. Initialise it as {0}. */
struct sync_points {
    double *at_ns; /* by the clock of the rank */
    size_t count;
    size_t stride; /* a power of two; 0 before the first */
    size_t seen;
};

/* What a log knows of its clock. */
struct host_clock {
    double began_ns; /* when its run began, by its clock: after the first log's */
    int compared;    /* lines of libstepwatch-mpi: a clock was compared with that of rank 0 */
    int64_t first_ns, last_ns;               /* when they were written */
    int64_t first_offset_ns, last_offset_ns; /* its clock less that of rank 0 */
    int64_t error_ns;                        /* the larger of their errors */
    struct log_value *wait;                  /* names of the actions that wait for all ranks */
    struct sync_points ends;                 /* of these actions */
    struct clock_line line;                  /* how far it is ahead of the others */
};

enum { POINTS_MAX = 4096, NEEDED = 8 };

/* ---- points in time that all ranks share ----------------------------------------------------- */

/* Drops every other moment. */
static void thin(struct sync_points *sync_points)
{
    sync_points->count /= 2;
    for (size_t i = 0; i < sync_points->count; i++)
        sync_points->at_ns[i] = sync_points->at_ns[2 * i];
    sync_points->stride *= 2;
}

/* Adds the next moment. Returns false if out of memory. */
static bool sync_points_add(struct sync_points *sync_points, double at_ns)
{
    if (!sync_points->at_ns) {
        sync_points->at_ns = calloc(POINTS_MAX, sizeof *sync_points->at_ns);
        sync_points->stride = 1;
        if (!sync_points->at_ns)
            return false;
    }
    if (sync_points->count == POINTS_MAX)
        thin(sync_points);
    if (sync_points->seen++ % sync_points->stride == 0)
        sync_points->at_ns[sync_points->count++] = at_ns;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The moments of all ranks, in rows of the same moment. */
struct lateness {
    size_t ranks, count;
    double *late;   /* [count][ranks]: less the median of the rank's row */
    double *common; /* [count]: the medians, less their mean */
    double *some;   /* room for a column or a row */
    double origin_ns, mean_ns;
};

static double sync_point_at(const struct sync_points *sync_points, size_t stride, size_t i)
{
    return sync_points->at_ns[i * (stride / sync_points->stride)];
}

/* Returns how many moments all ranks have, and their distance in *stride. */
static size_t common_count(const struct host_clock *clock, size_t ranks, size_t *stride)
{
    size_t seen = clock[0].ends.seen;
    *stride = 1;
    for (size_t r = 0; r < ranks; r++) {
        const struct sync_points *ends = &clock[r].ends;
        seen = ends->seen < seen ? ends->seen : seen;
        *stride = ends->stride > *stride ? ends->stride : *stride;
    }
    return (seen + *stride - 1) / *stride;
}

static bool lateness_make(struct lateness *all, const struct host_clock *clock, size_t ranks)
{
    size_t stride, most;
    *all = (struct lateness){.ranks = ranks, .count = common_count(clock, ranks, &stride)};
    if (all->count < NEEDED)
        return false;
    most = all->count > ranks ? all->count : ranks;
    all->late = malloc(all->count * ranks * sizeof *all->late);
    all->common = malloc(all->count * sizeof *all->common);
    all->some = malloc(most * sizeof *all->some);
    if (!all->late || !all->common || !all->some)
        return false;
    all->origin_ns = clock[0].ends.at_ns[0]; /* small numbers keep their digits */
    for (size_t i = 0; i < all->count; i++) {
        double *row = all->late + i * ranks;
        for (size_t r = 0; r < ranks; r++)
            all->some[r] = row[r] = sync_point_at(&clock[r].ends, stride, i) - all->origin_ns;
        all->common[i] = swi_median_of(all->some, ranks);
        all->mean_ns += all->common[i] / (double)all->count;
        for (size_t r = 0; r < ranks; r++)
            row[r] -= all->common[i];
    }
    for (size_t i = 0; i < all->count; i++)
        all->common[i] -= all->mean_ns;
    return true;
}

static void lateness_free(struct lateness *all)
{
    free(all->late);
    free(all->common);
    free(all->some);
}

static double median_of_times(const struct lateness *all, size_t from, size_t upto)
{
    for (size_t i = from; i < upto; i++)
        all->some[i - from] = all->common[i];
    return swi_median_of(all->some, upto - from);
}

/* The median of what a rank is late, less slope * t. */
static double median_late(const struct lateness *all, size_t rank, double slope, size_t from,
                          size_t upto)
{
    for (size_t i = from; i < upto; i++)
        all->some[i - from] = all->late[i * all->ranks + rank] - slope * all->common[i];
    return swi_median_of(all->some, upto - from);
}

/* The line of one rank, with ahead_ns at the mean of the times. */
static struct clock_line line_through(const struct lateness *all, size_t rank)
{
    size_t half = all->count / 2;
    double width = median_of_times(all, half, all->count) - median_of_times(all, 0, half);
    double rise = median_late(all, rank, 0, half, all->count) - median_late(all, rank, 0, 0, half);
    struct clock_line line = {.slope = width > 0 ? rise / width : 0};
    line.ahead_ns = median_late(all, rank, line.slope, 0, all->count);
    return line;
}

static double median_rest(const struct lateness *all, size_t rank, const struct clock_line *line)
{
    for (size_t i = 0; i < all->count; i++)
        all->some[i] =
            fabs(all->late[i * all->ranks + rank] - line->slope * all->common[i] - line->ahead_ns);
    return swi_median_of(all->some, all->count);
}

/* Takes the median of all lines off each of them: the slowest half is as wrong as the fastest. */
static void lines_center(struct lateness *all, struct host_clock *clock)
{
    for (size_t r = 0; r < all->ranks; r++)
        all->some[r] = clock[r].line.ahead_ns;
    double ahead_ns = swi_median_of(all->some, all->ranks);
    for (size_t r = 0; r < all->ranks; r++)
        all->some[r] = clock[r].line.slope;
    double slope = swi_median_of(all->some, all->ranks);
    for (size_t r = 0; r < all->ranks; r++) {
        clock[r].line.ahead_ns -= ahead_ns;
        clock[r].line.slope -= slope;
    }
}

/* Finds for each rank the line through what its moments are later than those of the median rank, by
 * the medians of their two halves, so that a few late ones change nothing. error_ns: half of the
 * moments agree so well afterwards. Returns false if there are fewer than 8 moments that all ranks
 * have, or not enough memory. */
static bool lines_by_waits(struct host_clock *clock, size_t ranks, double *error_ns)
{
    struct lateness all;
    bool made = lateness_make(&all, clock, ranks);
    *error_ns = 0;
    for (size_t r = 0; made && r < ranks; r++) {
        clock[r].line = line_through(&all, r);
        *error_ns = fmax(*error_ns, median_rest(&all, r, &clock[r].line));
    }
    if (made)
        lines_center(&all, clock);
    for (size_t r = 0; made && r < ranks; r++)
        clock[r].line.ahead_ns +=
            clock[r].line.slope * (clock[r].began_ns - all.origin_ns - all.mean_ns);
    lateness_free(&all);
    return made;
}

/* ---- read ------------------------------------------------------------------------------------ */

static void comparison_read(struct host_clock *clock, const struct log_value *line)
{
    int64_t error_ns = log_integer(line, "clock_error_ns", 0);
    clock->last_ns = log_time(line, "t", 0);
    clock->last_offset_ns = log_integer(line, "clock_offset_ns", 0);
    clock->error_ns = error_ns > clock->error_ns ? error_ns : clock->error_ns;
    if (clock->compared++)
        return;
    clock->first_ns = clock->last_ns;
    clock->first_offset_ns = clock->last_offset_ns;
}

static bool waits(const struct host_clock *clock, const struct log_value *line)
{
    const char *action = log_string(line, "action", "");
    for (const struct log_value *name = log_first(clock->wait); name;
         name = log_after(clock->wait, name))
        if (log_is(name, LOG_STRING) && strcmp(name->text, action) == 0)
            return true;
    return false;
}

static bool line_read(struct host_clock *clock, const struct log_timeline_head *head,
                      const struct log_value *line)
{
    enum line_type type = log_type(line);
    if (type == LINE_RUN) {
        free(clock->wait);
        clock->wait = log_value_copy(log_get(line, "wait"));
    } else if (type == LINE_CLOCK)
        comparison_read(clock, line);
    else if (type == LINE_END && log_integer(line, "thread", 0) == head->loop && waits(clock, line))
        return sync_points_add(&clock->ends, clock->began_ns + (double)log_time(line, "t", 0));
    return true;
}

/* Damaged lines are skipped: the timeline reports them. */
static int clock_read(struct host_clock *clock, const struct log_timeline_head *head,
                      struct sw_error *err)
{
    struct log lines;
    const struct log_value *line;
    bool fits = true;
    int rc = log_open(&lines, head->path, err);
    if (rc < 0)
        return rc;
    while (fits && ((rc = log_next(&lines, &line, err)) > 0 || rc == SW_EFORMAT)) {
        if (rc == SW_EFORMAT) {
            sw_error_free(err);
            continue;
        }
        fits = line_read(clock, head, line);
    }
    log_close(&lines);
    if (!fits)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", head->path);
    return rc < 0 ? rc : 0;
}

/* ---- correct --------------------------------------------------------------------------------- */

/* The line through the first and the last comparison. */
static struct clock_line line_of(const struct host_clock *clock)
{
    struct clock_line line = {.ahead_ns = (double)clock->first_offset_ns};
    if (clock->last_ns > clock->first_ns)
        line.slope = (double)(clock->last_offset_ns - clock->first_offset_ns) /
                     (double)(clock->last_ns - clock->first_ns);
    line.ahead_ns -= line.slope * (double)clock->first_ns;
    return line;
}

static bool all_compared(const struct host_clock *clock, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!clock[i].compared)
            return false;
    return true;
}

static double lines_by_comparisons(struct host_clock *clock, size_t count)
{
    double error_ns = 0;
    for (size_t i = 0; i < count; i++) {
        clock[i].line = line_of(&clock[i]);
        error_ns = fmax(error_ns, (double)clock[i].error_ns);
    }
    return error_ns;
}

/* The start takes what is constant; log_timeline_play() takes what grows. Returns how far the
 * clocks were apart. */
static double lines_apply(struct log_timeline_head *head, const struct host_clock *clock,
                          size_t count)
{
    double least_ns = clock[0].line.ahead_ns, most_ns = least_ns;
    for (size_t i = 0; i < count; i++) {
        const struct clock_line *line = &clock[i].line;
        head[i].process.started_ns -= llround(line->ahead_ns);
        head[i].drift = line->slope;
        least_ns = fmin(least_ns, line->ahead_ns);
        most_ns = fmax(most_ns, line->ahead_ns);
    }
    return most_ns - least_ns;
}

static void tell(const char *how, double difference_ns, double error_ns)
{
    char difference[TEXT_NUMBER], error[TEXT_NUMBER];
    say("export", "the clocks of the hosts were up to %s apart and are corrected %s, within %s",
        text_time(difference, difference_ns), how, text_time(error, error_ns));
}

static void clocks_correct(struct log_timeline_head *head, struct host_clock *clock, size_t count)
{
    double error_ns = 0;
    if (all_compared(clock, count)) {
        error_ns = lines_by_comparisons(clock, count);
        tell("by what libstepwatch-mpi measured", lines_apply(head, clock, count), error_ns);
    } else if (lines_by_waits(clock, count, &error_ns)) {
        tell("by the ends of the actions in wait", lines_apply(head, clock, count), error_ns);
    } else {
        for (size_t i = 0; i < count; i++)
            head[i].is_uncompared = true;
        say("export", "the clocks of the hosts were not compared, so their regions may be some "
                      "milliseconds apart: use libstepwatch-mpi, or name the actions that wait for "
                      "all ranks with profiler: { wait: [allreduce] }");
    }
}

static bool on_one_host(const struct log_timeline_head *head, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(head[i].process.host, head[0].process.host) != 0)
            return false;
    return true;
}

int host_clocks_align(struct log_timeline_head *head, size_t count, struct sw_error *err)
{
    if (on_one_host(head, count))
        return 0;
    struct host_clock *clock = calloc(count, sizeof *clock);
    if (!clock)
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        clock[i].began_ns = (double)(head[i].process.started_ns - head[0].process.started_ns);
        rc = clock_read(&clock[i], &head[i], err);
    }
    if (rc == 0)
        clocks_correct(head, clock, count);
    for (size_t i = 0; i < count; i++) {
        free(clock[i].wait);
        free(clock[i].ends.at_ns);
    }
    free(clock);
    return rc;
}
