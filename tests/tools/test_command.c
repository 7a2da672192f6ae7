/* SPDX-License-Identifier: MIT */
/* The command as a user calls it: what it prints, and its exit status. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(without_a_command_it_lists_all_commands)
{
    ck_assert_int_eq(stepwatch(""), 2);
    assert_printed("usage: stepwatch COMMAND");
    ck_assert_int_eq(stepwatch("--help"), 0);
    assert_printed("\n  functions shows which "); /* the longest name */
    assert_printed("\n  replay    replays ");
    ck_assert_int_eq(stepwatch("--version"), 0);
    assert_printed(sw_version());
    ck_assert_int_eq(stepwatch("repaly"), 2);
    assert_printed("unknown command \"repaly\"");
    ck_assert_int_eq(stepwatch("help repaly"), 2);
    assert_printed("unknown command \"repaly\"");
}
END_TEST

START_TEST(each_command_has_its_help_and_says_what_it_was_called_wrongly_with)
{
    static const char *const commands[] = {"capture", "check", "compare",  "init",  "replay",
                                           "report",  "run",   "schedule", "sinks", "sync"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s --help", commands[i]);
        ck_assert_int_eq(stepwatch(line), 0);
        assert_printed("usage: stepwatch ");
        snprintf(line, sizeof line, "help %s", commands[i]);
        ck_assert_int_eq(stepwatch(line), 0);
        snprintf(line, sizeof line, "usage: stepwatch %s", commands[i]);
        assert_printed(line);
        snprintf(line, sizeof line, "%s --wrong", commands[i]);
        ck_assert_int_eq(stepwatch(line), 2);
        assert_printed("unknown option --wrong");
    }
    ck_assert_int_eq(stepwatch("functions . --format folded"), 2);
    assert_printed("--format needs --out FOLDER\nTry: ");
    ck_assert_int_eq(stepwatch("report nowhere --columns ,"), 2);
    assert_printed("overall_samples_per_s\nTry: "); /* the first mistake only */
}
END_TEST

START_TEST(a_name_with_a_newline_forges_no_message)
{
    static const char *const commands[] = {
        "",       "check", "compare run.jsonl", "explain",        "export", "merge", "replay",
        "report", "sync",  "functions",         "report --format"};
    run_record("steps");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s 'no\nforged: such file'", commands[i]);
        ck_assert_msg(stepwatch(line) != 0, "%s", line);
        assert_printed("no\\x0aforged");
        assert_not_printed("\nforged");
    }
}
END_TEST

START_TEST(check_reports_every_mistake_and_fails)
{
    run_record("steps");
    file_write("bad.yaml", "profiler: { mode: simpel, rolling_average: 0 }\n");
    ck_assert_int_eq(stepwatch("check bad.yaml"), 1);
    assert_printed("bad.yaml:1:19: ");
    assert_printed("did you mean simple?");
    assert_printed("bad.yaml:1:44: ");
    assert_printed("2 mistakes\n");
}
END_TEST

/* The shell makes the name. */
START_TEST(what_is_printed_steers_no_terminal)
{
    run_record("steps");
    file_write("odd.yaml", "profiler: simpel\n");
    ck_assert_int_eq(system("mv odd.yaml \"$(printf 'odd\\033[31m.yaml')\""), 0);
    static const char *const lines[] = {
        "check \"$(printf 'odd\\033[31m.yaml')\"",
        "check --json \"$(printf 'odd\\033[31m.yaml')\"",
        "check --print \"$(printf 'odd\\033[31m.yaml')\"",
        "check \"$(printf 'missing\\033[31m.yaml')\"",
        "init \"$(printf 'new\\033[31m.yaml')\"",
        "check \"$(printf 'new\\033[31m.yaml')\"",
        "report \"$(printf 'missing\\033[31m.jsonl')\"",
        "sinks \"$(printf 'odd\\033[31m')\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        stepwatch(lines[i]);
        assert_not_printed("\033");
        assert_printed("31m");
    }
}
END_TEST

/* A file of cProfile with one function; also each beginning of it. */
START_TEST(functions_reads_a_whole_profile_of_python_and_refuses_a_part_of_one)
{
    static const char prof[] = "{(\3\0\0\0u\3\0\0\0a.ci\1\0\0\0u\1\0\0\0f"
                               "(\5\0\0\0i\1\0\0\0i\1\0\0\0g\0\0\0\0\0\0\370?"
                               "g\0\0\0\0\0\0\4@{00";
    enum { WHOLE = sizeof prof - 1 };
    scratch_enter();
    for (size_t size = WHOLE; size > 0; size -= size < 5 ? size : 5) {
        scratch_write("run.prof", prof, size);
        ck_assert_int_eq(stepwatch("functions run.prof"), size == WHOLE ? 0 : 1);
        assert_printed(size == WHOLE ? "a.c:1(f)" : "this is not a function profile");
    }
}
END_TEST

static const struct {
    const char *sink;
    const char *problem;
} deadly[] = {
    {"crash_load", "it crashes when loaded: Aborted"},
    {"exit_load", "it ends the program when loaded"},
};

START_TEST(check_names_a_sink_that_ends_whoever_loads_it)
{
    char yaml[256], line[256];
    run_record("steps");
    snprintf(yaml, sizeof yaml,
             "plugin_path: " BUILDDIR "/tests/plugins/.libs\nlogger_callback:\n  - %s\n  - cvs\n",
             deadly[_i].sink);
    file_write("deadly.yaml", yaml);
    snprintf(line, sizeof line,
             "deadly.yaml:3:5: sink %s: " BUILDDIR "/tests/plugins/.libs/%s.so: %s\n",
             deadly[_i].sink, deadly[_i].sink, deadly[_i].problem);
    ck_assert_int_eq(stepwatch("check deadly.yaml"), 1);
    assert_printed(line);
    assert_printed("sink cvs was not found; did you mean csv?");
    assert_printed("2 mistakes\n");
    assert_not_printed("stepwatch: error");
    ck_assert_int_eq(stepwatch("check --print deadly.yaml"), 1);
    assert_printed(deadly[_i].problem);
}
END_TEST

START_TEST(check_obeys_no_file_that_a_program_would_not)
{
    run_record("steps");
    ck_assert_int_eq(system("rm -f stepwatch.yaml && mkfifo stepwatch.yaml"), 0);
    ck_assert_int_eq(stepwatch("check"), 1);
    assert_printed("stepwatch.yaml: is a FIFO: expected a YAML file");
}
END_TEST

START_TEST(check_looks_at_the_file_that_a_program_would_open)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("check"), 1);
    assert_printed("stepwatch.yaml: cannot be read: No such file or directory");
    file_write("stepwatch.yaml", "profiler: simple\n");
    ck_assert_int_eq(stepwatch("check"), 0);
    assert_printed("stepwatch.yaml: fine\n");
    file_write("other.yaml", "profiler: simpel\n");
    setenv("STEPWATCH_CONFIG", "other.yaml", 1);
    ck_assert_int_eq(stepwatch("check"), 1);
    assert_printed("other.yaml:1:11: ");
    ck_assert_int_eq(stepwatch("check stepwatch.yaml other.yaml"), 2);
}
END_TEST

/* Each writes one file twice: by default, by mode, through a link. */
static const char *const one_file[] = {
    "profiler: simple\nlogger_callback: [runlog, runlog]\n",
    "profiler: simple\nlogger_callback: [csv, runlog: { path: simpleprofiler.csv }]\n",
    "profiler: { save_csv: true, csv_name: a.csv }\nlogger_callback: [markdown: { path: a.csv }]\n",
    "profiler: simple\nlogger_callback: [csv: { path: real/a }, markdown: { path: link/b/../a }]\n",
};

static const struct {
    const char *sink, *said;
} unwritable[] = {
    {"csv: { path: file/r.csv }", "its folder \"file\" cannot be made or entered"},
    {"markdown: { path: file/deeper/r.md }", "its folder \"file\" cannot be made or entered"},
    {"table: { path: 'file/{run}.txt' }", "its folder \"file\" cannot be made or entered"},
    {"runlog: { path: folder }", "folder: is a folder, expected a file"},
    {"tensorboard: { logdir: file/runs }", "its folder \"file\" cannot be made or entered"},
};

#define LONG_5 "xxxxx"
#define LONG_50 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5 LONG_5
#define LONG_250 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50

START_TEST(check_says_which_path_is_too_long)
{
    char text[6000], deep[4200];
    for (size_t i = 0; i < sizeof deep; i++)
        deep[i] = i % 2 ? '/' : 'x';
    deep[sizeof deep - 1] = '\0';
    run_record("steps");
    snprintf(text, sizeof text,
             "logger_callback:\n- csv: { path: new/" LONG_250 "xx.csv }\n"
             "- runlog: { path: new/" LONG_250 ".jsonl }\n- markdown: { path: %s }\n",
             deep);
    file_write("outputs.yaml", text);
    ck_assert_int_eq(stepwatch("check outputs.yaml"), 1);
    assert_printed("outputs.yaml:2:10: sink csv: path: ");
    assert_printed(": cannot be created: File name too long: expected names of at most 255 bytes");
    assert_printed("outputs.yaml:4:15: sink markdown: path: the path is too long: expected at most "
                   "4095 bytes\n");
    assert_printed("3 mistakes\n");
}
END_TEST

START_TEST(check_tries_where_the_outputs_will_be)
{
    char text[512];
    run_record("steps");
    ck_assert_int_eq(system("touch file && mkdir -p folder"), 0);
    snprintf(text, sizeof text, "profiler: simple\nlogger_callback: [%s]\n", unwritable[_i].sink);
    file_write("outputs.yaml", text);
    ck_assert_int_eq(stepwatch("check outputs.yaml"), 1);
    assert_printed(unwritable[_i].said);
}
END_TEST

/* Only what the user wrote as a path has placeholders: the folder is as it is. */
START_TEST(check_takes_a_folder_for_what_it_is_called)
{
    run_record("steps");
    ck_assert_int_eq(system("mkdir -p '{rank}/[a]*{co'"), 0);
    ck_assert_int_eq(chdir("{rank}/[a]*{co"), 0);
    file_write("outputs.yaml", "profiler: simple\nlogger_callback: [csv: { path: r.csv }, "
                               "runlog: { path: '{rank}.jsonl' }, table: { path: '{name}/r' }]\n");
    ck_assert_int_eq(stepwatch("check outputs.yaml"), 0);
}
END_TEST

START_TEST(check_refuses_two_sinks_that_write_one_file)
{
    struct sw_error err;
    run_record("steps");
    ck_assert_int_eq(system("mkdir -p real/b && ln -sfn real link"), 0);
    file_write("twice.yaml", one_file[_i]);
    ck_assert_int_eq(stepwatch("check twice.yaml"), 1);
    assert_printed("already writes to that file; each sink needs its own file: name another path");
    ck_assert_ptr_null(sw_open("twice.yaml", &err));
    ck_assert_int_eq(err.code, SW_ECONFIG);
}
END_TEST

START_TEST(check_prints_the_configuration_as_it_is_used)
{
    run_record("steps");
    file_write("good.yaml", "profiler: simple\nlogger_callback: [csv]\n");
    ck_assert_int_eq(stepwatch("check good.yaml"), 0);
    assert_printed("good.yaml: fine\n");
    ck_assert_int_eq(stepwatch("check good.yaml --print"), 0);
    assert_printed("  mode: simple\n");
    assert_printed("csv:\n");
    assert_printed("columns: [standard]\n");
    file_write("again.yaml", command_output());
    ck_assert_int_eq(stepwatch("check again.yaml"), 0);
}
END_TEST

START_TEST(check_prints_the_rank_and_where_it_is_from)
{
    run_record("steps");
    file_write("good.yaml", "profiler: simple\n");
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    ck_assert_int_eq(stepwatch("check good.yaml --print"), 0);
    ck_assert_ptr_eq(strstr(command_output(), "# rank 3 of 4 (ompi: OMPI_COMM_WORLD_RANK)\n"),
                     command_output());
    setenv("RANK", "x", 1);
    setenv("WORLD_SIZE", "4", 1);
    ck_assert_int_eq(stepwatch("check good.yaml --print"), 0);
    assert_printed("this is not certain");
    assert_printed("\n# RANK is \"x\", which is not a rank");
    unsetenv("RANK");
    file_write("told.yaml", "ranks: {rank: 1, size: 2}\n");
    ck_assert_int_eq(stepwatch("check told.yaml --print"), 0);
    assert_printed("# rank 1 of 2 (configuration)\nranks: { rank: 1, size: 2 }\n");
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "RANK",
                                        "WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    ck_assert_int_eq(stepwatch("check good.yaml --print"), 0);
    assert_printed("# rank 0 of 1: no launcher was found\n");
}
END_TEST

START_TEST(sinks_lists_what_there_is_and_prints_the_options_of_one)
{
    ck_assert_int_eq(stepwatch("sinks"), 0);
    assert_printed("markdown");
    assert_printed("runlog");
    ck_assert_int_eq(stepwatch("sinks csv"), 0);
    assert_printed("columns");
    assert_printed("one of stepwatch|torch|lightning|hannah, default stepwatch");
    ck_assert_int_eq(stepwatch("sinks cvs"), 1);
    assert_printed("no sink is named \"cvs\"; the sinks are csv, ");
    assert_not_printed(", and");
}
END_TEST

START_TEST(a_replay_makes_the_report_that_the_run_made)
{
    const char *detail = _i ? "regions" : "steps";
    run_record(detail);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("fit,epoch,");
    assert_printed("train,step,0.1,0.0,19,640,1.9,");
    ck_assert_int_eq(stepwatch("report run.jsonl --format markdown"), 0);
    assert_printed("|:--");
}
END_TEST

static void region(struct host *host, int action, int ms)
{
    sw_begin(host_profiler(host), action);
    host_wait(host, ms * 1000000);
    sw_end(host_profiler(host), action);
}

/* A step of 10 ms, of which forward takes 7. 6 of those are in two calls of an own action; the
 * second has 2 ms of itself inside, and these 1 ms of another action. */
static void nested_step(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    int kernel = sw_action("kernel");
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    host_wait(host, 1000000);
    region(host, kernel, 1);
    sw_begin(sw, kernel);
    host_wait(host, 3000000);
    sw_begin(sw, kernel);
    host_wait(host, 1000000);
    region(host, sw_action("copy"), 1);
    sw_end(sw, kernel);
    sw_end(sw, kernel);
    sw_end(sw, SW_FORWARD);
    host_wait(host, 3000000);
    sw_end_batch(sw, 64);
}

/* Given actions inside others within a batch, when the run is replayed from a log, then self times
 * are those of the run: a log of steps says them, because it does not say what was in what. */
START_TEST(a_replay_makes_the_self_times_that_the_run_had)
{
    struct host *host =
        host_open_log(_i ? "regions" : "steps", "mode: simple\ndrop_first_batch: false\n");
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), SW_TRAIN);
    for (int i = 0; i < 10; i++)
        nested_step(host);
    sw_end(host_profiler(host), SW_TRAIN);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    if (_i == 0)
        ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"),
                                     "\"self\":{\"kernel\":[1000000,3000000],\"forward\":1000000},"
                                     "\"inner\":{\"kernel\":2000000},"
                                     "\"inner_self\":{\"kernel\":1000000}}\n"));
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns standard,self"), 0);
    assert_printed("\ntrain,batch,0.01,0.0,10,\"6,400\",0.1,100%,0.03\n");
    assert_printed("\ntrain,forward,0.007,0.0,10,\"9,143\",0.07,70%,0.01\n");
    assert_printed("\ntrain,kernel,");
    assert_printed(",0.06,60%,0.05\n");
    assert_printed(",0.01,10%,0.01\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
}
END_TEST

/* Given an action that ran once by itself and once, for longer, inside a call of itself that was
 * cancelled, then a replay knows that the first call had none inside. */
START_TEST(a_call_inside_a_cancelled_one_takes_nothing_from_the_others)
{
    struct host *host = host_open_log("steps", "mode: simple\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    int kernel = sw_action("kernel");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_BATCH);
    region(host, kernel, 1);
    sw_begin(sw, kernel);
    sw_begin(sw, kernel);
    host_wait(host, 2000000);
    region(host, sw_action("copy"), 1);
    sw_end(sw, kernel);
    sw_cancel(sw, kernel);
    sw_end_batch(sw, 64);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns calls,total,self"), 0);
    assert_printed("\ntrain,kernel,2,0.001,0.003\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
}
END_TEST

static void nested(struct host *host, int outer, int inner)
{
    sw_begin(host_profiler(host), outer);
    host_wait(host, 2000000);
    sw_begin(host_profiler(host), inner);
    host_wait(host, 1000000);
    sw_count(host_profiler(host), sw_counter("tokens"), 5);
    sw_end(host_profiler(host), inner);
    sw_end(host_profiler(host), outer);
}

/* Given actions inside others in two draws and in a batch that was cancelled, then the self times
 * of a replay are those of the run, and add up. */
START_TEST(actions_in_draws_and_in_a_cancelled_batch_take_their_own_time_once)
{
    struct host *host =
        host_open_log(_i ? "regions" : "steps", "mode: simple\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    int decode = sw_action("decode"), copy = sw_action("copy");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 4; i++) {
        sw_begin(sw, SW_DRAW);
        nested(host, decode, copy);
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_DRAW);
        host_wait(host, 1000000);
        nested(host, decode, copy);
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_BATCH);
        nested(host, SW_FORWARD, copy);
        if (i % 2)
            sw_cancel(sw, SW_BATCH);
        else
            sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns calls,total,self"), 0);
    assert_printed("\ntrain,draw,8,0.028,0.004\n");
    assert_printed("\ntrain,forward,4,0.012,0.008\n");
    assert_printed("\ntrain,decode,8,0.024,0.016\n");
    ck_assert_int_eq(
        stepwatch("report run.jsonl --format csv --columns counter/tokens,counter/tokens/self"), 0);
    assert_printed("\nfit,train,60,0\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format plain"), 0);
    assert_printed("\nAccounted for: 40.00ms, 100.0 % of fit; other: 0 s, 0.0 % of fit.\n");
    assert_not_printed("add up");
}
END_TEST

/* Pauses within a batch and between two steps: 20 s of 22 s. */
static void paused_record(const char *detail)
{
    struct host *host = host_open_log(detail, "mode: simple\nrolling_average: 3\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 20; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        host_wait(host, 50000000);
        if (i % 4 == 1)
            sw_pause(sw);
        host_wait(host, i % 4 == 1 ? 2000000000 : 0);
        sw_resume(sw);
        sw_end(sw, SW_FORWARD);
        host_wait(host, 50000000);
        sw_end_batch(sw, 64);
        if (i % 4 == 3)
            sw_pause(sw);
        host_wait(host, i % 4 == 3 ? 2000000000 : 0);
        sw_resume(sw);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
}

START_TEST(a_replay_leaves_out_what_the_run_paused)
{
    paused_record(_i ? "regions" : "steps");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format json"), 0);
    assert_printed("\"fit_ns\": 2000000000.0");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("train,forward,0.05,0.0,19,\"1,280\",0.95,");
    run_record("steps");
    ck_assert_int_eq(rename("run.jsonl", "plain.jsonl"), 0);
    paused_record(_i ? "regions" : "steps");
    ck_assert_int_eq(stepwatch("compare plain.jsonl run.jsonl --action batch"), 0);
    assert_printed("100.0 ms");
    ck_assert_int_eq(stepwatch("compare run.jsonl run.jsonl --action batch --json"), 0);
    assert_printed("noise");
}
END_TEST

/* The line `resume` and all behind it are missing. */
START_TEST(a_run_that_was_killed_in_a_pause_ends_where_the_pause_began)
{
    paused_record(_i ? "regions" : "steps");
    const char *text = host_file("run.jsonl");
    const char *first = strstr(text, "{\"type\":\"resume\"");
    ck_assert_ptr_nonnull(first);
    run_cut("killed.jsonl", strlen(first));
    ck_assert_int_eq(stepwatch("report killed.jsonl --json"), 0);
    assert_printed("\"fit_ns\": 150000000.0");
    assert_printed("the run did not finish");
}
END_TEST

/* In an epoch of 20 steps, after 10 of them, the log is copied and cut off. */
static void cut_off_record(const char *detail)
{
    struct host *host = host_open_log(detail, "mode: simple\nrolling_average: 3\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 20; i++) {
        sw_begin(sw, SW_BATCH);
        host_wait(host, 100000000);
        sw_end_batch(sw, 64);
        if (i != 9)
            continue;
        ck_assert_int_eq(sw_flush(sw, INT64_C(20000000000)), 0);
        ck_assert_int_eq(system("cp run.jsonl run.jsonl.1 && : > run.jsonl"), 0);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
}

START_TEST(a_log_that_was_cut_off_can_be_read_and_goes_on_behind_its_copy)
{
    cut_off_record(_i ? "regions" : "steps");
    ck_assert_int_eq(strncmp(host_file("run.jsonl"), "{\"type\":\"run\",", 14), 0);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("its beginning is missing");
    assert_printed("fit,train,2.0,");
    assert_printed("train,batch,0.1,0.0,9,640,0.9,");
    ck_assert_int_eq(system("cat run.jsonl.1 run.jsonl > whole.jsonl"), 0);
    ck_assert_int_eq(stepwatch("replay whole.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    assert_not_printed("is missing");
}
END_TEST

START_TEST(verify_finds_a_result_that_was_tampered_with)
{
    run_record("steps");
    char *text = strdup(host_file("run.jsonl"));
    char *calls = strstr(text, "\"calls\":19");
    ck_assert_ptr_nonnull(calls);
    memcpy(calls, "\"calls\":18", 10);
    file_write("false.jsonl", text);
    free(text);
    ck_assert_int_eq(stepwatch("replay false.jsonl --verify"), 1);
    assert_printed("recorded 18, replayed 19");
}
END_TEST

/* Calls are counted, not measured: no share of them may be missing. */
START_TEST(verify_finds_one_call_of_many_that_is_missing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *log = open_memstream(&text, &size);
    run_record("steps");
    fputs("{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":\"steps\","
          "\"drop_first_batch\":false}\n{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n",
          log);
    for (int i = 0; i < 200; i++)
        fprintf(log,
                "{\"type\":\"step\",\"t\":%d,\"step\":%d,\"phase\":\"train\",\"samples\":1,"
                "\"durations\":{\"batch\":1000}}\n",
                1000 * (i + 1), i);
    fprintf(log,
            "{\"type\":\"end\",\"t\":200000,\"action\":\"fit\"}\n"
            "{\"type\":\"report\",\"t\":200000,\"fit\":1,\"rows\":[{\"phase\":\"train\",\"action\":"
            "\"batch\",\"calls\":%d,\"mean_ns\":1000}],\"by\":\"profiler\"}\n"
            "{\"type\":\"finish\",\"t\":200000}\n",
            200 + _i);
    fclose(log);
    file_write("run.jsonl", text);
    free(text);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), _i);
    assert_printed(_i ? "train/batch calls: recorded 201, replayed 200\n" : ", 0 differ\n");
}
END_TEST

START_TEST(a_replay_takes_the_sinks_of_a_configuration)
{
    run_record("steps");
    file_write("other.yaml",
               "profiler: { mode: simple, show_report: false }\n"
               "logger_callback: [csv: { path: other.csv }, markdown: { path: other.md }]\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config other.yaml"), 0);
    ck_assert_ptr_nonnull(strstr(host_file("other.csv"), "train,step,"));
    ck_assert_ptr_nonnull(strstr(host_file("other.md"), "| train"));
    ck_assert_int_eq(stepwatch("replay run.jsonl --config other.yaml --set drop_first_batch=false"),
                     0);
    ck_assert_ptr_nonnull(strstr(host_file("other.csv"), "train,step,0.1,0.0,20,"));
}
END_TEST

/* Of a run in which a batch was cancelled: its values wait for the next step. */
static const char recorded[] =
    "{\"type\":\"run\",\"version\":1,\"started\":1767225600,\"name\":\"evening\",\"program\":"
    "\"digits\","
    "\"host\":\"box\",\"pid\":42,\"mode\":\"simple\",\"detail\":\"steps\"}\n"
    "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
    "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
    "{\"type\":\"step\",\"t\":20,\"step\":0,\"phase\":\"train\",\"samples\":4,\"durations\":{"
    "\"draw\":"
    "5,\"batch\":15}}\n"
    "{\"type\":\"step\",\"t\":40,\"step\":1,\"phase\":\"train\",\"samples\":-1,\"durations\":{"
    "\"draw\":"
    "5}}\n"
    "{\"type\":\"metric\",\"t\":43,\"step\":1,\"name\":\"late\",\"value\":2}\n"
    "{\"type\":\"step\",\"t\":60,\"step\":2,\"phase\":\"train\",\"samples\":4,\"durations\":{"
    "\"draw\":"
    "5,\"batch\":15}}\n"
    "{\"type\":\"end\",\"t\":60,\"action\":\"train\"}\n"
    "{\"type\":\"end\",\"t\":60,\"action\":\"fit\"}\n"
    "{\"type\":\"finish\",\"t\":61,\"exit_status\":0,\"signal\":0,\"interrupted\":false}\n";

/* Replays a log with the metrics as a run log; name: a line of the configuration, or "". */
static const char *metrics_replayed(const char *log, const char *name)
{
    char text[256];
    snprintf(text, sizeof text,
             "profiler: simple\n%slogger_callback:\n"
             "  - runlog: {path: again.jsonl, detail: metrics}\n",
             name);
    scratch_enter();
    file_write("old.jsonl", log);
    file_write("again.yaml", text);
    ck_assert_int_eq(stepwatch("replay old.jsonl --config again.yaml"), 0);
    return host_file("again.jsonl");
}

START_TEST(a_replay_has_the_program_the_name_and_the_times_of_the_run)
{
    const char *log = metrics_replayed(recorded, "");
    ck_assert_ptr_nonnull(strstr(log, "\"name\":\"evening\",\"program\":\"digits\""));
    ck_assert_ptr_nonnull(strstr(log, "\"t\":43,\"step\":1,\"name\":\"late\""));
}
END_TEST

/* Neither validation nor the end of the run moves them to another step. */
START_TEST(a_replay_has_the_values_of_a_cancelled_batch_at_their_step)
{
    static const char begin[] =
        "{\"type\":\"run\",\"version\":1,\"started\":1767225600,\"mode\":\"simple\",\"detail\":"
        "\"steps\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
        "{\"type\":\"step\",\"t\":20,\"step\":0,\"phase\":\"train\",\"samples\":4,\"durations\":{"
        "\"draw\":5,\"batch\":15}}\n"
        "{\"type\":\"step\",\"t\":40,\"step\":1,\"phase\":\"train\",\"samples\":-1,\"durations\":{"
        "\"draw\":5}}\n"
        "{\"type\":\"metric\",\"t\":43,\"step\":1,\"name\":\"late\",\"value\":2}\n"
        "{\"type\":\"end\",\"t\":50,\"action\":\"train\"}\n";
    static const char valid[] =
        "{\"type\":\"begin\",\"t\":50,\"action\":\"valid\"}\n"
        "{\"type\":\"step\",\"t\":60,\"step\":0,\"phase\":\"valid\",\"samples\":4,\"durations\":{"
        "\"draw\":5,\"batch\":5}}\n"
        "{\"type\":\"end\",\"t\":60,\"action\":\"valid\"}\n";
    static const char end[] = "{\"type\":\"end\",\"t\":70,\"action\":\"fit\"}\n"
                              "{\"type\":\"finish\",\"t\":71,\"exit_status\":0}\n";
    char log[2048];
    snprintf(log, sizeof log, "%s%s%s", begin, _i ? valid : "", end);
    ck_assert_ptr_nonnull(
        strstr(metrics_replayed(log, ""), "\"t\":43,\"step\":1,\"name\":\"late\""));
}
END_TEST

START_TEST(the_name_of_the_configuration_counts_more_than_that_of_the_replayed_run)
{
    ck_assert_ptr_nonnull(strstr(metrics_replayed(recorded, "name: morning\n"),
                                 "\"name\":\"morning\",\"program\":\"digits\""));
}
END_TEST

START_TEST(set_exchanges_an_option_and_is_checked)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("replay run.jsonl --set drop_first_batch=false"), 0);
    assert_printed(" 20 ");
    ck_assert_int_eq(stepwatch("replay run.jsonl --set rolling_average=none"), 1);
    assert_printed("rolling_average");
    ck_assert_int_eq(stepwatch("replay run.jsonl --set nonsense"), 2);
    assert_printed("expected key=value");
}
END_TEST

START_TEST(a_log_that_was_torn_off_is_replayed_as_far_as_it_goes)
{
    run_record("steps");
    const char *report = strstr(host_file("run.jsonl"), "{\"type\":\"report\"");
    ck_assert_ptr_nonnull(report);
    run_cut("cut.jsonl", strlen(report) + 40);
    ck_assert_int_eq(stepwatch("report cut.jsonl --format csv"), 0);
    assert_printed("the run did not finish; its log ends within line");
    assert_printed("train,step,0.1,0.0,19,");
}
END_TEST

/* One of twenty steps has other bytes. */
START_TEST(a_damaged_line_is_left_out_of_a_report_and_counted)
{
    run_record("steps");
    char *copy = strdup(host_file("run.jsonl"));
    char *step = strstr(strstr(copy, "\"step\":7,\"phase\""), "\"durations\"");
    memset(step, '\x01', 8);
    FILE *file = fopen("damaged.jsonl", "w");
    fputs(copy, file);
    fclose(file);
    free(copy);
    ck_assert_int_eq(stepwatch("report damaged.jsonl --format csv"), 0);
    assert_printed("; damaged lines that were skipped: 1");
    assert_printed("train,step,0.1,0.0,18,");
    ck_assert_int_eq(stepwatch("report damaged.jsonl --json"), 0);
    assert_printed("\"damaged\": 1");
    ck_assert_int_eq(stepwatch("report damaged.jsonl --format html"), 0);
    assert_printed("Damaged lines of the log that were skipped: 1.");
    ck_assert_int_eq(stepwatch("compare damaged.jsonl run.jsonl"), 0);
    assert_printed("; damaged lines that were skipped: 1");
    ck_assert_int_eq(stepwatch("compare run.jsonl damaged.jsonl --json"), 0);
    assert_printed("\"damaged\": 1");
    ck_assert_int_eq(stepwatch("replay damaged.jsonl"), 1);
}
END_TEST

/* Not within what the run did wrong: it was killed within its epoch, in the middle of a step. */
START_TEST(what_a_killed_run_left_open_is_not_misuse)
{
    run_record(_i ? "regions" : "steps");
    const char *left = strstr(host_file("run.jsonl"), "\"action\":\"train\"}");
    ck_assert_ptr_nonnull(left);
    left = strstr(left, _i ? "\"end\",\"t\":110000000" : "\"type\":\"end\"");
    ck_assert_ptr_nonnull(left);
    run_cut("cut.jsonl", strlen(left));
    ck_assert_int_eq(stepwatch("report cut.jsonl"), 0);
    assert_printed("the run did not finish; its log ends within line");
    assert_printed("Regions cancelled, or still open when an outer one ended");
    assert_not_printed("sw_close()");
    assert_not_printed("Calls that did not fit");
}
END_TEST

/* It ended by exit(): its own report counts nothing that did not fit, and neither does the
 * replay's. */
START_TEST(nor_is_what_a_run_left_open_that_ended_without_sw_close)
{
    run_record("steps");
    const char *left = strstr(host_file("run.jsonl"), "{\"type\":\"end\"");
    ck_assert_ptr_nonnull(left);
    run_cut("cut.jsonl", strlen(left));
    char *text = strdup(host_file("cut.jsonl"));
    char whole[8192];
    snprintf(whole, sizeof whole, "%s{\"type\":\"finish\",\"t\":2000000000,\"interrupted\":%s}\n",
             text, _i ? "false" : "true");
    free(text);
    file_write("exited.jsonl", whole);
    ck_assert_int_eq(stepwatch("report exited.jsonl"), 0);
    (_i ? assert_printed : assert_not_printed)("train was open at sw_close()");
}
END_TEST

/* A loader has a thread of its own, and a checkpoint is saved between two epochs. */
static const char outside[] =
    "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":\"%s\"}\n"
    "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
    "{\"type\":\"end\",\"t\":50,\"action\":\"fit\"}\n"
    "{\"type\":\"report\",\"t\":50,\"fit\":1,\"rows\":["
    "{\"phase\":\"fit\",\"action\":\"fit\",\"calls\":1,\"mean_ns\":0},"
    "{\"phase\":\"fit\",\"action\":\"save\",\"calls\":2,\"mean_ns\":7},"
    "{\"phase\":\"threads\",\"action\":\"load\",\"calls\":9,\"mean_ns\":3}],\"by\":\"profiler\"}\n"
    "{\"type\":\"finish\",\"t\":50}\n";

START_TEST(rows_that_a_log_of_steps_cannot_have_are_named)
{
    char log[1024];
    run_record("steps");
    snprintf(log, sizeof log, outside, _i ? "regions" : "steps");
    file_write("outside.jsonl", log);
    ck_assert_int_eq(stepwatch("report outside.jsonl"), 0);
    (_i ? assert_not_printed
        : assert_printed)("outside.jsonl: the run's own report has 2 rows more, the first of them "
                          "fit / save: with detail: steps");
    ck_assert_int_eq(stepwatch("replay outside.jsonl --verify"), _i);
    assert_printed(_i ? ", 4 differ\n" : ", 0 differ\n");
}
END_TEST

/* As with `| head`, or a pager that was left. */
START_TEST(a_reader_that_went_away_is_not_a_mistake)
{
    int ends[2];
    char line[128];
    run_record("steps");
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    snprintf(line, sizeof line, "report run.jsonl --format csv 2>messages.txt >&%d #", ends[1]);
    ck_assert_int_eq(stepwatch(line), 1);
    ck_assert_str_eq(host_file("messages.txt"), "");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv 2>messages.txt >/dev/full #"), 1);
    ck_assert_ptr_nonnull(strstr(host_file("messages.txt"), "No space left on device"));
    close(ends[1]);
}
END_TEST

static const char *const printing[] = {
    "--help",
    "help report",
    "--version",
    "report --options",
    "check stepwatch.yaml",
    "explain run.jsonl",
    "merge run.jsonl",
    "report run.jsonl --format html",
    "report run.jsonl --json",
    "runs .",
    "schedule --steps 9",
    "watch --once run.jsonl",
};

START_TEST(what_cannot_be_printed_is_an_error)
{
    char line[128];
    run_record("steps");
    file_write("stepwatch.yaml", "profiler: simple\n");
    snprintf(line, sizeof line, "%s 2>messages.txt >/dev/full #", printing[_i]);
    ck_assert_int_eq(stepwatch(line), 1);
    ck_assert_ptr_nonnull(strstr(host_file("messages.txt"), "standard output: cannot be written"));
}
END_TEST

/* The file of the timeline would get the number of standard output, and what is printed. */
START_TEST(a_file_does_not_take_the_place_of_a_closed_stream)
{
    run_record("regions");
    ck_assert_int_eq(stepwatch("export run.jsonl -o whole.json"), 0);
    ck_assert_int_eq(stepwatch("export run.jsonl -oe.json 0<&- >&- 2>&- #"), 0);
    ck_assert_int_eq(system("cmp whole.json e.json"), 0);
    ck_assert_int_eq(stepwatch("runs . >&- 2>messages.txt #"), 1);
    ck_assert_ptr_nonnull(strstr(host_file("messages.txt"), "Bad file descriptor\n"));
    ck_assert_int_eq(stepwatch("run --no-check -- sh -c 'test ! -e /proc/$$/fd/1' 0<&- >&- #"), 0);
}
END_TEST

START_TEST(an_invalid_line_is_reported_with_its_number)
{
    run_record("steps");
    file_write("bad.jsonl",
               "{\"type\":\"run\",\"version\":1,\"started\":0}\n{\"type\":\n{\"type\":\"end\"}\n");
    ck_assert_int_eq(stepwatch("replay bad.jsonl"), 1);
    assert_printed("bad.jsonl:2: ");
    assert_not_printed("is it a run log?");
    file_write("other.yaml", "profiler: simple\n");
    ck_assert_int_eq(stepwatch("report other.yaml"), 1);
    assert_printed("other.yaml:1: ");
    assert_printed(": is it a run log?");
    file_write("new.jsonl", "{\"type\":\"run\",\"version\":7}\n");
    ck_assert_int_eq(stepwatch("replay new.jsonl"), 1);
    assert_printed("version 7 is not known, expected 1");
    ck_assert_int_eq(stepwatch("replay nowhere.jsonl"), 1);
    assert_printed("nowhere.jsonl: cannot be read: No such file or directory");
}
END_TEST

/* A path, and what a log holds. */
START_TEST(nothing_of_a_log_steers_the_terminal)
{
    static const char run[] = "{\"type\":\"run\",\"version\":1,\"started\":0}\n";
    char text[256];
    run_record("steps");
    snprintf(text, sizeof text, "%s\033]0;title\007\nx\n", run);
    file_write("bad.jsonl", text);
    ck_assert_int_eq(stepwatch("report bad.jsonl"), 1);
    assert_printed("bad.jsonl:2: ");
    assert_printed("\\x1b");
    file_write("name\033[31m.jsonl", run);
    ck_assert_int_eq(stepwatch("report name*.jsonl"), 0);
    assert_printed("name\\x1b[31m.jsonl: the run did not finish");
    ck_assert_int_eq(stepwatch("replay name*.jsonl --wrong\033"), 2);
    assert_not_printed("\033");
}
END_TEST

/* What a log says of its run is a value in the replay's configuration and never a key. */
START_TEST(a_log_cannot_configure_its_replay)
{
    run_record("steps");
    file_write("evil.jsonl", "{\"type\":\"run\",\"version\":1,\"started\":0,"
                             "\"name\":\"a\\nplugin_path: [ . ]\","
                             "\"mode\":\"simple\\nplugin_path: [ . ]\\nname: evil\"}\n");
    ck_assert_int_eq(stepwatch("report evil.jsonl"), 1);
    assert_printed("is not a mode");
}
END_TEST

/* More of such logs is in test_results_log.c. */
START_TEST(a_log_of_results_only_has_the_report_of_the_run)
{
    run_record("metrics");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("train,step,0.1,0.0,19,640,1.9,");
    ck_assert_int_eq(stepwatch("compare run.jsonl run.jsonl"), 2);
    assert_printed("run.jsonl: contains no steps to compare");
}
END_TEST

START_TEST(what_a_later_version_adds_is_passed_over)
{
    run_record("steps");
    file_write("more.jsonl",
               "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"new\":[1]}\n"
               "{\"type\":\"surprise\",\"t\":1}\n"
               "{\"type\":\"begin\",\"t\":10,\"action\":\"batch\",\"colour\":\"red\"}\n"
               "{\"type\":\"end\",\"t\":20,\"action\":\"batch\",\"samples\":4}\n"
               "{\"type\":\"finish\",\"t\":20}\n");
    ck_assert_int_eq(stepwatch("report more.jsonl --format csv"), 0);
    assert_printed("fit,fit,0.0,0.0,1,-,1e-08,100%");
}
END_TEST

/* ---- honest logs ------------------------------------------------------------------------------
 */

/* Steps of 100 ns, whose durations a log has rounded. */
static void short_record(const char *from, const char *to)
{
    char line[256];
    struct host *host = host_open_log("steps", "mode: simple\nrolling_average: 3\n");
    host_fit_of(host, 40, 1000000);
    host_close(host);
    snprintf(line, sizeof line, "sed 's/\"batch\":%s}/\"batch\":%s}/' run.jsonl >rounded.jsonl",
             from, to);
    ck_assert_int_eq(system(line), 0);
    ck_assert_int_eq(system("! cmp -s run.jsonl rounded.jsonl"), 0);
}

START_TEST(a_rate_may_differ_by_what_a_nanosecond_changes)
{
    short_record("90", "91");
    ck_assert_int_eq(stepwatch("replay rounded.jsonl --verify"), 0);
    assert_printed(", 0 differ\n");
    short_record("90", "93");
    ck_assert_int_eq(stepwatch("replay rounded.jsonl --verify"), 1);
    assert_printed(" throughput/batch: recorded ");
}
END_TEST

static void step_make(struct host *host, int own, bool between)
{
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 1 + between; i++) {
        if (i == 0) {
            sw_begin(sw, SW_DRAW);
            sw_next(sw, SW_BATCH);
        }
        sw_begin(sw, own);
        host_wait(host, 1000);
        sw_end(sw, own);
        if (i == 0)
            sw_end_batch(sw, 8);
    }
}

/* Own calls between steps, which a log of steps does not have, and numbers that come again. */
START_TEST(an_honest_log_differs_in_nothing)
{
    static const char *const details[] = {"steps", "regions"};
    bool between = _i & 1, again = _i & 2;
    struct host *host = host_open_log(details[_i / 4], "mode: simple\nrolling_average: 3\n");
    int own = sw_action("own");
    sw_begin(host_profiler(host), SW_TRAIN);
    for (int i = 0; i < 60; i++) {
        if (again)
            sw_set_step(host_profiler(host), i % 7);
        step_make(host, own, between);
    }
    sw_end(host_profiler(host), SW_TRAIN);
    host_close(host);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(", 0 differ\n");
}
END_TEST

/* The values of a log with their times and steps; the others' lines are left out. */
#define STEPS_OF(log)                                                                              \
    "grep '\"step\":.*\"value\":' " log ".jsonl | sed 's/,\"by\".*//' | sort >" log ".steps"

#define OF_500 "'\"step\":5[0-9]*,\"name\"'"

/* Given a run whose steps do not begin at 0, and that goes back once, when its regions are
 * replayed, then the values have the steps that they had, also if the log has them early. */
START_TEST(a_log_of_regions_has_the_steps_that_were_set)
{
    struct host *host = host_open_log("regions", "mode: simple\nrolling_average: 3\n");
    int own = sw_action("own");
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), SW_TRAIN);
    sw_set_step(host_profiler(host), 1000);
    for (int i = 0; i < 40; i++) {
        if (i == 22)
            sw_set_step(host_profiler(host), 500);
        step_make(host, own, false);
        if (i % 5 == 0)
            sw_log(host_profiler(host), "loss", i);
    }
    sw_end(host_profiler(host), SW_TRAIN);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    if (_i) /* the dispatcher has sent the regions up to the tenth step before these values */
        ck_assert_int_eq(system("grep -v " OF_500 " run.jsonl >others; n=$(sed -n "
                                "'/\"t\":10000,/=' others | tail -n 1); "
                                "{ head -n $n others; grep " OF_500 " run.jsonl; "
                                "tail -n +$((n + 1)) others; } >early && mv early run.jsonl"),
                         0);
    file_write("again.yaml", "profiler: { rolling_average: 3 }\n"
                             "logger_callback: [runlog: { path: again.jsonl, detail: regions }]\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config again.yaml"), 0);
    ck_assert_int_eq(system(STEPS_OF("run") ";" STEPS_OF("again")), 0);
    ck_assert_int_eq(
        system("grep -q '\"step\":1005,\"name\":\"loss\"' run.steps && diff run.steps again.steps"),
        0);
}
END_TEST

/* ---- a run that ended without sw_close() ------------------------------------------------------
 */

/* Three steps of a fit that is open, as such a run leaves them. */
static void interrupted_write(const char *cause)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"type\":\"run\",\"version\":1,\"started\":1,\"name\":\"n\",\"mode\":\"simple\","
        "\"drop_first_batch\":false,\"detail\":\"steps\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
        "{\"type\":\"step\",\"t\":50,\"step\":0,\"phase\":\"train\",\"samples\":1,\"durations\":"
        "{\"draw\":10,\"batch\":30}}\n"
        "{\"type\":\"finish\",\"t\":100,\"exit_status\":3,\"signal\":0,\"interrupted\":true,"
        "\"cause\":\"%s\"}\n",
        cause);
    file_write("cut.jsonl", text);
}

static const struct {
    const char *format, *said;
} formats[] = {
    {"table", "Interrupted: the program ended before sw_close()."},
    {"plain", "Interrupted: the program ended before sw_close()."},
    {"markdown", "Interrupted: the program ended before sw_close()."},
    {"csv", "cut.jsonl: the program ended before sw_close(): exit(3) without sw_close()\n"},
    {"json", "\"interrupted\": true,\n        \"cause\": \"exit(3) without sw_close()\""},
    {"html", "Interrupted: the program ended before sw_close(): exit(3) without sw_close()."},
};

START_TEST(every_format_says_that_the_program_ended_before_its_run)
{
    char line[128];
    host_close(host_open("table", "path: table.txt\n")); /* enters the scratch folder */
    interrupted_write("exit(3) without sw_close()");
    snprintf(line, sizeof line, "report cut.jsonl --format %s", formats[_i].format);
    ck_assert_int_eq(stepwatch(line), 0);
    assert_printed(formats[_i].said);
}
END_TEST

START_TEST(the_reports_of_such_a_run_are_marked)
{
    host_close(host_open("table", "path: table.txt\n"));
    interrupted_write("SIGSEGV in sink csv");
    ck_assert_int_eq(stepwatch("report cut.jsonl --json 2>messages.txt #"), 0);
    json_t *json = json_loads(command_output(), 0, NULL);
    const json_t *run = json_array_get(json_object_get(json, "runs"), 0);
    const json_t *report = json_array_get(json_object_get(run, "reports"), 0);
    ck_assert(json_is_true(json_object_get(report, "interrupted")));
    ck_assert(json_number_value(json_object_get(report, "fit_ns")) == 100);
    ck_assert_int_eq(json_integer_value(json_object_get(report, "steps")), 1);
    json_decref(json);
    ck_assert_int_eq(stepwatch("report cut.jsonl --style torch"), 0);
    assert_printed("Interrupted: the program ended before sw_close().");
}
END_TEST

SUITE(command)
{
    tcase_add_test(tc, a_rate_may_differ_by_what_a_nanosecond_changes);
    tcase_add_loop_test(tc, an_honest_log_differs_in_nothing, 0, 8);
    tcase_add_loop_test(tc, every_format_says_that_the_program_ended_before_its_run, 0,
                        sizeof formats / sizeof *formats);
    tcase_add_test(tc, the_reports_of_such_a_run_are_marked);
    tcase_add_test(tc, without_a_command_it_lists_all_commands);
    tcase_add_test(tc, each_command_has_its_help_and_says_what_it_was_called_wrongly_with);
    tcase_add_test(tc, a_name_with_a_newline_forges_no_message);
    tcase_add_test(tc, check_reports_every_mistake_and_fails);
    tcase_add_test(tc, what_is_printed_steers_no_terminal);
    tcase_add_loop_test(tc, check_names_a_sink_that_ends_whoever_loads_it, 0,
                        sizeof deadly / sizeof *deadly);
    tcase_add_test(tc, functions_reads_a_whole_profile_of_python_and_refuses_a_part_of_one);
    tcase_add_test(tc, check_obeys_no_file_that_a_program_would_not);
    tcase_add_test(tc, check_looks_at_the_file_that_a_program_would_open);
    tcase_add_test(tc, check_takes_a_folder_for_what_it_is_called);
    tcase_add_loop_test(tc, a_log_of_regions_has_the_steps_that_were_set, 0, 2);
    tcase_add_test(tc, check_says_which_path_is_too_long);
    tcase_add_loop_test(tc, check_tries_where_the_outputs_will_be, 0,
                        sizeof unwritable / sizeof *unwritable);
    tcase_add_loop_test(tc, check_refuses_two_sinks_that_write_one_file, 0,
                        sizeof one_file / sizeof *one_file);
    tcase_add_test(tc, check_prints_the_configuration_as_it_is_used);
    tcase_add_test(tc, check_prints_the_rank_and_where_it_is_from);
    tcase_add_test(tc, sinks_lists_what_there_is_and_prints_the_options_of_one);
    tcase_add_loop_test(tc, a_replay_makes_the_report_that_the_run_made, 0, 2);
    tcase_add_loop_test(tc, a_replay_makes_the_self_times_that_the_run_had, 0, 2);
    tcase_add_test(tc, a_call_inside_a_cancelled_one_takes_nothing_from_the_others);
    tcase_add_loop_test(tc, actions_in_draws_and_in_a_cancelled_batch_take_their_own_time_once, 0,
                        2);
    tcase_add_loop_test(tc, a_replay_leaves_out_what_the_run_paused, 0, 2);
    tcase_add_loop_test(tc, a_run_that_was_killed_in_a_pause_ends_where_the_pause_began, 0, 2);
    tcase_add_loop_test(tc, a_log_that_was_cut_off_can_be_read_and_goes_on_behind_its_copy, 0, 2);
    tcase_add_test(tc, verify_finds_a_result_that_was_tampered_with);
    tcase_add_loop_test(tc, verify_finds_one_call_of_many_that_is_missing, 0, 2);
    tcase_add_test(tc, a_replay_takes_the_sinks_of_a_configuration);
    tcase_add_test(tc, a_replay_has_the_program_the_name_and_the_times_of_the_run);
    tcase_add_loop_test(tc, a_replay_has_the_values_of_a_cancelled_batch_at_their_step, 0, 2);
    tcase_add_test(tc, the_name_of_the_configuration_counts_more_than_that_of_the_replayed_run);
    tcase_add_test(tc, set_exchanges_an_option_and_is_checked);
    tcase_add_test(tc, a_damaged_line_is_left_out_of_a_report_and_counted);
    tcase_add_test(tc, a_log_that_was_torn_off_is_replayed_as_far_as_it_goes);
    tcase_add_loop_test(tc, what_a_killed_run_left_open_is_not_misuse, 0, 2);
    tcase_add_loop_test(tc, nor_is_what_a_run_left_open_that_ended_without_sw_close, 0, 2);
    tcase_add_loop_test(tc, rows_that_a_log_of_steps_cannot_have_are_named, 0, 2);
    tcase_add_test(tc, a_reader_that_went_away_is_not_a_mistake);
    tcase_add_loop_test(tc, what_cannot_be_printed_is_an_error, 0,
                        sizeof printing / sizeof *printing);
    tcase_add_test(tc, a_file_does_not_take_the_place_of_a_closed_stream);
    tcase_add_test(tc, an_invalid_line_is_reported_with_its_number);
    tcase_add_test(tc, nothing_of_a_log_steers_the_terminal);
    tcase_add_test(tc, a_log_cannot_configure_its_replay);
    tcase_add_test(tc, a_log_of_results_only_has_the_report_of_the_run);
    tcase_add_test(tc, what_a_later_version_adds_is_passed_over);
}
