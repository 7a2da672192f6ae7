/* SPDX-License-Identifier: MIT */
/* Reports by stack: the tables that torch makes of the same events, in
 * tests/golden/torch/table_stacks.json, to the character; and what is not in torch. */
#include "core/text/buffer.h"
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stepwatch/stepwatch.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACKS "--style torch --group-by stack "

/* Runs "stepwatch report FILE OPTIONS", without what it says on stderr. */
static void report(const char *file, const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "report %s %s 2>/dev/null #", file, options);
    ck_assert_int_eq(stepwatch(line), 0);
}

static FILE *log_begin(const char *name, bool drop)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"started\":1767225600.0,\"name\":\"stacks\","
            "\"mode\":\"simple\",\"drop_first_batch\":%s,\"detail\":\"regions\"}\n",
            drop ? "true" : "false");
    return file;
}

static void on(FILE *file, int thread, const char *type, int64_t t, const char *action)
{
    fprintf(file, "{\"type\":\"%s\",\"t\":%lld,\"action\":\"%s\",\"thread\":%d}\n", type,
            (long long)t, action, thread);
}

/* A line of events of one thread: "+batch 10" begins, "-batch 20" ends, "~batch 20" is cancelled,
 * "!" begins a pause and "?" ends it. */
static void play(FILE *file, int thread, const char *events)
{
    char copy[1024], *left = copy, *name;
    snprintf(copy, sizeof copy, "%s", events);
    while ((name = strsep(&left, " ")) != NULL) {
        int64_t t = strtoll(strsep(&left, " "), NULL, 10);
        if (*name == '!' || *name == '?')
            fprintf(file, "{\"type\":\"%s\",\"t\":%lld,\"thread\":%d}\n",
                    *name == '!' ? "pause" : "resume", (long long)t, thread);
        else
            on(file, thread, *name == '+' ? "begin" : *name == '-' ? "end" : "cancel", t, name + 1);
    }
}

static void made(const char *name, const char *events)
{
    FILE *file = log_begin(name, false);
    play(file, 0, events);
    fclose(file);
}

/* ---- torch ----------------------------------------------------------------------------------- */

static int64_t ns_of(const json_t *event, const char *key)
{
    return (int64_t)(json_number_value(json_object_get(event, key)) * 1000 + 0.5);
}

/* The places in the source are regions around the event, the innermost first. */
static void event_write(FILE *file, const json_t *event)
{
    const json_t *stack = json_object_get(event, "stack");
    const char *name = json_string_value(json_object_get(event, "name"));
    for (size_t i = json_array_size(stack); i-- > 0;)
        on(file, 0, "begin", ns_of(event, "start_us"), json_string_value(json_array_get(stack, i)));
    on(file, 0, "begin", ns_of(event, "start_us"), name);
    on(file, 0, "end", ns_of(event, "end_us"), name);
    for (size_t i = 0; i < json_array_size(stack); i++)
        on(file, 0, "end", ns_of(event, "end_us"), json_string_value(json_array_get(stack, i)));
}

static char *expected_of(const json_t *table)
{
    struct swi_text text = {0};
    const json_t *lines = json_object_get(table, "lines");
    for (size_t i = 0; i + 1 < json_array_size(lines); i++)
        swi_text_format(&text, "%s\n", json_string_value(json_array_get(lines, i)));
    return text.data;
}

START_TEST(the_table_of_torch_by_stack_is_the_one_that_torch_makes_of_the_same_events)
{
    json_t *json = golden_json("torch/table_stacks.json"), *event, *table;
    FILE *file = log_begin("torch.jsonl", false);
    size_t i;
    json_array_foreach(json_object_get(json, "events"), i, event) event_write(file, event);
    fclose(file);
    json_array_foreach(json_object_get(json, "tables"), i, table)
    {
        char options[128], *expected = expected_of(table);
        const json_t *given = json_object_get(table, "options");
        snprintf(options, sizeof options, STACKS "--sort %s --stack-depth %d",
                 json_string_value(json_object_get(given, "sort_by")),
                 (int)json_integer_value(json_object_get(given, "group_by_stack_n")));
        report("torch.jsonl", options);
        ck_assert_str_eq(command_output(), expected);
        free(expected);
    }
    ck_assert_uint_eq(i, 3);
    json_decref(json);
}
END_TEST

/* ---- regions --------------------------------------------------------------------------------- */

/* Two rows of mm, because the regions around it differ. */
START_TEST(regions_around_an_action_are_its_stack)
{
    made("run.jsonl", "+outer 0 +mm 1000 -mm 3000 +inner 4000 +mm 5000 -mm 6000 -inner 9000 "
                      "-outer 10000");
    report("run.jsonl", STACKS "--columns count,cpu_time_total");
    ck_assert_str_eq(command_output(), "---------  ---------  ------------  ------------  \n"
                                       "     Name  Source Location    # of Calls     CPU total  \n"
                                       "---------  ---------  ------------  ------------  \n"
                                       "    outer                        1      10.000us  \n"
                                       "                                                  \n"
                                       "       mm  outer                 1       2.000us  \n"
                                       "                                                  \n"
                                       "    inner  outer                 1       5.000us  \n"
                                       "                                                  \n"
                                       "       mm  inner                 1       1.000us  \n"
                                       "           outer                                  \n"
                                       "                                                  \n"
                                       "---------  ---------  ------------  ------------  \n"
                                       "Self CPU time total: 10.000us\n");
}
END_TEST

/* The regions of a thread are read after those of another one that began later. */
START_TEST(rows_of_stacks_are_in_the_order_of_their_first_calls_on_any_thread)
{
    FILE *file = log_begin("threads.jsonl", false);
    play(file, 1, "+late 5000 -late 6000");
    play(file, 0, "+mm 7000 -mm 8000");
    play(file, 2, "+mm 1000 -mm 2000");
    fclose(file);
    report("threads.jsonl", STACKS "--columns count");
    ck_assert_ptr_nonnull(strstr(command_output(), " mm "));
    ck_assert(strstr(command_output(), " mm ") < strstr(command_output(), " late "));
}
END_TEST

/* mm is first called in outer, and once more alone. */
START_TEST(rows_of_what_is_first_called_in_no_other_region_are_shown_alone)
{
    made("run.jsonl", "+fit 0 +outer 0 +mm 1000 -mm 3000 -outer 10000 +mm 11000 -mm 12000 "
                      "-fit 20000");
    report("run.jsonl", "--style torch --top-level --columns count");
    ck_assert_str_eq(command_output(), "=======================\n"
                                       "This report only display top-level ops statistics\n"
                                       "---------  ------------  \n"
                                       "     Name    # of Calls  \n"
                                       "---------  ------------  \n"
                                       "    outer             1  \n"
                                       "---------  ------------  \n"
                                       "Self CPU time total: 11.000us\n");
    report("run.jsonl", STACKS "--top-level --columns count --format csv");
    ck_assert_str_eq(command_output(), "Name,Source Location,# of Calls\nouter,fit,1\nmm,fit,1\n");
}
END_TEST

START_TEST(regions_of_stacks_are_cut_to_the_width_that_is_asked_for)
{
    made("run.jsonl", "+a_long_name 0 +mm 1000 -mm 3000 -a_long_name 10000");
    report("run.jsonl", STACKS "--source-width 8 --columns count");
    ck_assert_ptr_nonnull(strstr(command_output(), "             mm  ..._name             1  \n"));
}
END_TEST

/* As in torch, a row keeps all of its stack, and the totals are of all rows. */
START_TEST(rows_of_stacks_are_sorted_and_limited)
{
    made("run.jsonl", "+outer 0 +mm 1000 -mm 3000 +inner 4000 +mm 5000 -mm 6000 -inner 9000 "
                      "-outer 10000");
    report("run.jsonl", STACKS "--columns count --sort self_cpu_time_total --limit 1");
    assert_printed(
        "    inner  outer                 1  \n                                    \n---");
    assert_not_printed(" mm ");
    assert_printed("Self CPU time total: 10.000us\n");
}
END_TEST

/* f in f is in the total of f already, unless the depth shows them apart. */
START_TEST(a_call_inside_a_call_of_the_same_row_is_in_its_total_too)
{
    made("run.jsonl",
         "+f 0 +f 1000 -f 2000 +f 3000 +f 4000 -f 5000 +f 6000 -f 7000 -f 8000 -f 9000");
    report("run.jsonl", STACKS "--stack-depth 1 --columns count,cpu_time_total --format csv");
    ck_assert_str_eq(command_output(), "Name,Source Location,# of Calls,CPU total\n"
                                       "f,,1,9e-06\n"
                                       "f,f,4,8e-06\n");
    report("run.jsonl", STACKS "--columns count,cpu_time_total --format csv");
    assert_printed("f,f; f,2,2e-06\n");
}
END_TEST

/* 75 characters at most: the end of a longer one, which may have any characters. */
START_TEST(a_region_that_is_too_long_for_its_column_keeps_its_end)
{
    char name[128], events[512], line[256];
    memset(name, 'x', 76);
    strcpy(name + 76, "\xc3\xa4"
                      "end");
    snprintf(events, sizeof events, "+%s 0 +mm 1 -mm 2 -%s 3", name, name);
    made("run.jsonl", events);
    report("run.jsonl", STACKS "--columns count --name-width 10");
    snprintf(line, sizeof line, "        mm  ...%s             1  \n", name + 80 - 72);
    assert_printed(line);
    assert_printed(
        "  ---------------------------------------------------------------------------  ");
}
END_TEST

/* What torch's own table has under the wrong headers. */
START_TEST(memory_and_flops_of_a_stack_are_under_their_headers)
{
    FILE *file = fopen("counted.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    fputs("{\"type\":\"run\",\"version\":1,\"started\":1,\"name\":\"x\",\"mode\":\"simple\","
          "\"drop_first_batch\":false,\"detail\":\"regions\",\"counters\":[{\"name\":\"net\","
          "\"kind\":\"sum\",\"unit\":\"B\"},{\"name\":\"flops\",\"kind\":\"sum\",\"unit\":\"\"}]}\n"
          "{\"type\":\"begin\",\"t\":0,\"action\":\"a\",\"c\":[0,0]}\n"
          "{\"type\":\"begin\",\"t\":1,\"action\":\"mm\",\"c\":[10,1]}\n"
          "{\"type\":\"end\",\"t\":2,\"action\":\"mm\",\"c\":[5,30]}\n"
          "{\"type\":\"end\",\"t\":3,\"action\":\"a\",\"c\":[1,2]}\n",
          file);
    fclose(file);
    report("counted.jsonl", STACKS);
    assert_printed("     CPU Mem  Self CPU Mem    # of Calls  Source Location   Total FLOPs  \n");
    assert_printed("        16 B          11 B             1                3.000  \n");
    assert_printed("         5 B           5 B             1  a            30.000  \n");
}
END_TEST

/* Threads, a pause, a batch that was cancelled, recursion, draws without a batch, two phases. */
static void odd_log(const char *name, bool drop)
{
    FILE *file = log_begin(name, drop);
    play(file, 0,
         "+fit 0 +epoch 10 +train 20 +draw 30 -draw 40 +batch 40 +forward 50 +mm 55 -mm 65 "
         "-forward 70 +mm 70 -mm 75 -batch 90 +own 91 -own 95 +draw 100 -draw 110 +batch 111 "
         "+forward 112 +mm 113 +mm 114 -mm 116 -mm 120 -forward 130 ! 140 ? 240 -batch 260 "
         "+draw 270 -draw 280 +batch 281 +forward 282 -forward 290 ~batch 300 +draw 301 -draw 310 "
         "+batch 311 +forward 312 ~forward 320 +mm 321 -mm 330 -batch 340 +draw 341 -draw 350 "
         "-train 400 +valid 400 +draw 401 -draw 402 +batch 403 +predict 404 -predict 410 "
         "-batch 420 +batch 421 +predict 424 -predict 430 -batch 440 -valid 450 -epoch 460");
    play(file, 1, "+load 100 +mm 110 -mm 120 -load 130 +load 140");
    play(file, 0, "-fit 500");
    play(file, 1, "-load 510");
    fclose(file);
}

/* Sorts the lines of what was printed, because only the order of equal rows may differ. */
static char *sorted_of(const char *name, const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "report %s %s 2>/dev/null | LC_ALL=C sort #", name, options);
    ck_assert_int_eq(stepwatch(line), 0);
    return strdup(command_output());
}

START_TEST(without_stacks_the_rows_are_those_of_actions)
{
    odd_log("odd.jsonl", _i);
    char *actions = sorted_of("odd.jsonl", "--style torch");
    char *stacks = sorted_of("odd.jsonl", STACKS "--stack-depth 0");
    ck_assert_str_eq(stacks, actions);
    ck_assert_ptr_nonnull(strstr(actions, "ProfilerStep*"));
    free(actions);
    free(stacks);
}
END_TEST

/* Batches that are dropped or discarded, draws without a batch, and fits have no row. */
static const struct {
    bool drop;
    const char *events, *rows;
} unrecorded[] = {
    {true,
     "+fit 0 +epoch 0 +train 0 +draw 0 +load 0 -load 5 -draw 10 +batch 10 +own 10 -own 50 "
     "-batch 100 +draw 100 +load 100 -load 105 -draw 110 +batch 110 -batch 200 -train 200 "
     "+valid 200 +draw 200 -draw 205 +batch 205 -batch 250 -valid 250 -epoch 250 +epoch 250 "
     "+train 250 +draw 250 +load 250 -load 255 -draw 260 +batch 260 -batch 350 -train 350 "
     "-epoch 400 -fit 400",
     "epoch 12.50 100.00, train 25.00 75.00, draw 2.50 5.00, load 2.50 2.50, batch 45.00 45.00, "
     "ProfilerStep* 0.00 50.00, valid 12.50 12.50, "},
    {true,
     "+fit 0 +epoch 0 +draw 0 -draw 10 +batch 10 -batch 60 +draw 60 -draw 70 +batch 70 -batch 80 "
     "-epoch 90 +check 90 -check 100 -fit 100",
     "epoch 70.00 90.00, draw 10.00 10.00, batch 10.00 10.00, ProfilerStep* 0.00 20.00, "
     "check 10.00 10.00, "},
    {true,
     "+fit 0 +chunk 0 +draw 0 -draw 10 +batch 10 -batch 60 +draw 60 -draw 70 +batch 70 -batch 80 "
     "-chunk 100 -fit 200",
     "chunk 80.00 100.00, draw 10.00 10.00, batch 10.00 10.00, ProfilerStep* 0.00 20.00, "},
    {false,
     "+fit 0 +train 0 +draw 0 -draw 10 +batch 10 -batch 20 +draw 20 +load 20 -load 40 -draw 50 "
     "+batch 60 +own 60 -own 80 -train 100 -fit 100",
     "train 60.00 100.00, draw 10.00 10.00, batch 10.00 10.00, ProfilerStep* 0.00 20.00, "
     "load 20.00 20.00, "},
    {false, "+main 0 +fit 10 +a 20 -a 30 -fit 100 -main 110",
     "a 100.00 100.00, main 100.00 100.00, "},
};

/* "name self% total%, " of each row of a table. */
static void shares_of(struct swi_text *text)
{
    char name[32], *copy = strdup(command_output()), *left = copy, *line;
    double self, total;
    while ((line = strsep(&left, "\n")) != NULL)
        if (sscanf(line, "%31s %lf%% %*s %lf%%", name, &self, &total) == 3)
            swi_text_format(text, "%s %.2f %.2f, ", name, self, total);
    free(copy);
}

START_TEST(what_has_no_row_is_own_time_of_the_region_around_it)
{
    static const char *const options[] = {"--style torch", STACKS "--stack-depth 0"};
    FILE *file = log_begin("run.jsonl", unrecorded[_i].drop);
    play(file, 0, unrecorded[_i].events);
    fclose(file);
    for (size_t i = 0; i < 2; i++) {
        struct swi_text shares = {0};
        report("run.jsonl", options[i]);
        shares_of(&shares);
        ck_assert_str_eq(shares.data, unrecorded[_i].rows);
        swi_text_free(&shares);
    }
}
END_TEST

/* ---- outputs --------------------------------------------------------------------------------- */

START_TEST(stacks_are_one_cell_of_markdown)
{
    made("run.jsonl", "+a_b 0 +c 1 +mm 2 -mm 3 -c 4 -a_b 5");
    report("run.jsonl", STACKS "--columns count --format markdown");
    assert_printed("| mm     | c; a_b            |            1 |\n");
}
END_TEST

/* Each fit has the stacks of its own regions, and what follows a fit is a table of its own. */
START_TEST(each_fit_has_its_own_stacks)
{
    made("run.jsonl", "+fit 0 +a 1 +mm 2 -mm 3 -a 4 -fit 5 +fit 6 +b 7 +mm 8 -mm 9 -b 10 -fit 11 "
                      "+late 12 +mm 13 -mm 15 -late 16");
    report("run.jsonl", STACKS "--columns count --format csv");
    ck_assert_str_eq(command_output(), "Name,Source Location,# of Calls\n"
                                       "a,fit,1\n"
                                       "mm,a; fit,1\n"
                                       "Name,Source Location,# of Calls\n"
                                       "b,fit,1\n"
                                       "mm,b; fit,1\n"
                                       "Name,Source Location,# of Calls\n"
                                       "late,,1\n"
                                       "mm,late,1\n");
}
END_TEST

/* The first batch of each phase is dropped. A file has what came after the fit with the fit. */
START_TEST(a_sink_gets_the_stacks_of_a_running_program)
{
    struct host *host = host_open("csv", "path: stacks.csv\nstyle: torch\ngroup_by: stack\n"
                                         "stack_depth: 1\ncolumns: [count, cpu_time_total]\n");
    host_fit(host, 3);
    sw_begin(host_profiler(host), sw_action("after"));
    host_wait(host, 1000000000);
    sw_end(host_profiler(host), sw_action("after"));
    host_close(host);
    ck_assert_str_eq(host_file("stacks.csv"), "Name,Source Location,# of Calls,CPU total\n"
                                              "epoch,fit,1,0.4\n"
                                              "train,epoch,1,0.3\n"
                                              "draw,train,2,0.02\n"
                                              "batch,train,2,0.18\n"
                                              "ProfilerStep*,train,2,0.2\n"
                                              "valid,epoch,1,0.1\n"
                                              "after,,1,1.0\n");
}
END_TEST

START_TEST(a_place_in_the_source_has_its_file_and_line)
{
    char line[512];
    struct host *host = host_open("csv", "path: stacks.csv\nstyle: torch\ngroup_by: stack\n"
                                         "columns: [count]\n");
    struct sw_profiler *sw = host_profiler(host);
    int place = SW_PLACE("place"), at = __LINE__, inner = sw_action("inner");
    snprintf(line, sizeof line, "%s(%d): place", __FILE__, at);
    ck_assert_str_eq(sw_action_name(place), line);
    sw_begin(sw, place);
    sw_begin(sw, inner);
    host_wait(host, 1000);
    sw_end(sw, inner);
    sw_end(sw, place);
    host_close(host);
    snprintf(line, sizeof line, "Name,Source Location,# of Calls\ninner,%s(%d): place,1\n",
             __FILE__, at);
    ck_assert_str_eq(host_file("stacks.csv"), line);
}
END_TEST

START_TEST(spans_have_no_stack)
{
    FILE *file = log_begin("run.jsonl", false);
    play(file, 0, "+a 0 +mm 1 -mm 2");
    fputs("{\"type\":\"span_begin\",\"t\":3,\"id\":1,\"action\":\"request\"}\n"
          "{\"type\":\"span_end\",\"t\":7,\"id\":1,\"action\":\"request\"}\n",
          file);
    play(file, 0, "-a 9");
    fclose(file);
    report("run.jsonl", STACKS "--columns count --format csv");
    assert_printed("request,,1\n");
    assert_printed("mm,a,1\n");
    report("run.jsonl", "--style torch --limit -1");
    assert_printed(
        "request         0.00%       0.000us             0       0.004us       0.004us ");
}
END_TEST

START_TEST(a_log_without_stacks_is_refused)
{
    file_write("steps.jsonl", "{\"type\":\"run\",\"version\":1,\"detail\":\"steps\"}\n");
    ck_assert_int_eq(stepwatch("report steps.jsonl " STACKS), 1);
    assert_printed("steps.jsonl: was recorded with detail: steps, which has no stacks: record it "
                   "with runlog: { detail: regions }\n");
    file_write("window.jsonl",
               "{\"type\":\"run\",\"version\":1,\"detail\":\"regions\",\"windowed\":true}\n");
    ck_assert_int_eq(stepwatch("report window.jsonl " STACKS), 1);
    assert_printed("window.jsonl: has the regions of windows only, and stacks need those of the "
                   "whole run: record it without schedule and capture\n");
}
END_TEST

START_TEST(mistakes_of_stacks_are_told)
{
    static const char *const wrong[][2] = {
        {"--group-by stack", "--group-by: stack needs style: torch, not stepwatch"},
        {"--group-by stack --style hannah", "--group-by: stack needs style: torch, not hannah"},
        {STACKS "--stack-depth some", "--stack-depth some is not an integer"},
        {STACKS "--stack-depth -1", "--stack-depth: -1 is not within 0..1000"},
        {STACKS "--stack-depth 1001", "--stack-depth: 1001 is not within 0..1000"},
        {"--format json --stack-depth 1", "--stack-depth cannot be used with --format json"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[128];
        snprintf(line, sizeof line, "report missing.jsonl %s", wrong[i][0]);
        ck_assert_int_eq(stepwatch(line), 2);
        assert_printed(wrong[i][1]);
    }
}
END_TEST

static void in_scratch(void)
{
    scratch_enter();
}

SUITE(stacks)
{
    tcase_add_checked_fixture(tc, in_scratch, NULL);
    tcase_add_test(tc, the_table_of_torch_by_stack_is_the_one_that_torch_makes_of_the_same_events);
    tcase_add_test(tc, regions_around_an_action_are_its_stack);
    tcase_add_test(tc, rows_of_stacks_are_in_the_order_of_their_first_calls_on_any_thread);
    tcase_add_test(tc, rows_of_what_is_first_called_in_no_other_region_are_shown_alone);
    tcase_add_test(tc, regions_of_stacks_are_cut_to_the_width_that_is_asked_for);
    tcase_add_test(tc, rows_of_stacks_are_sorted_and_limited);
    tcase_add_test(tc, a_call_inside_a_call_of_the_same_row_is_in_its_total_too);
    tcase_add_test(tc, a_region_that_is_too_long_for_its_column_keeps_its_end);
    tcase_add_test(tc, memory_and_flops_of_a_stack_are_under_their_headers);
    tcase_add_loop_test(tc, without_stacks_the_rows_are_those_of_actions, 0, 2);
    tcase_add_loop_test(tc, what_has_no_row_is_own_time_of_the_region_around_it, 0, 5);
    tcase_add_test(tc, stacks_are_one_cell_of_markdown);
    tcase_add_test(tc, each_fit_has_its_own_stacks);
    tcase_add_test(tc, a_sink_gets_the_stacks_of_a_running_program);
    tcase_add_test(tc, a_place_in_the_source_has_its_file_and_line);
    tcase_add_test(tc, spans_have_no_stack);
    tcase_add_test(tc, a_log_without_stacks_is_refused);
    tcase_add_test(tc, mistakes_of_stacks_are_told);
}
