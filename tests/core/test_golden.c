/* SPDX-License-Identifier: MIT */
/* Plays the event scripts of tests/golden/fastxtend through the public calls and compares what the
 * sinks write with what the profilers of fastxtend print. */
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scripts[] = {
    "simple_2epoch_ragged",         "simple_earlystop",           "simple_nodrop_scales",
    "spec_fit_cancelled_mid_batch", "spec_gradient_accumulation", "spec_no_valid_batches",
    "throughput_3epoch_roll5",
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

/* ---- playing a script ------------------------------------------------------------------------ */

static json_t *script_load(const char *name)
{
    return golden_json("fastxtend/%s.json", name);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_t *expected(const json_t *script, const char *key)
{
    return json_object_get(json_object_get(script, "expected"), key);
}

static struct host *script_open(const json_t *script, const char *sink, const char *sink_options)
{
    char profiler[256];
    const json_t *options = json_object_get(script, "options");
    snprintf(profiler, sizeof profiler,
             "mode: %s\nrolling_average: %d\ndrop_first_batch: %s\naccounting: false\n",
             text_of(script, "mode"),
             (int)json_integer_value(json_object_get(options, "rolling_average")),
             json_is_true(json_object_get(options, "drop_first_batch")) ? "true" : "false");
    return host_open_with(sink, sink_options, profiler);
}

/* A `step` of a script is for orientation only. */
static void event_play(struct sw_profiler *sw, const json_t *event)
{
    int action = sw_action(text_of(event, "action"));
    if (action == SW_STEP)
        return;
    if (strcmp(text_of(event, "ev"), "begin") == 0)
        sw_begin(sw, action);
    else if (action == SW_BATCH)
        sw_end_batch(sw, json_integer_value(json_object_get(event, "batch_size")));
    else
        sw_end(sw, action);
}

static void script_play(struct host *host, const json_t *script)
{
    int64_t now = 0;
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(script, "events"), i, event)
    {
        int64_t t = json_integer_value(json_object_get(event, "t_ns"));
        host_wait(host, t - now);
        now = t;
        event_play(host_profiler(host), event);
    }
}

/* What the sink printed for a script. */
static const char *printed(const json_t *script, const char *sink, const char *options)
{
    struct host *host = script_open(script, sink, options);
    script_play(host, script);
    host_close(host);
    return host_stdout();
}

static const char *dropped_line(const json_t *script)
{
    bool drop =
        json_is_true(json_object_get(json_object_get(script, "options"), "drop_first_batch"));
    return drop ? "Batch dropped. train and valid phases show 1 less batch than fit.\n" : "";
}

/* ---- the printed forms, byte for byte -------------------------------------------------------- */

START_TEST(the_plain_table_is_that_of_the_real_profiler)
{
    static char text[16384];
    json_t *script = script_load(scripts[_i]);
    const json_t *whole = expected(script, "stdout_plain");
    snprintf(text, sizeof text, "\nProfiling Results:\n%s\n%s",
             json_string_value(expected(script, "plain")), dropped_line(script));
    if (whole)
        ck_assert_str_eq(text, json_string_value(whole));
    ck_assert_str_eq(printed(script, "table", "plain: true\n"), text);
    json_decref(script);
}
END_TEST

START_TEST(the_markdown_table_is_that_of_the_real_profiler)
{
    static char text[16384];
    json_t *script = script_load(scripts[_i]);
    snprintf(text, sizeof text, "%s\n%s", json_string_value(expected(script, "markdown")),
             dropped_line(script));
    ck_assert_str_eq(printed(script, "markdown", ""), text);
    json_decref(script);
}
END_TEST

/* ---- CSV: text to the byte, sums to the last digits but one ---------------------------------- */

static void assert_near(double value, double golden, const char *what)
{
    ck_assert_msg(fabs(value - golden) <= 1e-9 * fabs(golden), "%s is %.17g, expected %.17g", what,
                  value, golden);
}

/* The next cell of a line, as it is written; moves at behind it. */
static char *cell_next(const char **at)
{
    const char *begin = *at;
    bool quoted = false;
    while (**at && **at != '\n' && (quoted || **at != ','))
        quoted ^= *(*at)++ == '"';
    char *cell = strndup(begin, (size_t)(*at - begin));
    *at += **at == ',';
    return cell;
}

/* Not a count: those are exact, and need no point. */
static bool is_float(const char *cell)
{
    char *end;
    strtod(cell, &end);
    return *cell && !*end && strpbrk(cell, ".e");
}

static void cells_compare(const char **written, const char **golden)
{
    char *a = cell_next(written), *b = cell_next(golden);
    if (is_float(a) && is_float(b))
        assert_near(strtod(a, NULL), strtod(b, NULL), "a cell");
    else
        ck_assert_str_eq(a, b);
    free(a);
    free(b);
}

START_TEST(the_csv_is_that_of_the_real_profiler)
{
    json_t *script = script_load(scripts[_i]);
    const char *golden = json_string_value(expected(script, "csv"));
    const char *written = printed(script, "csv", "path: \"-\"\n");
    while (*golden) {
        while (*golden && *golden != '\n')
            cells_compare(&written, &golden);
        ck_assert_int_eq(*written++, *golden++);
    }
    ck_assert_str_eq(written, "");
    json_decref(script);
}
END_TEST

START_TEST(the_csv_of_exact_sums_is_equal_to_the_byte)
{
    json_t *script = script_load("spec_gradient_accumulation");
    const char *golden = json_string_value(expected(script, "csv"));
    const char *written = printed(script, "csv", "path: \"-\"\n");
    /* fit, epoch and train: one call each, so the order of summation does not matter. */
    ck_assert_int_eq(strncmp(written, golden, (size_t)(strstr(golden, "train,step") - golden)), 0);
    json_decref(script);
}
END_TEST

/* ---- raw values, from the run log ------------------------------------------------------------ */

static const char *const run_log = "path: golden.jsonl\ndetail: metrics\n";

static void log_make(const json_t *script)
{
    struct host *host = script_open(script, "runlog", run_log);
    script_play(host, script);
    host_close(host);
}

/* Calls take() for each line of a type. Returns how many there were. */
static int lines_each(const char *type, void (*take)(const json_t *line, void *arg), void *arg)
{
    const char *text = host_file("golden.jsonl");
    int count = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        json_t *line = json_loadb(text, length, 0, NULL);
        ck_assert_ptr_nonnull(line);
        if (strcmp(text_of(line, "type"), type) == 0) {
            take(line, arg);
            count++;
        }
        json_decref(line);
        text += length + 1;
    }
    return count;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void result_compare(const json_t *row, const json_t *golden)
{
    ck_assert_str_eq(text_of(row, "phase"), json_string_value(json_array_get(golden, 0)));
    ck_assert_str_eq(text_of(row, "action"), json_string_value(json_array_get(golden, 1)));
    const char *action = text_of(row, "action");
    assert_near(number_of(row, "mean_ns") / 1e9, json_number_value(json_array_get(golden, 2)),
                action);
    assert_near(number_of(row, "std_ns") / 1e9, json_number_value(json_array_get(golden, 3)),
                action);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "calls")),
                     json_integer_value(json_array_get(golden, 4)));
    assert_near(number_of(row, "total_ns") / 1e9, json_number_value(json_array_get(golden, 6)),
                action);
}

static void report_compare(const json_t *line, void *arg)
{
    const json_t *golden = arg, *rows = json_object_get(line, "rows");
    ck_assert_uint_eq(json_array_size(rows), json_array_size(golden));
    for (size_t i = 0; i < json_array_size(rows); i++)
        result_compare(json_array_get(rows, i), json_array_get(golden, i));
}

START_TEST(the_raw_results_are_those_of_the_real_profiler)
{
    json_t *script = script_load(scripts[_i]);
    log_make(script);
    ck_assert_int_eq(lines_each("report", report_compare, expected(script, "results")), 1);
    json_decref(script);
}
END_TEST

static double mean_of(const json_t *list)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_number_value(json_array_get(list, i));
    return sum / (double)json_array_size(list);
}

static void rates_compare(const json_t *line, void *arg)
{
    const json_t *summary = arg, *rows = json_object_get(line, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        char key[64];
        const json_t *row = json_array_get(rows, i);
        snprintf(key, sizeof key, "%s/%s_throughput", text_of(row, "phase"),
                 text_of(row, "action"));
        const json_t *rate = json_object_get(row, "samples_per_s");
        const json_t *list = json_object_get(summary, key);
        if (list)
            assert_near(json_number_value(rate), mean_of(list), key);
        else
            ck_assert_str_eq(json_string_value(rate), "NaN");
    }
}

START_TEST(samples_per_second_are_the_mean_of_the_rates_of_each_call)
{
    json_t *script = script_load(scripts[_i]);
    log_make(script);
    ck_assert_int_eq(lines_each("report", rates_compare, expected(script, "summary")), 1);
    json_decref(script);
}
END_TEST

/* The index of a line of the log in the list of golden rolling values. */
struct rolling {
    const json_t *golden;
    size_t seen;
};

static void rolling_compare(const json_t *line, void *arg)
{
    struct rolling *rolling = arg;
    const char *name = text_of(line, "name");
    if (strncmp(name, "throughput/", 11) != 0)
        return;
    size_t i;
    json_t *row;
    json_array_foreach(rolling->golden, i, row)
    {
        if (json_integer_value(json_object_get(row, "step")) !=
            json_integer_value(json_object_get(line, "step")))
            continue;
        const json_t *value = json_object_get(json_object_get(row, "values"), name);
        ck_assert_msg(value != NULL, "%s is not in the golden values", name);
        assert_near(number_of(line, "value"), json_number_value(value), name);
        rolling->seen++;
    }
}

static size_t values_count(const json_t *golden)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(golden); i++)
        count += json_object_size(json_object_get(json_array_get(golden, i), "values"));
    return count;
}

static void count_throughput(const json_t *line, void *arg)
{
    *(size_t *)arg += strncmp(text_of(line, "name"), "throughput/", 11) == 0;
}

START_TEST(the_rolling_averages_are_logged_when_and_as_the_real_profiler_does)
{
    json_t *script = script_load(scripts[_i]);
    struct rolling rolling = {.golden = expected(script, "rolling")};
    size_t written = 0;
    log_make(script);
    lines_each("metric", rolling_compare, &rolling);
    lines_each("metric", count_throughput, &written);
    ck_assert_uint_eq(rolling.seen, values_count(rolling.golden));
    ck_assert_uint_eq(written, rolling.seen);
    json_decref(script);
}
END_TEST

SUITE(golden)
{
    tcase_add_loop_test(tc, the_plain_table_is_that_of_the_real_profiler, 0, SCRIPTS);
    tcase_add_loop_test(tc, the_markdown_table_is_that_of_the_real_profiler, 0, SCRIPTS);
    tcase_add_loop_test(tc, the_csv_is_that_of_the_real_profiler, 0, SCRIPTS);
    tcase_add_test(tc, the_csv_of_exact_sums_is_equal_to_the_byte);
    tcase_add_loop_test(tc, the_raw_results_are_those_of_the_real_profiler, 0, SCRIPTS);
    tcase_add_loop_test(tc, samples_per_second_are_the_mean_of_the_rates_of_each_call, 0, SCRIPTS);
    tcase_add_loop_test(tc, the_rolling_averages_are_logged_when_and_as_the_real_profiler_does, 0,
                        SCRIPTS);
}
