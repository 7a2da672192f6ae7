/* SPDX-License-Identifier: MIT */
/* real CASE - runs one case of the real cost of a step and prints its figures, one on each line.
 *
 * bench/run starts a process for each case and makes the table. Without arguments, prints the names
 * of the cases. */
#include "bench/real/real.h"
#include "core/text/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct real_case *const groups[] = {cold_cases,    loop_cases,  ends_cases,
                                                 threads_cases, start_cases, bare_cases};
static int64_t first_ns, first_tick;

int64_t real_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double ns_per_tick(void)
{
    return (double)(real_ns() - first_ns) / (double)((int64_t)__rdtsc() - first_tick);
}

int64_t fenced_cost(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 10000; i++) {
        int64_t tick = fenced();
        tick = fenced() - tick;
        least = tick < least ? tick : least;
    }
    return least;
}

void figure(const char *name, const char *unit, double value)
{
    printf("%s %s %.6g\n", name, unit, value);
    fflush(stdout);
}

double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, swi_by_double);
    return value[count / 2];
}

void work(int64_t ns, char *memory, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64)
        memory[i]++;
    for (int64_t end = real_ns() + ns; real_ns() < end;)
        continue;
}

const char *const sinks_name[SINKS_KINDS] = {"none", "table", "files", "six", "regions"};

#define PROFILER "profiler: { mode: simple, show_report: false }\n"
#define FILES                                                                                      \
    "{table: {path: report.txt}}, {markdown: {path: report.md}}, {csv: {path: report.csv}}, "      \
    "{runlog: {path: run.jsonl}}"

static const char *const configurations[SINKS_KINDS] = {
    PROFILER,
    PROFILER "logger_callback: [{table: {path: report.txt}}]\n",
    PROFILER "logger_callback: [" FILES "]\n",
    PROFILER "logger_callback: [" FILES
             ", {tensorboard: {logdir: runs}}, {wandb: {mode: offline}}]\n",
    PROFILER "logger_callback: [{runlog: {path: run.jsonl, detail: regions}}]\n",
};

/* Discards messages: sinks may print where they write. */
static void unheard(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

struct sw_profiler *real_open_text(const char *yaml)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        exit(1);
    }
    sw_set_messages(sw, unheard, NULL);
    return sw;
}

struct sw_profiler *real_open(enum sinks sinks)
{
    return real_open_text(configurations[sinks]);
}

void real_close(struct sw_profiler *sw)
{
    SW_ERROR_SCOPE(err);
    if (sw_close(sw, &err) < 0)
        sw_error_print(stderr, &err);
}

static bool each(const char *name)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const struct real_case *c = groups[g]; c->name; c++) {
            if (!name)
                puts(c->name);
            else if (strcmp(c->name, name) == 0)
                return c->run(), true;
        }
    return !name;
}

int main(int argc, char **argv)
{
    first_ns = real_ns();
    first_tick = (int64_t)__rdtsc();
    if (each(argc > 1 ? argv[1] : NULL))
        return 0;
    fprintf(stderr, "real: there is no case \"%s\"\n", argv[1]);
    return 1;
}
