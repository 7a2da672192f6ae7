/* SPDX-License-Identifier: MIT */
/* Reports in the forms of other profilers: the tables that these make of the same events, in
 * tests/golden/torch and tests/golden/lightning, to the character. */
#include "core/text/buffer.h"
#include "core/text/exact_number.h"
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Runs "stepwatch report FILE OPTIONS", without what it says on stderr. */
static void report(const char *file, const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "report %s %s 2>/dev/null #", file, options);
    ck_assert_int_eq(stepwatch(line), 0);
}

/* ---- logs ------------------------------------------------------------------------------------ */

static FILE *log_begin_with(const char *name, const char *more)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"started\":1767225600.0,\"name\":\"golden\","
            "\"mode\":\"simple\",\"drop_first_batch\":false,\"detail\":\"regions\"%s}\n",
            more);
    return file;
}

static FILE *log_begin(const char *name)
{
    return log_begin_with(name, "");
}

/* With the memory that stays allocated. */
static FILE *log_begin_net(const char *name)
{
    return log_begin_with(name,
                          ",\"counters\":[{\"name\":\"net\",\"kind\":\"sum\",\"unit\":\"B\"}]");
}

/* count: of the call itself, at its end. */
static void log_counted(FILE *file, const char *type, int64_t t, const char *action,
                        const char *shape, int64_t count, int thread)
{
    fprintf(file,
            "{\"type\":\"%s\",\"t\":%lld,\"action\":\"%s\",\"shape\":\"%s\",\"thread\":%d,"
            "\"c\":[%lld]}\n",
            type, (long long)t, action, shape, thread, (long long)count);
}

static void log_shaped(FILE *file, const char *type, int64_t t, const char *action,
                       const char *shape, int thread)
{
    fprintf(file, "{\"type\":\"%s\",\"t\":%lld,\"action\":\"%s\",\"shape\":\"%s\",\"thread\":%d}\n",
            type, (long long)t, action, shape, thread);
}

static void log_event(FILE *file, const char *type, int64_t t, const char *action, int thread)
{
    log_shaped(file, type, t, action, "", thread);
}

struct edge {
    int64_t t, other;
    bool begins;
    const char *name;
    const json_t *shapes; /* NULL: none */
    int64_t count;
};

/* FLOPs, or bytes without those of the events inside. */
static int64_t count_of(const json_t *events, size_t at)
{
    const json_t *event = json_array_get(events, at);
    double count = number_of(event, "flops") + number_of(event, "cpu_mem");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *other = json_array_get(events, i);
        if (i != at && number_of(other, "start_us") >= number_of(event, "start_us") &&
            number_of(other, "end_us") <= number_of(event, "end_us"))
            count -= number_of(other, "cpu_mem");
    }
    return (int64_t)count;
}

/* Of edges at the same time, ends come first; of two that begin, the longer one. */
static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins - y->begins;
    return x->other > y->other ? -1 : x->other < y->other;
}

/* Events of one thread that follow each other in the golden file; returns where the next are. */
static size_t thread_write(FILE *file, const json_t *events, size_t from)
{
    struct edge edge[64];
    size_t count = 0, i = from;
    int thread = (int)number_of(json_array_get(events, from), "tid");
    for (; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        int64_t start = (int64_t)(number_of(event, "start_us") * 1000 + 0.5);
        int64_t end = (int64_t)(number_of(event, "end_us") * 1000 + 0.5);
        if ((int)number_of(event, "tid") != thread)
            break;
        const json_t *shapes = json_object_get(event, "shapes");
        edge[count++] = (struct edge){start, end, true, text_of(event, "name"), shapes, 0};
        edge[count++] =
            (struct edge){end, start, false, text_of(event, "name"), shapes, count_of(events, i)};
    }
    qsort(edge, count, sizeof *edge, by_time);
    for (size_t k = 0; k < count; k++) {
        char *shape = edge[k].shapes ? json_dumps(edge[k].shapes, 0) : NULL;
        log_counted(file, edge[k].begins ? "begin" : "end", edge[k].t, edge[k].name,
                    shape ? shape : "", edge[k].count, thread);
        free(shape);
    }
    return i;
}

static void torch_log(const json_t *golden)
{
    static const char flops[] =
        ",\"counters\":[{\"name\":\"flops\",\"kind\":\"sum\",\"unit\":\"\"}]";
    static const char net[] = ",\"counters\":[{\"name\":\"net\",\"kind\":\"sum\",\"unit\":\"B\"}]";
    const json_t *events = json_object_get(golden, "events");
    bool has_flops = json_is_true(json_object_get(golden, "with_flops"));
    bool has_net = json_is_true(json_object_get(golden, "profile_memory"));
    FILE *file = log_begin_with("torch.jsonl", has_flops ? flops : has_net ? net : "");
    for (size_t i = 0; i < json_array_size(events);)
        i = thread_write(file, events, i);
    fclose(file);
}

/* ---- torch ----------------------------------------------------------------------------------- */

/* What needs stacks, which test_stacks.c has. */
static bool is_beyond(const json_t *options)
{
    return json_object_get(options, "group_by_stack_n") != NULL;
}

static void expected_make(struct swi_text *text, const json_t *lines)
{
    for (size_t i = 0; i + 1 < json_array_size(lines); i++)
        swi_text_format(text, "%s\n", json_string_value(json_array_get(lines, i)));
}

static void options_make(struct swi_text *text, const json_t *options)
{
    swi_text_put(text, "--style torch");
    if (text_of(options, "sort_by"))
        swi_text_format(text, " --sort %s", text_of(options, "sort_by"));
    if (text_of(options, "time_unit"))
        swi_text_format(text, " --time-unit %s", text_of(options, "time_unit"));
    if (json_object_get(options, "row_limit"))
        swi_text_format(text, " --limit %d", (int)number_of(options, "row_limit"));
    if (text_of(options, "header"))
        swi_text_format(text, " --header '%s'", text_of(options, "header"));
    if (json_object_get(options, "group_by_input_shape"))
        swi_text_put(text, " --group-by shape");
    if (json_object_get(options, "max_name_column_width"))
        swi_text_format(text, " --name-width %d", (int)number_of(options, "max_name_column_width"));
    if (json_object_get(options, "top_level_events_only"))
        swi_text_put(text, " --top-level");
}

static bool table_compare(const json_t *table)
{
    struct swi_text options = {0}, expected = {0};
    const json_t *given = json_object_get(table, "options");
    if (is_beyond(given))
        return false;
    options_make(&options, given);
    expected_make(&expected, json_object_get(table, "lines"));
    report("torch.jsonl", options.data);
    ck_assert_msg(strcmp(command_output(), expected.data) == 0, "%s:\n%s\nexpected:\n%s",
                  options.data, command_output(), expected.data);
    swi_text_free(&options);
    swi_text_free(&expected);
    return true;
}

/* How many tables of each file need no stacks. */
static const struct {
    const char *name;
    int tables;
} torch_files[] = {{"torch/table_cpu_nested.json", 10},
                   {"torch/table_cpu_memory.json", 2},
                   {"torch/table_stacks.json", 1}};

START_TEST(the_table_of_torch_is_the_one_that_torch_makes_of_the_same_events)
{
    json_t *json = golden_json("%s", torch_files[_i].name);
    int compared = 0;
    torch_log(json);
    size_t i;
    json_t *table;
    json_array_foreach(json_object_get(json, "tables"), i, table) compared += table_compare(table);
    ck_assert_int_eq(compared, torch_files[_i].tables);
    json_decref(json);
}
END_TEST

/* net: 5 KiB stay of what forward allocates, 3 of them in own; backward frees them. */
START_TEST(the_table_of_torch_has_the_memory_of_a_log_that_has_it)
{
    FILE *file = log_begin_net("memory.jsonl");
    log_counted(file, "begin", 1000, "forward", "", 0, 0);
    log_counted(file, "begin", 2000, "own", "", 2048, 0);
    log_counted(file, "end", 3000, "own", "", 3072, 0);
    log_counted(file, "end", 4000, "forward", "", 0, 0);
    log_counted(file, "begin", 5000, "backward", "", 0, 0);
    log_counted(file, "end", 6000, "backward", "", -5120, 0);
    fclose(file);
    report("memory.jsonl", "--style torch --sort self_cpu_memory_usage");
    assert_printed("CPU time avg       CPU Mem  Self CPU Mem    # of Calls  \n");
    assert_printed("own        25.00%       1.000us        25.00%       1.000us       1.000us  "
                   "     3.00 KB       3.00 KB             1  \n");
    assert_printed("2.00 KB             1  \n");
    assert_printed("-5.00 KB      -5.00 KB             1  \n");
    ck_assert(strstr(command_output(), " own ") < strstr(command_output(), " forward "));
}
END_TEST

/* The second call frees more than the first one leaves, and the third allocates more than that. */
START_TEST(memory_that_falls_below_its_begin_and_rises_again_is_added_up)
{
    static const int64_t net[] = {2048, -4096, 1048576};
    FILE *file = log_begin_net("falls.jsonl");
    for (int64_t i = 0; i < 3; i++) {
        log_counted(file, "begin", i * 1000, "own", "", 0, 0);
        log_counted(file, "end", i * 1000 + 500, "own", "", net[i], 0);
    }
    fclose(file);
    report("falls.jsonl", "--style torch");
    assert_printed("  1022.00 KB    1022.00 KB             3  \n");
}
END_TEST

/* own with two calls of own inside it, of which one frees what both allocate. */
START_TEST(memory_of_calls_inside_others_of_their_name_is_in_the_total_of_torch)
{
    static const char *const styles[] = {"--style torch", "--style torch --group-by stack "
                                                          "--stack-depth 0"};
    FILE *file = log_begin_net("inside.jsonl");
    log_counted(file, "begin", 0, "own", "", 0, 0);
    log_counted(file, "begin", 1000, "own", "", 10, 0);
    log_counted(file, "end", 2000, "own", "", 300, 0);
    log_counted(file, "begin", 3000, "own", "", 0, 0);
    log_counted(file, "end", 4000, "own", "", -100, 0);
    log_counted(file, "end", 5000, "own", "", 0, 0);
    fclose(file);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        report("inside.jsonl", styles[i]);
        assert_printed("       410 B         210 B             3  \n");
    }
}
END_TEST

/* What the call counted that is left out belongs to the one around it. */
START_TEST(the_only_call_inside_of_its_name_is_left_out_of_a_log_with_counters_too)
{
    FILE *file = log_begin_net("chain.jsonl");
    log_counted(file, "begin", 0, "op", "", 0, 0);
    log_counted(file, "begin", 1000, "op", "", 100, 0);
    log_counted(file, "begin", 2000, "inner", "", 20, 0);
    log_counted(file, "end", 3000, "inner", "", 3, 0);
    log_counted(file, "end", 4000, "op", "", 4000, 0);
    log_counted(file, "end", 5000, "op", "", 0, 0);
    fclose(file);
    report("chain.jsonl", "--style torch");
    assert_printed("   op        80.00%       4.000us       100.00%       5.000us       5.000us  "
                   "     4.03 KB       4.02 KB             1  \n");
    assert_printed("inner        20.00%       1.000us        20.00%       1.000us       1.000us  "
                   "         3 B           3 B             1  \n");
}
END_TEST

/* 3 KiB of what forward allocates are freed in it. The log also has the memory of the process. */
START_TEST(the_table_of_torch_has_the_memory_of_tensors_if_the_program_counts_it)
{
    static const char counters[] =
        ",\"counters\":[{\"name\":\"net\",\"kind\":\"sum\",\"unit\":\"B\"},"
        "{\"name\":\"tensor_allocated\",\"kind\":\"sum\",\"unit\":\"\"},"
        "{\"name\":\"tensor_freed\",\"kind\":\"sum\",\"unit\":\"\"}]";
    static const char *const styles[] = {"--style torch", "--style torch --group-by stack"};
    FILE *file = log_begin_with("tensors.jsonl", counters);
    log_event(file, "begin", 1000, "forward", 0);
    fputs("{\"type\":\"end\",\"t\":4000,\"action\":\"forward\",\"thread\":0,"
          "\"c\":[99,5120,3072]}\n",
          file);
    fclose(file);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        report("tensors.jsonl", styles[i]);
        assert_printed("2.00 KB       2.00 KB");
    }
}
END_TEST

/* Of a log of steps, whose arrays say which call had which shape. */
START_TEST(rows_of_shapes_are_shown_apart)
{
    FILE *file = log_begin("shapes.jsonl");
    fputs("{\"type\":\"step\",\"t\":100,\"step\":0,\"phase\":\"train\",\"samples\":1,\"durations\":"
          "{\"batch\":90,\"forward\":[10,20],\"loss\":5},\"shapes\":{\"forward\":[\"[[64, "
          "10]]\",\"\"]}}\n"
          "{\"type\":\"step\",\"t\":200,\"step\":1,\"phase\":\"train\",\"samples\":1,\"durations\":"
          "{\"batch\":90,\"forward\":30},\"shapes\":{\"forward\":\"[[64, 10]]\"}}\n",
          file);
    fclose(file);
    report("shapes.jsonl", "--format csv --columns calls,total --group-by shape");
    assert_printed("train,forward,,1,2e-08\n");
    assert_printed("train,forward,\"[[64, 10]]\",2,4e-08\n");
    report("shapes.jsonl", "--format csv --columns calls,total");
    assert_printed("train,forward,3,6e-08\n");
    report("shapes.jsonl", "--format plain --group-by shape");
    assert_printed("Input Shapes");
    report("shapes.jsonl", "--format json");
    assert_printed("\"rows_by_shape\": [");
    assert_printed("\"shape\": \"[[64, 10]]\"");
}
END_TEST

START_TEST(shapes_are_cut_to_the_width_that_is_asked_for)
{
    FILE *file = log_begin("shapes.jsonl");
    log_shaped(file, "begin", 0, "op", "[[64, 128]]", 0);
    log_shaped(file, "end", 9000, "op", "[[64, 128]]", 0);
    fclose(file);
    report("shapes.jsonl",
           "--style torch --group-by shape --shapes-width 6 --columns input_shapes");
    assert_printed("    op  [[64,   \n");
}
END_TEST

/* As torch, which shows a column for shapes that have something in them. */
START_TEST(shapes_of_scalars_alone_have_no_column)
{
    FILE *file = log_begin("scalars.jsonl");
    log_shaped(file, "begin", 0, "op", "[]", 0);
    log_shaped(file, "end", 1000, "op", "[]", 0);
    fclose(file);
    report("scalars.jsonl", "--style torch --group-by shape");
    assert_printed("    op       100.00%       1.000us ");
    assert_not_printed("Input Shapes");
}
END_TEST

/* op is first called in no other region, but with [[2]] inside of outer. */
START_TEST(each_shape_is_at_the_top_level_if_its_own_first_call_was)
{
    FILE *file = log_begin("shapes.jsonl");
    log_shaped(file, "begin", 0, "op", "[[1]]", 0);
    log_shaped(file, "end", 1000, "op", "[[1]]", 0);
    log_event(file, "begin", 1000, "outer", 0);
    log_shaped(file, "begin", 1000, "op", "[[2]]", 0);
    log_shaped(file, "end", 2000, "op", "[[2]]", 0);
    log_event(file, "end", 3000, "outer", 0);
    fclose(file);
    report("shapes.jsonl", "--style torch --group-by shape --top-level --format csv "
                           "--columns count");
    ck_assert_str_eq(command_output(), "Name,Input Shapes,# of Calls\nop,[[1]],1\nouter,[],1\n");
}
END_TEST

/* op [0, 30] us with op [5, 10] and op [11, 19] inside it; op [0, 30] > op [5, 20] > op [6, 19]. */
START_TEST(calls_inside_others_of_their_name_are_in_the_total_of_torch)
{
    static const int64_t several[][2] = {{0, 1}, {5, 1}, {10, 0}, {11, 1}, {19, 0}, {30, 0}};
    static const int64_t chain[][2] = {{0, 1}, {5, 1}, {6, 1}, {19, 0}, {20, 0}, {30, 0}};
    const int64_t(*edges)[2] = _i ? chain : several;
    host_close(host_open("table", "path: table.txt\n")); /* enters the scratch folder */
    FILE *file = log_begin("two.jsonl");
    for (size_t i = 0; i < 6; i++)
        fprintf(file, "{\"type\":\"%s\",\"t\":%lld,\"action\":\"op\"}\n",
                edges[i][1] ? "begin" : "end", (long long)edges[i][0] * 1000);
    fclose(file);
    report("two.jsonl", "--style torch");
    assert_printed(_i ? "    op       100.00%      30.000us       100.00%      30.000us      "
                        "30.000us             1  \n"
                      : "    op       100.00%      30.000us       143.33%      43.000us      "
                        "14.333us             3  \n");
}
END_TEST

/* op [0, 1 h] with op [5, 6] and op [7, 8] us inside it. */
START_TEST(short_calls_inside_a_long_one_of_their_name_are_in_its_total)
{
    FILE *file = log_begin("long.jsonl");
    log_event(file, "begin", 0, "op", 0);
    for (int64_t t = 5000; t < 9000; t += 2000) {
        log_event(file, "begin", t, "op", 0);
        log_event(file, "end", t + 1000, "op", 0);
    }
    log_event(file, "end", 3600000000000, "op", 0);
    fclose(file);
    report("long.jsonl", "--style torch --time-unit us");
    assert_printed("  3600000002.000us  1200000000.667us             3  \n");
}
END_TEST

/* The total has the calls inside twice, but that is nobody's own time. */
START_TEST(calls_inside_others_of_another_shape_are_in_no_own_time_of_torch)
{
    FILE *file = log_begin("shapes.jsonl");
    log_shaped(file, "begin", 0, "op", "[[1]]", 0);
    for (int64_t t = 1000; t < 5000; t += 2000) {
        log_shaped(file, "begin", t, "op", "[[2]]", 0);
        log_shaped(file, "end", t + 1000, "op", "[[2]]", 0);
    }
    log_shaped(file, "end", 9000, "op", "[[1]]", 0);
    fclose(file);
    report("shapes.jsonl", "--style torch");
    assert_printed("    op       100.00%       9.000us       122.22%      11.000us       3.667us  "
                   "           3  \n");
}
END_TEST

/* 3 of 800 ns are 0.375 %, which torch rounds down; 33 ns for 6 calls are 5.5 ns, which it rounds
 * up. */
START_TEST(numbers_are_rounded_as_torch_rounds_those_of_microseconds)
{
    FILE *file = log_begin("rounded.jsonl");
    log_event(file, "begin", 0, "mm", 0);
    log_event(file, "end", 3, "mm", 0);
    for (int64_t t = 3; t < 36; t += 6) {
        log_event(file, "begin", t, "add", 0);
        log_event(file, "end", t < 33 ? t + 6 : 36, "add", 0);
    }
    log_event(file, "begin", 36, "sub", 0);
    log_event(file, "end", 800, "sub", 0);
    fclose(file);
    report("rounded.jsonl", "--style torch");
    assert_printed("   mm         0.37%       0.003us         0.37%       0.003us ");
    assert_printed("      0.033us       0.006us             6  \n");
}
END_TEST

START_TEST(a_table_of_torch_without_any_event_is_empty)
{
    fclose(log_begin("empty.jsonl"));
    FILE *file = fopen("empty.jsonl", "a");
    log_event(file, "begin", 0, "fit", 0);
    log_event(file, "end", 10, "fit", 0);
    fclose(file);
    report("empty.jsonl", "--style torch");
    ck_assert_str_eq(command_output(), "");
}
END_TEST

/* Events that take no time have a share of nothing. */
START_TEST(the_share_of_nothing_is_not_a_number)
{
    FILE *file = log_begin("zero.jsonl");
    log_event(file, "begin", 5, "mm", 0);
    log_event(file, "end", 5, "mm", 0);
    fclose(file);
    report("zero.jsonl", "--style torch");
    assert_printed("    mm           NaN       0.000us           NaN       0.000us       0.000us  "
                   "           1  \n");
    assert_printed("Self CPU time total: 0.000us\n");
}
END_TEST

/* ---- Lightning and hannah -------------------------------------------------------------------- */

/* With a stage, the profiler is that of a fit. The metric is logged when the report is made. */
static void lightning_log(const json_t *the_case)
{
    size_t i;
    json_t *event;
    bool fit = text_of(the_case, "stage") != NULL;
    int64_t end = (int64_t)number_of(the_case, "report_t_ns");
    FILE *file = log_begin("lightning.jsonl");
    if (fit)
        log_event(file, "begin", 0, "fit", 0);
    json_array_foreach(json_object_get(the_case, "events"), i, event)
    {
        const char *type = json_string_value(json_array_get(event, 1));
        log_event(file, strcmp(type, "start") == 0 ? "begin" : "end",
                  json_integer_value(json_array_get(event, 0)),
                  json_string_value(json_array_get(event, 2)), 0);
    }
    fprintf(file, "{\"type\":\"metric\",\"t\":%lld,\"step\":0,\"name\":\"x\",\"value\":1}\n",
            (long long)end);
    if (fit)
        log_event(file, "end", end, "fit", 0);
    fclose(file);
}

START_TEST(the_table_of_lightning_is_the_one_that_lightning_makes_of_the_same_events)
{
    size_t i;
    json_t *the_case, *json = golden_json("lightning/simple_profiler.json");
    int compared = 0;
    json_array_foreach(json_object_get(json, "cases"), i, the_case)
    {
        if (strcmp(text_of(the_case, "name"), "validate_empty") == 0)
            continue;
        bool extended = json_is_true(json_object_get(the_case, "extended"));
        lightning_log(the_case);
        report("lightning.jsonl",
               extended ? "--style lightning" : "--style lightning --columns action,mean,total");
        ck_assert_msg(strcmp(command_output(), text_of(the_case, "summary")) == 0, "%.3000s",
                      command_output());
        compared++;
    }
    ck_assert_int_eq(compared, 3);
    json_decref(json);
}
END_TEST

/* The run takes 2.58635 ms, whose double is a little less. */
START_TEST(the_total_time_of_lightning_is_rounded_as_python_rounds_it)
{
    FILE *file = log_begin("rounded.jsonl");
    log_event(file, "begin", 0, "fit", 0);
    log_event(file, "begin", 0, "own", 0);
    log_event(file, "end", 1000, "own", 0);
    log_event(file, "end", 2586350, "fit", 0);
    fclose(file);
    report("rounded.jsonl", "--style lightning");
    assert_printed("|  1              \t|  0.0025863      \t|  100 %          \t|\n");
}
END_TEST

START_TEST(a_fit_of_validation_alone_is_a_validation_in_the_table_of_lightning)
{
    FILE *file = log_begin("valid.jsonl");
    log_event(file, "begin", 0, "fit", 0);
    log_event(file, "begin", 0, "valid", 0);
    log_event(file, "end", 1000000000, "valid", 0);
    log_event(file, "end", 1000000000, "fit", 0);
    fclose(file);
    report("valid.jsonl", "--style lightning");
    ck_assert_int_eq(strncmp(command_output(), "VALIDATE Profiler Report\n\n", 26), 0);
    file = log_begin("empty.jsonl");
    log_event(file, "begin", 0, "fit", 0);
    log_event(file, "end", 10, "fit", 0);
    fclose(file);
    report("empty.jsonl", "--style lightning");
    ck_assert_str_eq(command_output(), "FIT Profiler Report\n\n");
}
END_TEST

/* The first rows of the table in hannah's guide, whose rules are 132 long for this name. */
START_TEST(the_table_of_hannah_is_that_of_its_guide)
{
    char rule[134];
    memset(rule, '-', 132);
    strcpy(rule + 132, "\n");
    FILE *file = log_begin("hannah.jsonl");
    log_event(file, "begin", 0, "fit", 0);
    log_event(file, "begin", 0, "run_training_epoch", 0);
    log_event(file, "end", 21692000000, "run_training_epoch", 0);
    log_event(file, "begin", 21692000000, "on_before_accelerator_backend_setup", 0);
    log_event(file, "end", 21692011862, "on_before_accelerator_backend_setup", 0);
    log_event(file, "end", 29420000000, "fit", 0);
    fclose(file);
    struct swi_text text = {0};
    swi_text_put(&text, "Profiler Report\n\n");
    swi_text_put(&text,
                 "Action                             \t|  Mean duration (s)\t|Num calls      \t|"
                 "  Total time (s) \t|  Percentage %   \t|\n");
    swi_text_put(&text, rule);
    swi_text_put(&text,
                 "Total                              \t|  -              \t|_              \t|"
                 "  29.42          \t|  100 %          \t|\n");
    swi_text_put(&text, rule);
    swi_text_put(&text,
                 "run_training_epoch                 \t|  21.692         \t|1              \t|"
                 "  21.692         \t|  73.732         \t|\n");
    swi_text_put(&text,
                 "on_before_accelerator_backend_setup\t|  1.1862e-05     \t|1              \t|"
                 "  1.1862e-05     \t|  4.032e-05      \t|\n");
    report("hannah.jsonl", "--style hannah");
    ck_assert_str_eq(command_output(), text.data);
    swi_text_free(&text);
}
END_TEST

START_TEST(numbers_of_lightning_have_five_digits)
{
    size_t i;
    json_t *pair, *json = golden_json("lightning/simple_profiler.json");
    json_array_foreach(json_object_get(json, "five_digit_format"), i, pair)
    {
        struct swi_text text = {0};
        swi_number_short(&text, json_number_value(json_array_get(pair, 0)), 5);
        ck_assert_str_eq(text.data, json_string_value(json_array_get(pair, 1)));
        swi_text_free(&text);
    }
    ck_assert_uint_ge(i, 35);
    json_decref(json);
}
END_TEST

/* ---- stepwatch's own table ------------------------------------------------------------------- */

static void own_log(void)
{
    static const int64_t end[] = {10, 40, 50, 90};
    FILE *file = log_begin("own.jsonl");
    log_event(file, "begin", 0, "fit", 0);
    for (int i = 0; i < 4; i++) {
        log_event(file, "begin", i ? end[i - 1] : 0, i % 2 ? "slow" : "quick", 0);
        log_event(file, "end", end[i], i % 2 ? "slow" : "quick", 0);
    }
    log_event(file, "end", 100, "fit", 0);
    fclose(file);
}

START_TEST(rows_are_sorted_by_any_column_and_limited)
{
    own_log();
    report("own.jsonl", "--format csv --sort p99 --limit 3 --columns p99,calls");
    ck_assert_str_eq(command_output(), "Phase,Action,P99,Number of Calls\n"
                                       "fit,fit,1e-07,1\n"
                                       "fit,slow,3.99e-08,2\n"
                                       "fit,quick,1e-08,2\n");
    report("own.jsonl", "--format plain --sort Mean --limit 2 --columns mean");
    assert_printed("\nProfiling Results:\n"
                   "Phase Action Mean Duration\n"
                   "  fit   slow       35.00ns\n"
                   "  fit  quick       10.00ns\n"
                   "Accounted for");
    report("own.jsonl", "--format csv --sort action --limit 2 --columns action");
    ck_assert_str_eq(command_output(), "Phase,Action\ntrain,backward\ntrain,batch\n");
}
END_TEST

START_TEST(a_mistake_of_the_form_is_told_once_before_a_log_is_read)
{
    static const char *const wrong[][2] = {
        {"--sort p98", "--sort: \"p98\" is not a column; did you mean \"p95\"? Expected one of "
                       "phase, action, mean, "},
        {"--columns mean,kalls", "--columns: \"kalls\" is not a column; did you mean \"calls\"?"},
        {"--style torch --sort cuda_time", "--sort: \"cuda_time\" is not a column; "},
        {"--style troch", "--style: \"troch\" is not one of stepwatch, torch, lightning, hannah"},
        {"--limit some", "--limit some is not an integer"},
        {"--limit -2", "--limit: -2 is not within -1..1000000"},
        {"--name-width 3", "--name-width: 3 is not within 4..10000"},
        {"--time-unit ms", "--time-unit can be used only with --style torch"},
        {"--style hannah --top-level", "--top-level can be used only with --style torch"},
        {"--header x", "--header can be used only with --style torch"},
        {"--style torch --stack-depth 2", "--stack-depth can be used only with --group-by stack"},
        {"--format json --style torch", "--style cannot be used with --format json"},
        {"--format csv --header x",
         "--header cannot be used with --format csv, only with table and "
         "plain"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[128];
        snprintf(line, sizeof line, "report missing.jsonl %s", wrong[i][0]);
        ck_assert_int_eq(stepwatch(line), 2);
        assert_printed(wrong[i][1]);
        assert_not_printed("missing.jsonl");
    }
}
END_TEST

/* A sink's options are the same: its file is what the command prints. */
START_TEST(a_sink_writes_what_the_command_prints)
{
    struct host *host = host_open("table", "style: torch\nsort: count\nlimit: 2\npath: t.txt\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file("t.txt"), "  # of Calls  \n"));
    ck_assert_ptr_nonnull(strstr(host_file("t.txt"), "\nSelf CPU time total: "));
    host = host_open("markdown", "style: lightning\ncolumns: [mean]\npath: t.md\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_file("t.md"), "| Action   | Mean duration (s)   |\n"
                                        "|:---------|:--------------------|\n"
                                        "| epoch    | 0.4                 |\n"
                                        "| train    | 0.3                 |\n"
                                        "| step     | 0.1                 |\n"
                                        "| valid    | 0.1                 |\n"
                                        "| batch    | 0.09                |\n"
                                        "| draw     | 0.01                |\n");
}
END_TEST

static void in_scratch(void)
{
    scratch_enter();
}

SUITE(forms)
{
    tcase_add_checked_fixture(tc, in_scratch, NULL);
    tcase_add_loop_test(tc, the_table_of_torch_is_the_one_that_torch_makes_of_the_same_events, 0,
                        3);
    tcase_add_loop_test(tc, calls_inside_others_of_their_name_are_in_the_total_of_torch, 0, 2);
    tcase_add_test(tc, calls_inside_others_of_another_shape_are_in_no_own_time_of_torch);
    tcase_add_test(tc, numbers_are_rounded_as_torch_rounds_those_of_microseconds);
    tcase_add_test(tc, a_table_of_torch_without_any_event_is_empty);
    tcase_add_test(tc, the_table_of_torch_has_the_memory_of_a_log_that_has_it);
    tcase_add_test(tc, memory_that_falls_below_its_begin_and_rises_again_is_added_up);
    tcase_add_test(tc, memory_of_calls_inside_others_of_their_name_is_in_the_total_of_torch);
    tcase_add_test(tc, the_only_call_inside_of_its_name_is_left_out_of_a_log_with_counters_too);
    tcase_add_test(tc, the_table_of_torch_has_the_memory_of_tensors_if_the_program_counts_it);
    tcase_add_test(tc, rows_of_shapes_are_shown_apart);
    tcase_add_test(tc, shapes_are_cut_to_the_width_that_is_asked_for);
    tcase_add_test(tc, shapes_of_scalars_alone_have_no_column);
    tcase_add_test(tc, short_calls_inside_a_long_one_of_their_name_are_in_its_total);
    tcase_add_test(tc, each_shape_is_at_the_top_level_if_its_own_first_call_was);
    tcase_add_test(tc, the_share_of_nothing_is_not_a_number);
    tcase_add_test(tc, the_table_of_lightning_is_the_one_that_lightning_makes_of_the_same_events);
    tcase_add_test(tc, the_total_time_of_lightning_is_rounded_as_python_rounds_it);
    tcase_add_test(tc, a_fit_of_validation_alone_is_a_validation_in_the_table_of_lightning);
    tcase_add_test(tc, the_table_of_hannah_is_that_of_its_guide);
    tcase_add_test(tc, numbers_of_lightning_have_five_digits);
    tcase_add_test(tc, rows_are_sorted_by_any_column_and_limited);
    tcase_add_test(tc, a_mistake_of_the_form_is_told_once_before_a_log_is_read);
    tcase_add_test(tc, a_sink_writes_what_the_command_prints);
}
