/* SPDX-License-Identifier: MIT */
/* test_console.c - what a program prints to a file is on the Logs tab of its run: each line once,
 * while it runs, at its end, and after its death. */
#include "sinks/wandb/console/followed_file.h"
#include "sinks/wandb/file/reader.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"
#include "tests/tools/command.h"
#include "tests/wandb/online.h"

#include <stepwatch/stepwatch.h>
#include <stepwatch/wandb.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct {
    const char *printed;
    size_t size;
    const char *lines;
} cases[] = {
#define CASE(printed, lines)                                                                       \
    {                                                                                              \
        printed, sizeof printed - 1, lines                                                         \
    }
    CASE("a\nb\n", "a\nb\n"),
    CASE("\n\n", "\n\n"),
    CASE("no end", "no end\n"),
    CASE("", ""),
    CASE("progress 0\rprogress 1\rprogress 2\n", "progress 2\n"),
    CASE("windows\r\n", "windows\n"),
    CASE("long text\rshort\n", "short\n"),
    CASE("bar 99%\r", "bar 99%\n"),
    CASE("bar 99%\r\r\n", "bar 99%\n"),
    CASE("\033[31mred\033[0m\n", "\033[31mred\033[0m\n"),
    CASE("a\xff\xc3\n", "a\\xff\\xc3\n"),
    CASE("\xc3\xa9t\xc3\xa9\n", "\xc3\xa9t\xc3\xa9\n"),
    CASE("a\0b\0\n", "ab\n"),
};

static void lines_of(const char *printed, size_t size, size_t piece, struct swi_text *lines)
{
    struct swi_console_lines console = {0};
    for (size_t at = 0; at < size; at += piece)
        swi_console_lines_add(&console, printed + at, size - at < piece ? size - at : piece, lines);
    swi_console_lines_end(&console, lines);
    swi_console_lines_free(&console);
}

START_TEST(lines_are_those_that_a_terminal_would_show)
{
    for (size_t piece = 1; piece < 16; piece++) {
        struct swi_text lines = {0};
        lines_of(cases[_i].printed, cases[_i].size, piece, &lines);
        ck_assert_str_eq(lines.data ? lines.data : "", cases[_i].lines);
        swi_text_free(&lines);
    }
}
END_TEST

START_TEST(a_very_long_line_becomes_several_of_whole_characters)
{
    enum { CHARACTERS = 70000 };
    char *printed = malloc(2 * CHARACTERS + 1);
    struct swi_text lines = {0};
    printed[0] = 'x';
    for (size_t i = 0; i < CHARACTERS; i++)
        memcpy(printed + 1 + 2 * i, "\xc3\xa9", 2);
    lines_of(printed, 2 * CHARACTERS + 1, 1000, &lines);
    size_t first = strcspn(lines.data, "\n");
    ck_assert_uint_eq(first, SWI_CONSOLE_LINE_MAX - 1);
    ck_assert_ptr_null(strstr(lines.data, "\\x"));
    ck_assert_uint_eq(lines.size, 2 * CHARACTERS + 1 + 3);
    swi_text_free(&lines);
    free(printed);
}
END_TEST

/* ---- a program ------------------------------------------------------------------------------- */

/* How the program is started: with what as its standard output and error, and which options. */
struct how {
    const char *output, *error; /* files; error NULL: the same */
    int flags;                  /* besides O_WRONLY | O_CREAT */
    const char *options, *sinks;
};

static const struct how plain = {.output = "out.txt", .error = "err.txt"};

static void outputs_open(const struct how *how)
{
    int out = open(how->output, O_WRONLY | O_CREAT | how->flags, 0600);
    int err = how->error ? open(how->error, O_WRONLY | O_CREAT | how->flags, 0600) : out;
    if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(90);
    /* As in a program of its own. Check's own stream may have another buffer. */
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

static void program(const struct how *how, void (*print)(struct sw_profiler *sw))
{
    char yaml[512];
    struct sw_error err;
    outputs_open(how);
    unsetenv("STEPWATCH_CONSOLE");
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: throughput, show_report: false}\nlogger_callback:\n"
             "  - wandb: {run_id: abc, project: p, system: false, interval: 100ms%s}\n%s",
             how->options ? how->options : ", mode: offline", how->sinks ? how->sinks : "");
    if (write(STDOUT_FILENO, "before\n", 7) != 7)
        _exit(91);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw)
        _exit(92);
    sw_set_messages(sw, NULL, NULL);
    print(sw);
    exit(sw_close(sw, &err) < 0 ? 93 : 0);
}

/* Runs it to its end. Returns its status. */
static int run(const struct how *how, void (*print)(struct sw_profiler *sw))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        program(how, print);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void forget(void)
{
    static const char *const names[] = {"WANDB_CONSOLE", "WANDB_API_KEY", "WANDB_DIR", "RANK"};
    scratch_enter();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
}

/* The lines in the run's file: "1 " before those of standard output, "0 " of standard error. */
static char *lines_in_run(void)
{
    static struct swi_wandb_reader reader;
    static struct swi_text lines;
    const struct swi_record_message *record;
    struct sw_error err;
    swi_text_free(&lines);
    swi_text_put(&lines, "");
    int rc = swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err);
    while (rc >= 0 && (rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        if (record->what != SWI_RECORD_OUTPUT_RAW)
            continue;
        const char *line = record->output_raw->line;
        for (size_t size; line[size = strcspn(line, "\n")]; line += size + 1)
            swi_text_format(&lines, "%d %.*s\n", record->output_raw->output_type, (int)size, line);
    }
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    return lines.data;
}

static void ran(const struct how *how, void (*print)(struct sw_profiler *sw))
{
    forget();
    ck_assert_int_eq(run(how, print), 0);
}

static void print_all_ways(struct sw_profiler *sw)
{
    (void)sw;
    if (write(STDOUT_FILENO, "written\n", 8) != 8)
        _exit(94);
    puts("buffered");
    fflush(stdout);
    if (system("echo child; echo mistake >&2") != 0)
        _exit(95);
    fputs("a line without an end", stdout);
}

static const char all_ways[] = "1 written\n1 buffered\n1 child\n1 a line without an end\n"
                               "0 mistake\n";

START_TEST(what_is_printed_to_a_file_is_in_the_run)
{
    ran(&plain, print_all_ways);
    ck_assert_ptr_nonnull(strstr(lines_in_run(), "1 written\n1 buffered\n1 child\n"));
    ck_assert_ptr_nonnull(strstr(lines_in_run(), "1 a line without an end\n"));
    ck_assert_ptr_nonnull(strstr(lines_in_run(), "0 mistake\n"));
    ck_assert_ptr_null(strstr(lines_in_run(), "before"));
    ck_assert_uint_eq(strlen(lines_in_run()), strlen(all_ways));
    ck_assert_ptr_nonnull(strstr(host_file("wandb/latest-run/files/output.log"), "buffered\n"));
    ck_assert_str_eq(host_file("out.txt"),
                     "before\nwritten\nbuffered\nchild\na line without an end");
}
END_TEST

START_TEST(both_streams_in_one_file_are_read_once)
{
    static const struct how one = {.output = "out.txt"};
    ran(&one, print_all_ways);
    ck_assert_str_eq(lines_in_run(), "1 written\n1 buffered\n1 child\n1 mistake\n"
                                     "1 a line without an end\n");
}
END_TEST

START_TEST(a_file_with_content_is_read_from_the_programs_begin)
{
    static const struct how appended = {.output = "out.txt", .error = "err.txt", .flags = O_APPEND};
    forget();
    ck_assert_int_eq(system("seq 1 1000 >out.txt; echo old >err.txt"), 0);
    ck_assert_int_eq(run(&appended, print_all_ways), 0);
    ck_assert_uint_eq(strlen(lines_in_run()), strlen(all_ways));
}
END_TEST

static void print_and_unlink(struct sw_profiler *sw)
{
    unlink("out.txt");
    print_all_ways(sw);
}

START_TEST(a_file_without_a_name_is_followed)
{
    ran(&plain, print_and_unlink);
    ck_assert_uint_eq(strlen(lines_in_run()), strlen(all_ways));
}
END_TEST

/* Lets the sink look: one that has nothing to do may not even be open. */
static void looked(struct sw_profiler *sw)
{
    sw_log(sw, "loss", 1);
    sw_flush(sw, INT64_C(20000000000));
}

static void print_truncated(struct sw_profiler *sw)
{
    puts("first");
    looked(sw);
    if (truncate("out.txt", 0) < 0)
        _exit(94);
    looked(sw);
    puts("second");
    looked(sw);
}

START_TEST(a_file_that_is_truncated_begins_again)
{
    static const struct how ways[] = {
        {.output = "out.txt", .error = "err.txt", .flags = O_APPEND},
        /* This one goes on behind a hole. */
        {.output = "out.txt", .error = "err.txt"},
    };
    ran(&ways[_i], print_truncated);
    ck_assert_str_eq(lines_in_run(), "1 first\n1 second\n");
}
END_TEST

static void print_to_another(struct sw_profiler *sw)
{
    puts("first");
    looked(sw);
    if (!freopen("rotated.txt", "w", stdout))
        _exit(94);
    puts("second");
    looked(sw);
    puts("third");
}

START_TEST(a_program_that_opens_another_file_is_followed_there)
{
    ran(&plain, print_to_another);
    ck_assert_str_eq(lines_in_run(), "1 first\n1 second\n1 third\n");
}
END_TEST

/* What a program prints in a moment, much more than may be taken. */
static void print_much(struct sw_profiler *sw)
{
    (void)sw;
    for (int i = 0; i < 200000; i++)
        printf("line %7d of a program that prints much more than anybody reads, again\n", i);
    puts("the end");
}

START_TEST(of_very_much_output_the_end_is_in_the_run_and_a_line_says_what_is_not)
{
    ran(&plain, print_much);
    const char *lines = lines_in_run();
    ck_assert_ptr_nonnull(strstr(lines, " bytes of output are left out here]\n"));
    ck_assert_str_eq(lines + strlen(lines) - 10, "1 the end\n");
    ck_assert_uint_lt(strlen(lines), 10 << 20);
    ck_assert_uint_gt(strlen(lines), 4 << 20);
}
END_TEST

START_TEST(nothing_is_followed_if_it_is_turned_off)
{
    static const struct how off = {
        .output = "out.txt", .error = "err.txt", .options = ", mode: offline, console: off"};
    forget();
    if (_i)
        setenv("WANDB_CONSOLE", "off", 1);
    ck_assert_int_eq(run(_i ? &plain : &off, print_all_ways), 0);
    ck_assert_str_eq(lines_in_run(), "");
    ck_assert(!host_has("wandb/latest-run/files/output.log"));
}
END_TEST

/* Check's process has the same file as its child: as the launcher of all ranks. */
START_TEST(a_rank_that_shares_the_file_follows_nothing)
{
    static const struct how ranks = {
        .output = "out.txt", .error = "err.txt", .options = ", mode: offline, ranks: all"};
    forget();
    setenv("RANK", _i ? "1" : "0", 1);
    setenv("WORLD_SIZE", "2", 1);
    int kept[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    fflush(NULL);
    outputs_open(&ranks);
    int status = run(&ranks, print_all_ways);
    fflush(NULL);
    dup2(kept[0], STDOUT_FILENO);
    dup2(kept[1], STDERR_FILENO);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(
        rename(_i ? "wandb/latest-run/run-abc-1.wandb" : "wandb/latest-run/run-abc-0.wandb",
               "wandb/latest-run/run-abc.wandb"),
        0);
    ck_assert_uint_eq(strlen(lines_in_run()), _i ? 0 : strlen(all_ways));
}
END_TEST

static void fit(struct sw_profiler *sw)
{
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_FIT);
    puts("over");
}

static int occurrences(const char *text, const char *of)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, of)); at++)
        count++;
    return count;
}

START_TEST(the_report_is_in_the_run_once_whoever_prints_it)
{
    static const struct how alone = {.output = "out.txt", .error = "err.txt"};
    static const struct how table = {
        .output = "out.txt", .error = "err.txt", .sinks = "  - table: {}\n"};
    ran(_i ? &table : &alone, fit);
    ck_assert_int_eq(occurrences(lines_in_run(), "Profiling Results:"), 1);
    ck_assert_int_eq(occurrences(lines_in_run(), "1 over\n"), 1);
    /* The table is that of the program, and the text of the sink is in Markdown. */
    ck_assert_int_eq(occurrences(lines_in_run(), "|---") > 0, _i == 0);
}
END_TEST

START_TEST(what_a_parent_has_written_is_read_from_its_begin)
{
    char path[256];
    forget();
    snprintf(path, sizeof path, "%s", scratch_path("console"));
    ck_assert_int_eq(system("echo early >console; echo wrong >console.stderr"), 0);
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct sw_error err;
        setenv("STEPWATCH_CONSOLE", path, 1);
        struct sw_profiler *sw =
            sw_open_text("logger_callback: {wandb: {mode: offline, run_id: abc, system: false}}\n"
                         "profiler: {show_report: false}\n",
                         &err);
        sw_set_messages(sw, NULL, NULL);
        _exit(sw_close(sw, &err) < 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(lines_in_run(), "1 early\n0 wrong\n");
}
END_TEST

/* ---- at the service -------------------------------------------------------------------------- */

/* The contents of the lines on the Logs tab, each followed by a line feed. */
static char *lines_at(struct service *service)
{
    static struct swi_text text;
    json_auto_t *state = service_state(service);
    const json_t *line;
    size_t i;
    swi_text_free(&text);
    swi_text_put(&text, "");
    json_array_foreach(json_object_get(json_object_get(service_run(state), "lines"), "output.log"),
                       i, line)
    {
        json_auto_t *parsed = json_loads(json_string_value(line), 0, NULL);
        swi_text_put(&text, json_object_get(parsed, "level") ? "E " : "");
        swi_text_format(&text, "%s\n", json_string_value(json_object_get(parsed, "content")));
    }
    return text.data;
}

static const struct how online = {
    .output = "out.txt", .error = "err.txt", .options = ", mode: online"};

static void print_and_wait(struct sw_profiler *sw)
{
    (void)sw;
    puts("first");
    fputs("half a line", stdout);
    for (;;)
        pause();
}

static bool is_line_there(json_t *state, void *arg)
{
    const json_t *lines =
        json_object_get(json_object_get(service_run(state), "lines"), "output.log");
    char *dumped = json_dumps(lines, JSON_ENCODE_ANY);
    bool there = dumped && strstr(dumped, arg);
    free(dumped);
    return there;
}

static json_int_t exit_code_at(struct service *service)
{
    json_auto_t *state = service_state(service);
    return json_integer_value(json_object_get(service_run(state), "exitcode"));
}

/* A line without an end is there, too, after two seconds. */
SERVICE_TEST(lines_are_on_the_page_while_the_program_runs, "")
{
    int status;
    scratch_enter();
    pid_t child = fork();
    if (child == 0)
        program(&online, print_and_wait);
    service_wait_until(service, is_line_there, "first");
    service_wait_until(service, is_line_there, "half a line");
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
}

static void print_and_die(struct sw_profiler *sw)
{
    puts("first");
    looked(sw);
    puts("second");
    fputs("last words", stdout);
    fflush(stdout);
    fputs("why\n", stderr);
    raise(SIGKILL);
}

static void print_and_abort(struct sw_profiler *sw)
{
    puts("first");
    looked(sw);
    puts("second");
    fputs("last words", stdout);
    fflush(stdout);
    fputs("why\n", stderr);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static int64_t synced(bool again)
{
    struct sw_error err;
    struct sw_wandb_sync options = {.size = sizeof options, .again = again};
    struct sw_wandb_result result = {.size = sizeof result};
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", &options, &result, &err) == 0, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(result.files_failed, 0);
    return result.files;
}

static void print_and_crash(struct sw_profiler *sw)
{
    puts("first");
    looked(sw);
    fputs("why\n", stderr);
    raise(SIGSEGV);
}

START_TEST(what_is_printed_before_a_crash_is_in_the_run)
{
    forget();
    /* A sanitizer exits with a status. */
    ck_assert_int_ne(run(&plain, print_and_crash), 0);
    ck_assert_str_eq(lines_in_run(), "1 first\n0 why\n");
}
END_TEST

/* Offline and online, killed and aborted: only the sink reads what the program prints. */
SERVICE_TEST(of_a_program_that_dies_the_lines_are_there_up_to_the_last_look, "")
{
    static const struct how offline = {.output = "out.txt", .error = "err.txt"};
    scratch_enter();
    int status = run(_i & 1 ? &online : &offline, _i & 2 ? print_and_die : print_and_abort);
    ck_assert(WIFSIGNALED(status));
    synced(false);
    ck_assert_str_eq(lines_at(service), "first\n");
    ck_assert_int_eq(exit_code_at(service), 1);
    synced(true);
    ck_assert_str_eq(lines_at(service), "first\n");
}

/* ---- under stepwatch run --------------------------------------------------------------------- */

#define LOOP BUILDDIR "/tests/tools/loop print "

static const char run_yaml[] =
    "profiler: {show_report: false, close_timeout: 60s}\nlogger_callback:\n"
    "  - wandb: {run_id: abc, project: p, system: false, interval: 100ms, mode: %s}\n";

static void run_enter(const char *mode)
{
    char yaml[512];
    unsetenv("STEPWATCH_CONSOLE");
    snprintf(yaml, sizeof yaml, run_yaml, mode);
    file_write("run.yaml", yaml);
}

static int files_left(void)
{
    return scratch_count("console");
}

/* The files of its own are in a folder of the test's. */
static int run_print(const char *how)
{
    char arguments[512];
    ck_assert_int_eq(system("mkdir -p console"), 0);
    setenv("TMPDIR", scratch_path("console"), 1);
    snprintf(arguments, sizeof arguments, "run --config run.yaml -- " LOOP "%s", how);
    int status = stepwatch(arguments);
    unsetenv("TMPDIR");
    return status;
}

START_TEST(under_stepwatch_run_what_goes_to_a_pipe_is_in_the_run)
{
    forget();
    run_enter("offline");
    ck_assert_int_eq(run_print("end"), 3);
    assert_printed("terminals: 0 0\n");
    assert_printed("line 0\nline 1\n");
    assert_printed("line 1999\n");
    assert_not_printed("/.part-");
    const char *lines = lines_in_run();
    ck_assert_int_eq(occurrences(lines, "\n1 line "), 2000);
    ck_assert_ptr_nonnull(strstr(lines, "1 terminals: 0 0\n"));
    ck_assert_ptr_nonnull(strstr(lines, "1 line 1999\n"));
    ck_assert_int_eq(files_left(), 0);
}
END_TEST

START_TEST(a_process_that_outlives_the_program_still_prints)
{
    forget();
    run_enter("offline");
    /* The pipe is open as long as that process, so this is after its end. */
    ck_assert_int_eq(run_print("orphan"), 3);
    assert_printed("late\n");
    ck_assert(host_has("orphan"));
}
END_TEST

/* Of many runs, those that have ended are not looked at. */
SERVICE_TEST(under_stepwatch_run_the_rest_of_a_killed_run_is_uploaded_at_once, "")
{
    const char *id;
    json_t *run;
    size_t failed = 0, runs = 0;
    scratch_enter();
    unsetenv("STEPWATCH_CONSOLE");
    file_write("run.yaml",
               "profiler: {show_report: false, close_timeout: 60s}\nlogger_callback:\n"
               "  - wandb: {project: p, system: false, interval: 100ms, mode: online}\n");
    ck_assert_int_eq(run_print("sweep"), 128 + SIGKILL);
    assert_printed("line 1999\n");
    json_auto_t *state = service_state(service);
    json_object_foreach(json_object_get(state, "runs"), id, run)
    {
        const json_t *code = json_object_get(run, "exitcode");
        ck_assert_msg(json_is_integer(code), "%s", id);
        failed += json_integer_value(code) == 1;
        runs++;
    }
    ck_assert_uint_eq(runs, 21);
    ck_assert_uint_eq(failed, 1);
    ck_assert_int_eq(files_left(), 0);
}

/* What a terminal shows until its program ends. */
static char *shown(struct terminal *terminal)
{
    static char text[1 << 16];
    size_t size = 0;
    ssize_t got;
    close(terminal->program);
    while (size < sizeof text - 1 &&
           (got = read(terminal->user, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
    return text;
}

START_TEST(a_program_on_a_terminal_stays_on_one)
{
    struct terminal terminal;
    int status;
    forget();
    run_enter("offline");
    if (!terminal_new(&terminal, 80))
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(terminal.program, STDOUT_FILENO);
        dup2(terminal.program, STDERR_FILENO);
        execl(BUILDDIR "/tests/tools/stepwatch", "stepwatch", "run", "--config", "run.yaml", "--",
              BUILDDIR "/tests/tools/loop", "print", "end", (char *)NULL);
        _exit(92);
    }
    const char *text = shown(&terminal);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    ck_assert_msg(strstr(text, "terminals: 1 1\r\n") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "\r\r"));
    ck_assert_ptr_nonnull(strstr(text, "line 1999\r\n"));
    ck_assert_int_eq(occurrences(lines_in_run(), "\n1 line "), 2000);
    ck_assert_ptr_nonnull(strstr(lines_in_run(), "1 terminals: 1 1\n"));
}
END_TEST

SUITE(wandb_console)
{
    tcase_add_test(tc, under_stepwatch_run_what_goes_to_a_pipe_is_in_the_run);
    tcase_add_test(tc, a_process_that_outlives_the_program_still_prints);
    tcase_add_test(tc, under_stepwatch_run_the_rest_of_a_killed_run_is_uploaded_at_once);
    tcase_add_test(tc, a_program_on_a_terminal_stays_on_one);
    tcase_add_loop_test(tc, lines_are_those_that_a_terminal_would_show, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_test(tc, a_very_long_line_becomes_several_of_whole_characters);
    tcase_add_test(tc, what_is_printed_to_a_file_is_in_the_run);
    tcase_add_test(tc, both_streams_in_one_file_are_read_once);
    tcase_add_test(tc, a_file_with_content_is_read_from_the_programs_begin);
    tcase_add_test(tc, a_file_without_a_name_is_followed);
    tcase_add_loop_test(tc, a_file_that_is_truncated_begins_again, 0, 2);
    tcase_add_test(tc, a_program_that_opens_another_file_is_followed_there);
    tcase_add_test(tc, of_very_much_output_the_end_is_in_the_run_and_a_line_says_what_is_not);
    tcase_add_loop_test(tc, nothing_is_followed_if_it_is_turned_off, 0, 2);
    tcase_add_loop_test(tc, a_rank_that_shares_the_file_follows_nothing, 0, 2);
    tcase_add_loop_test(tc, the_report_is_in_the_run_once_whoever_prints_it, 0, 2);
    tcase_add_test(tc, what_a_parent_has_written_is_read_from_its_begin);
    tcase_add_test(tc, what_is_printed_before_a_crash_is_in_the_run);
    tcase_add_test(tc, lines_are_on_the_page_while_the_program_runs);
    tcase_add_loop_test(tc, of_a_program_that_dies_the_lines_are_there_up_to_the_last_look, 0, 4);
}
