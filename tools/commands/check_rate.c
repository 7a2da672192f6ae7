/* SPDX-License-Identifier: MIT */
#include "tools/commands/check_rate.h"

#include "core/text/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a step takes ----------------------------------------------------------------------- */

/* Bytes of a step and of a point of several steps, and of each value in them. */
struct step_bytes {
    double step, value, point, point_value;
};

/* Measured with draw, batch and the five standard actions of a batch, one phase, and rolling
 * averages of 10 steps: what runs of two lengths differ by. tests/tools/test_check_rate.c measures
 * it again. */
static const struct size {
    const char *name;
    bool steps; /* it stores steps as well as metrics */
    struct step_bytes simple, throughput;
} sizes[] = {
    {"runlog", true, {379, 97, 3270, 161}, {183, 97, 1290, 161}},
    {"runlog gzip", true, {36, 13.5, 100, 31}, {16.5, 13.5, 60, 31}},
    {"runlog zstd", true, {29.5, 11.5, 90, 28}, {14.5, 11.5, 54, 28}},
    {"runlog regions", true, {904, 97, 3920, 161}, {273, 97, 1740, 161}},
    {"runlog metrics", false, {180, 97, 2730, 161}, {66, 97, 970, 161}},
    {"mlflow", false, {180, 97, 2730, 161}, {66, 97, 970, 161}},
    {"tensorboard", false, {69, 21, 443, 97}, {45, 21, 205, 97}},
    {"wandb", false, {173, 38, 880, 182}, {133, 38, 500, 182}},
    {"sqlite", true, {104, 38, 1300, 77}, {68, 38, 543, 77}},
    {"sqlite trackio", false, {369, 37, 890, 308}, {328, 39, 500, 154}},
    {"trace", false, {1041, 112, 0, 0}, {289, 110, 0, 0}},
    {"trace perfetto", false, {263, 34, 0, 0}, {92, 34, 0, 0}},
};

/* ---- the sinks of a configuration ------------------------------------------------------------ */

enum { VALUE = 512 };

struct sink {
    char name[64];
    char detail[VALUE], layout[VALUE], format[VALUE], compress[VALUE], path[VALUE],
        when_full[VALUE], keep[VALUE];
    double every, thin_after, max_size, rolling;
    bool simple;
};

#define AT(field) offsetof(struct sink, field)
static const struct {
    const char *name;
    size_t at;
} texts[] = {{"detail", AT(detail)},      {"layout", AT(layout)},     {"format", AT(format)},
             {"path", AT(path)},          {"compress", AT(compress)}, {"keep", AT(keep)},
             {"when_full", AT(when_full)}},
  numbers[] = {{"every", AT(every)}, {"thin_after", AT(thin_after)}, {"max_size", AT(max_size)}};

static void option_take(struct sink *sink, const char *name, const char value[VALUE])
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, name) == 0)
            memcpy((char *)sink + texts[i].at, value, VALUE);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0) {
            double number = strtod(value, NULL);
            memcpy((char *)sink + numbers[i].at, &number, sizeof number);
        }
}

/* What the lines so far say of all sinks. */
struct config_reading {
    bool sinks, simple;
    double rolling;
    struct sink sink;
    void (*each)(void *arg, const struct sink *sink);
    void *arg;
};

static void sink_end(struct config_reading *r)
{
    if (*r->sink.name)
        r->each(r->arg, &r->sink);
    *r->sink.name = '\0';
}

/* A line of a sink is "  - NAME:", one of its options "      NAME: VALUE". */
static void line_take(struct config_reading *r, const char *line)
{
    char name[64], value[VALUE] = "";
    if (line[0] != ' ' && line[0] != '#')
        r->sinks = strncmp(line, "logger_callback:", 16) == 0;
    if (r->sinks && sscanf(line, "  - %63[^: \n]", name) == 1) {
        sink_end(r);
        r->sink = (struct sink){.every = 1, .simple = r->simple, .rolling = r->rolling};
        memcpy(r->sink.name, name, sizeof name);
    } else if (sscanf(line, " %63[^: \n]: %511[^\n]", name, value) >= 1) {
        if (r->sinks)
            option_take(&r->sink, name, value);
        else if (strcmp(name, "mode") == 0)
            r->simple = strcmp(value, "simple") == 0;
        else if (strcmp(name, "rolling_average") == 0)
            r->rolling = strtod(value, NULL);
    }
}

static void sinks_each(const char *config, void (*each)(void *arg, const struct sink *sink),
                       void *arg)
{
    struct config_reading reading = {.rolling = 10, .each = each, .arg = arg};
    char *copy = strdup(config), *at = copy;
    for (char *line; copy && (line = strsep(&at, "\n"));)
        line_take(&reading, line);
    sink_end(&reading);
    free(copy);
}

/* ---- what a run takes ------------------------------------------------------------------------ */

/* A point is of one minute at most. A rolling average has a value for draw, batch and step, and in
 * mode simple for five more actions: as a rate (except zero_grad) and as a time. */
enum { POINT_S = 60, AVERAGES_SIMPLE = 15, AVERAGES_THROUGHPUT = 6, LINES_OF_STEP = 40, MORE = 10 };

struct amount {
    const struct sink *sink;
    const struct size *size; /* NULL: it does not grow with the steps */
    struct loop_rate rate;
    double step_bytes, point_bytes;
    double step_lines, point_lines;
};

/* Returns the format of a compressed log, as in the names of sizes, or NULL. */
static const char *format_of(const struct sink *sink)
{
    bool none = strcmp(sink->compress, "gzip") != 0 && strcmp(sink->compress, "zstd") != 0;
    if (none ? swi_ends(sink->path, ".gz") : strcmp(sink->compress, "gzip") == 0)
        return " gzip";
    return !none || swi_ends(sink->path, ".zst") ? " zstd" : NULL;
}

static const struct size *size_of(const struct sink *sink)
{
    char name[96];
    bool log = strcmp(sink->name, "runlog") == 0;
    const char *format = format_of(sink), *more = "";
    bool steps = strcmp(sink->detail, "steps") == 0;
    if (log && strcmp(sink->detail, "regions") == 0)
        more = " regions";
    else if (log && (format || !steps))
        more = steps ? format : " metrics";
    else if (strcmp(sink->layout, "trackio") == 0)
        more = " trackio";
    else if (strcmp(sink->format, "perfetto") == 0)
        more = " perfetto";
    snprintf(name, sizeof name, "%s%s", sink->name, more);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].name, name) == 0 && strcmp(sink->detail, "summary") != 0)
            return &sizes[i];
    return NULL;
}

static struct amount amount_of(const struct sink *sink, const struct loop_rate *rate)
{
    struct amount a = {.sink = sink, .size = size_of(sink), .rate = *rate};
    if (!a.size)
        return a;
    const struct step_bytes *bytes = sink->simple ? &a.size->simple : &a.size->throughput;
    double averages = sink->simple ? AVERAGES_SIMPLE : AVERAGES_THROUGHPUT;
    a.step_bytes = bytes->step + bytes->value * rate->values;
    a.point_bytes = bytes->point + bytes->point_value * rate->values;
    a.step_lines =
        a.size->steps + rate->values + averages / (sink->rolling > 0 ? sink->rolling : 1);
    a.point_lines = a.size->steps + rate->values + averages;
    return a;
}

/* Returns how many steps are stored before points get more steps the first time. */
static double steps_before(const struct amount *a)
{
    const struct sink *sink = a->sink;
    double lines = sink->every > 1 ? a->point_lines : a->step_lines;
    double points = fmax(sink->thin_after / lines, sink->thin_after / LINES_OF_STEP);
    return sink->thin_after > 0 && a->point_bytes > 0 ? points * sink->every : INFINITY;
}

/* Returns what is stored after some time without a limit. */
static double bytes_unlimited(const struct amount *a, double seconds)
{
    double left = seconds * a->rate.steps_per_s, bytes = 0;
    double stride = a->sink->every > 1 ? a->sink->every : 1, steps = steps_before(a);
    double most = fmax(1, POINT_S * a->rate.steps_per_s);
    while (left > 0) {
        double now = fmin(left, steps), each = fmin(stride, most);
        bytes += now / each * (each > 1 ? a->point_bytes : a->step_bytes);
        left -= now;
        stride *= MORE;
        steps = a->sink->thin_after / a->point_lines * fmin(stride, most);
    }
    return bytes;
}

static double bytes_after(const struct amount *a, double seconds)
{
    double bytes = bytes_unlimited(a, seconds);
    return a->sink->max_size > 0 ? fmin(bytes, a->sink->max_size) : bytes;
}

/* ---- showing it ------------------------------------------------------------------------------ */

static const struct {
    const char *name, *key;
    double seconds;
} spans[] = {{"an hour", "hour", 3600}, {"a day", "day", 86400}, {"30 days", "month", 2592000}};
enum { SPANS = sizeof spans / sizeof *spans };

/* Decimal, as sizes are given in configurations. */
static const char *shown(double bytes, char text[24])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 5; unit++)
        bytes /= 1000;
    snprintf(text, 24, unit && bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

/* Returns when a file of the trace, or of a sink that stops, is full, by bisection; INFINITY: not
 * within three years. */
static double full_s(const struct amount *a)
{
    const struct sink *sink = a->sink;
    bool last = strcmp(sink->keep, "last") == 0 || strcmp(sink->when_full, "rotate") == 0;
    bool stops = a->point_bytes == 0 || strcmp(sink->when_full, "stop") == 0;
    double least = 0, most = 1e8;
    if (!(sink->max_size > 0) || !stops || last || bytes_unlimited(a, most) < sink->max_size)
        return INFINITY;
    while (most - least > 1e-6 * most) {
        double middle = (least + most) / 2;
        bool full = bytes_unlimited(a, middle) >= sink->max_size;
        *(full ? &most : &least) = middle;
    }
    return most;
}

/* Returns how much of max_size a sink that rotates has on average. */
static double kept_part(const struct sink *sink)
{
    bool rewritten = strcmp(sink->name, "mlflow") == 0 || strcmp(sink->name, "wandb") == 0;
    return strcmp(sink->name, "sqlite") == 0 ? 1 : rewritten ? 0.5 : 0.75;
}

/* Returns how long the newest steps are that a sink keeps that rotates. INFINITY: it keeps all for
 * a month. */
static double kept_s(const struct amount *a)
{
    double month = spans[SPANS - 1].seconds, all = bytes_unlimited(a, month);
    double least = 0, most = month, kept = a->sink->max_size * kept_part(a->sink);
    if (strcmp(a->sink->when_full, "rotate") != 0 || !(kept > 0) || all <= a->sink->max_size)
        return INFINITY;
    while (most - least > 1e-6 * most) {
        double middle = (least + most) / 2;
        bool fits = all - bytes_unlimited(a, month - middle) <= kept;
        *(fits ? &least : &most) = middle;
    }
    return most;
}

/* In the largest unit of which there are two. */
static int time_put(char *text, size_t size, const char *before, double seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"days", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    size_t i = 0;
    while (i < sizeof units / sizeof *units - 1 && seconds < 2 * units[i].seconds)
        i++;
    return snprintf(text, size, "%s %.0f %s", before, seconds / units[i].seconds, units[i].name);
}

static void note_make(const struct amount *a, char *text, size_t size)
{
    double full = full_s(a), thin = steps_before(a) / a->rate.steps_per_s, kept = kept_s(a);
    double month = spans[SPANS - 1].seconds;
    *text = '\0';
    if (full < month)
        time_put(text, size, "  full after", full);
    else if (isfinite(kept))
        time_put(text, size, "  the newest", kept);
    else if (thin < month)
        time_put(text, size, "  each step for", thin);
}

static void row_print(void *arg, const struct sink *sink)
{
    const struct amount a = amount_of(sink, arg);
    char bytes[24], note[80];
    if (!a.size) {
        printf("%-16s does not grow with the steps\n", sink->name);
        return;
    }
    note_make(&a, note, sizeof note);
    printf("%-16s %8s", a.size->name, shown(a.step_bytes, bytes));
    for (int i = 0; i < SPANS; i++)
        printf("  %8s", shown(bytes_after(&a, spans[i].seconds), bytes));
    puts(note);
}

void check_rate_print(const char *config, const struct loop_rate *rate)
{
    struct loop_rate copy = *rate;
    printf("\nAt %g steps a second with %g value%s each:\n\n%-16s %8s", rate->steps_per_s,
           rate->values, rate->values == 1 ? "" : "s", "sink", "a step");
    for (int i = 0; i < SPANS; i++)
        printf("  %8s", spans[i].name);
    putchar('\n');
    sinks_each(config, row_print, &copy);
}

struct listing {
    json_t *list;
    const struct loop_rate *rate;
};

static void limit_set(json_t *object, const char *key, double seconds)
{
    if (isfinite(seconds))
        json_object_set_new(object, key, json_real(seconds));
}

static void row_add(void *arg, const struct sink *sink)
{
    struct listing *listing = arg;
    const struct amount a = amount_of(sink, listing->rate);
    json_t *object = json_pack("{s:s, s:b}", "sink", sink->name, "grows", a.size != NULL);
    if (a.size) {
        json_object_set_new(object, "step_bytes", json_real(a.step_bytes));
        for (int i = 0; i < SPANS; i++)
            json_object_set_new(object, spans[i].key, json_real(bytes_after(&a, spans[i].seconds)));
        limit_set(object, "full_s", full_s(&a));
        limit_set(object, "kept_s", kept_s(&a));
        limit_set(object, "thinned_s", steps_before(&a) / a.rate.steps_per_s);
    }
    json_array_append_new(listing->list, object);
}

json_t *check_rate_json(const char *config, const struct loop_rate *rate)
{
    struct listing listing = {json_array(), rate};
    sinks_each(config, row_add, &listing);
    return json_pack("{s:f, s:f, s:o}", "steps_per_s", rate->steps_per_s, "values", rate->values,
                     "sinks", listing.list);
}
