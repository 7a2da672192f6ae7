/* SPDX-License-Identifier: MIT */
/* best - keeps the best value of one metric in a one-line file while the loop runs.
 *
 * A sink that is not part of stepwatch. Build it with
 *   cc -shared -fPIC $(pkg-config --cflags stepwatch) -o best.so best.c
 * docs/writing-sinks.md explains it line by line. */
#include <stepwatch/sink.h>

#include <math.h>
#include <string.h>

struct best {
    const char *metric; /* options: set before open() is called */
    const char *goal;
    const char *path;
    int64_t patience;
    struct sw_sink *sink; /* private fields from here on; zero at first */
    bool any;
    double value;
    int64_t step;
    bool stopped;
};

static const struct sw_option options[] = {
    {.name = "metric",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct best, metric),
     .required = true,
     .help = "name of the metric to watch"},
    {.name = "goal",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct best, goal),
     .fallback = "max",
     .choices = "max|min",
     .help = "whether larger or smaller values are better"},
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct best, path),
     .fallback = "best.txt",
     .help = "file to write; - is stdout"},
    {.name = "patience",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct best, patience),
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "steps",
     .help = "ask the program to stop after this many steps without a better value; 0: never"},
    {.name = NULL},
};

static void best_check(const void *state, struct sw_sink_check *check)
{
    const struct best *best = state;
    if (!*best->metric)
        sw_sink_mistake(check, "metric",
                        "is empty: expected the name of a value, such as train/loss");
}

static int best_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct best *best = state;
    (void)err;
    best->sink = sink;
    return 0;
}

static bool is_better(const struct best *best, double value)
{
    if (isnan(value))
        return false;
    if (!best->any)
        return true;
    return strcmp(best->goal, "max") == 0 ? value > best->value : value < best->value;
}

static int best_write(const struct best *best, struct sw_error *err)
{
    char text[128];
    int size = snprintf(text, sizeof text, "step %" PRId64 ": %.9g\n", best->step, best->value);
    return sw_sink_replace(best->sink, best->path, text, (size_t)size, err);
}

static void patience_check(struct best *best, int64_t step)
{
    if (best->stopped || best->patience == 0 || step - best->step < best->patience)
        return;
    best->stopped = true;
    sw_sink_say(best->sink, 0, "%s has not improved since step %" PRId64, best->metric, best->step);
    sw_sink_stop(best->sink);
}

static int best_take(struct best *best, int64_t step, double value, struct sw_error *err)
{
    if (!is_better(best, value)) {
        patience_check(best, step);
        return 0;
    }
    best->any = true;
    best->value = value;
    best->step = step;
    return best_write(best, err);
}

static int best_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct best *best = state;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (strcmp(metric->name, best->metric) == 0)
            return best_take(best, record->step, metric->value, err);
    }
    return 0;
}

static int best_close(void *state, struct sw_error *err)
{
    const struct best *best = state;
    if (!best->any)
        return sw_error_set(err, SW_EINVAL,
                            "the program never logged \"%s\": look for it in its calls of sw_log()",
                            best->metric);
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "best",
    .version = "1.0",
    .license = "MIT",
    .summary = "the best value of one metric, and where it was",
    .wants = SW_WANT(SW_RECORD_METRICS),
    .queue = SW_QUEUE_DROP_OLDEST,
    .options = options,
    .state_size = sizeof(struct best),
    .open = best_open,
    .record = best_record,
    .close = best_close,
    .check = best_check,
};
