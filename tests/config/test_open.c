/* SPDX-License-Identifier: MIT */
/* Which configuration sw_open() takes, and what it says if there is none. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void begin(void)
{
    sample_enter(NULL);
}

static void write_text(const char *path, const char *text)
{
    sample_write(path, text, strlen(text));
}

/* Opens and closes; "" where a profiler was opened, else the error's text. */
static const char *opened(const char *path)
{
    static struct sw_error err;
    sw_error_free(&err);
    struct sw_profiler *sw = sw_open(path, &err);
    ck_assert(sw == NULL || err.code == 0);
    if (sw)
        sw_close(sw, NULL);
    return sw ? "" : sw_error_text(&err);
}

/* Whether the print of the configuration has a line; where not, says what it is. */
static bool prints(const char *path, const char *line)
{
    char *text = NULL;
    struct sw_error err;
    ck_assert_int_eq(sw_config_print(path, &text, &err), 0);
    bool found = strstr(text, line) != NULL;
    if (!found)
        fprintf(stderr, "no line \"%s\" in\n%s", line, text);
    free(text);
    return found;
}

START_TEST(without_any_file_the_defaults_count)
{
    ck_assert(prints(NULL, "  mode: throughput\n"));
    ck_assert(prints(NULL, "  - table:\n"));
    ck_assert_str_eq(opened(NULL), "");
}
END_TEST

START_TEST(the_file_in_the_working_directory_counts)
{
    write_text("stepwatch.yaml", "profiler: {rolling_average: 21}\n");
    ck_assert(prints(NULL, "  rolling_average: 21\n"));
}
END_TEST

START_TEST(the_environment_sets_options_of_the_profiler_over_the_file)
{
    write_text("stepwatch.yaml", "profiler: {rolling_average: 21, csv_name: a.csv}\n");
    setenv("STEPWATCH_SET", "mode=simple,rolling_average=22,,csv_name=b.csv,rolling_average=23", 1);
    ck_assert(prints(NULL, "  mode: simple\n"));
    ck_assert(prints(NULL, "  rolling_average: 23\n"));
    ck_assert(prints(NULL, "  csv_name: b.csv\n"));
    setenv("STEPWATCH_SET", "show_report=", 1);
    ck_assert(prints(NULL, "  show_report: true\n"));
}
END_TEST

START_TEST(mistakes_in_the_environment_are_reported_with_those_of_the_file)
{
    write_text("x.yaml", "profiler: {rolling_average: none}\n");
    setenv("STEPWATCH_SET", "mode=simpel,signals,clock=1,close_timeout=2h", 1);
    ck_assert_str_eq(
        opened("x.yaml"),
        "STEPWATCH_SET: profiler: simpel is not a mode: did you mean simple? The modes are "
        "throughput, "
        "simple, advanced and off\n"
        "STEPWATCH_SET: found signals, expected key=value, like mode=simple\n"
        "STEPWATCH_SET: profiler: unknown key \"clock\": the keys are mode, rolling_average, "
        "drop_first_batch, show_report, plain, markdown, save_csv, csv_name, accounting, signals, "
        "close_timeout, values_memory, wait, schedule, capture, counters, peak_flops, watchdog and "
        "functions\n"
        "STEPWATCH_SET: profiler: close_timeout: 2h is not within 0..3600 s\n"
        "x.yaml:1:29: profiler: rolling_average: none is not an integer: expected digits only, "
        "like 40 "
        "or "
        "-3");
}
END_TEST

START_TEST(the_environment_names_a_file_before_that)
{
    write_text("stepwatch.yaml", "profiler: {rolling_average: 21}\n");
    write_text("other.yaml", "profiler: {rolling_average: 22}\n");
    setenv("STEPWATCH_CONFIG", "other.yaml", 1);
    ck_assert(prints(NULL, "  rolling_average: 22\n"));
    setenv("STEPWATCH_CONFIG", "", 1);
    ck_assert(prints(NULL, "  rolling_average: 21\n"));
}
END_TEST

START_TEST(a_path_counts_before_the_environment)
{
    write_text("mine.yaml", "profiler: {rolling_average: 23}\n");
    setenv("STEPWATCH_CONFIG", "nowhere.yaml", 1);
    ck_assert(prints("mine.yaml", "  rolling_average: 23\n"));
}
END_TEST

START_TEST(a_missing_file_is_reported)
{
    char expected[1024], *here = getcwd(NULL, 0);
    snprintf(expected, sizeof expected,
             "nowhere.yaml: cannot be read: No such file or directory; the working directory is %s",
             here);
    ck_assert_str_eq(opened("nowhere.yaml"), expected);
    ck_assert_str_eq(opened("/nowhere/x.yaml"),
                     "/nowhere/x.yaml: cannot be read: No such file or directory");
    free(here);
}
END_TEST

START_TEST(a_missing_file_from_the_environment_is_reported_as_such)
{
    setenv("STEPWATCH_CONFIG", "nowhere.yaml", 1);
    const char *beginning =
        "STEPWATCH_CONFIG: nowhere.yaml: cannot be read: No such file or directory;";
    ck_assert_int_eq(strncmp(opened(NULL), beginning, strlen(beginning)), 0);
}
END_TEST

START_TEST(a_folder_is_not_a_file)
{
    mkdir("stepwatch.yaml", 0700);
    ck_assert_str_eq(opened(NULL), "stepwatch.yaml: is a directory: expected a YAML file");
}
END_TEST

/* ---- the file that nobody named -------------------------------------------------------------- */

static void make_fifo(void)
{
    ck_assert_int_eq(mkfifo("stepwatch.yaml", 0644), 0);
}

static void make_planted_link(void)
{
    write_text("theirs.yaml", "profiler: simple\n");
    ck_assert_int_eq(symlink("theirs.yaml", "stepwatch.yaml"), 0);
    ck_assert_int_eq(chmod(".", 0777), 0);
}

static void make_link_of_another(void)
{
    make_planted_link();
    ck_assert_int_eq(chmod(".", 01777), 0);
    ck_assert_int_eq(lchown("stepwatch.yaml", 1234, (gid_t)-1), 0);
}

static void make_planted_fifo(void)
{
    make_fifo();
    ck_assert_int_eq(chmod(".", 01777), 0);
}

static void make_of_another(void)
{
    write_text("stepwatch.yaml", "profiler: simple\n");
    ck_assert_int_eq(chown("stepwatch.yaml", 1234, (gid_t)-1), 0);
    ck_assert_int_eq(chmod(".", 01777), 0);
}

static void make_link_in_folder_of_another(void)
{
    make_planted_link();
    ck_assert_int_eq(chmod(".", 0755), 0);
    ck_assert_int_eq(chown(".", 1234, (gid_t)-1), 0);
}

static const struct {
    void (*make)(void);
    const char *problem;
    bool needs_root;
} planted[] = {
    {make_fifo, "is a FIFO: expected a YAML file", false},
    {make_planted_fifo, "is a FIFO: expected a YAML file", false},
    {make_planted_link,
     "\"stepwatch.yaml\" is a symbolic link in a folder that everybody may write to, which is not "
     "followed: name another path",
     false},
    {make_link_of_another,
     "\"stepwatch.yaml\" is a symbolic link in a folder that everybody may write to, which is not "
     "followed: name another path",
     true},
    {make_of_another,
     "belongs to another user in a folder that everybody may write to, and is not read: name it in "
     "STEPWATCH_CONFIG if it is yours",
     true},
    {make_link_in_folder_of_another,
     "\"stepwatch.yaml\" is a symbolic link in a folder that belongs to another user, which is not "
     "followed: name another path",
     true},
};

START_TEST(a_file_that_nobody_named_and_others_may_have_laid_is_not_obeyed)
{
    char expected[512];
    if (planted[_i].needs_root && geteuid() != 0) {
        puts("SKIP: what belongs to another user can only be made by root");
        return;
    }
    planted[_i].make();
    snprintf(expected, sizeof expected, "stepwatch.yaml: %s", planted[_i].problem);
    ck_assert_str_eq(opened(NULL), expected);
}
END_TEST

/* The second is a volume of Kubernetes: root's links in a sticky folder. */
START_TEST(a_link_of_ones_own_is_obeyed)
{
    mkdir("..2026", 0755);
    write_text("..2026/stepwatch.yaml", "profiler: {rolling_average: 21}\n");
    ck_assert_int_eq(symlink("..2026", "..data"), 0);
    ck_assert_int_eq(symlink("..data/stepwatch.yaml", "stepwatch.yaml"), 0);
    ck_assert_int_eq(chmod(".", _i ? 01777 : 0755), 0);
    ck_assert(prints(NULL, "  rolling_average: 21\n"));
}
END_TEST

START_TEST(a_file_of_another_user_is_obeyed_where_it_is_named_or_lies_in_a_folder_of_his)
{
    if (geteuid() != 0) {
        puts("SKIP: a file of another user can only be made by root");
        return;
    }
    make_of_another();
    ck_assert(prints("stepwatch.yaml", "  mode: simple\n"));
    setenv("STEPWATCH_CONFIG", "stepwatch.yaml", 1);
    ck_assert(prints(NULL, "  mode: simple\n"));
    unsetenv("STEPWATCH_CONFIG");
    ck_assert_int_eq(chmod(".", 0755), 0);
    ck_assert(prints(NULL, "  mode: simple\n"));
}
END_TEST

START_TEST(a_file_that_may_not_be_read_is_reported)
{
    write_text("closed.yaml", "profiler: off\n");
    chmod("closed.yaml", 0);
    if (geteuid() != 0) /* root may read all */
        ck_assert_str_eq(opened("closed.yaml"), "closed.yaml: cannot be read: Permission denied");
}
END_TEST

START_TEST(a_pipe_that_nobody_writes_is_an_empty_file)
{
    ck_assert_int_eq(mkfifo("pipe.yaml", 0600), 0);
    ck_assert(prints("pipe.yaml", "  mode: throughput\n"));
}
END_TEST

START_TEST(an_endless_file_is_too_large)
{
    ck_assert_str_eq(opened("/dev/zero"),
                     "/dev/zero: is larger than 1 MiB: is it a configuration?");
}
END_TEST

START_TEST(an_empty_file_gives_the_defaults)
{
    write_text("empty.yaml", "");
    ck_assert(prints("empty.yaml", "  mode: throughput\n"));
    ck_assert(prints("empty.yaml", "  - table:\n"));
}
END_TEST

START_TEST(off_gives_no_profiler_and_no_error)
{
    struct sw_error err = {.code = 1};
    write_text("off.yaml", "profiler: off\nlogger_callback: nosuchsink\n");
    ck_assert_ptr_null(sw_open("off.yaml", &err));
    ck_assert_int_eq(err.code, 0);
    ck_assert_ptr_null(sw_open_text("profiler: {mode: off}\n", &err));
    ck_assert_int_eq(err.code, 0);
}
END_TEST

START_TEST(a_mistake_is_reported_even_when_off)
{
    write_text("off.yaml", "profiler: off\nnane: x\n");
    ck_assert_str_eq(opened("off.yaml"),
                     "off.yaml:2:1: unknown key \"nane\": did you mean name? "
                     "The keys are name, profiler, logger_callback, monitors, ranks and "
                     "plugin_path");
}
END_TEST

START_TEST(the_environment_switches_off_without_reading_anything)
{
    struct sw_error err = {.code = 1};
    setenv("STEPWATCH", "off", 1);
    ck_assert_ptr_null(sw_open("nowhere.yaml", &err));
    ck_assert_int_eq(err.code, 0);
    ck_assert_ptr_null(sw_open_text("[", &err));
    ck_assert_int_eq(err.code, 0);
}
END_TEST

START_TEST(any_other_value_of_stepwatch_is_a_mistake)
{
    setenv("STEPWATCH", "0\x1b[2J", 1);
    ck_assert_str_eq(opened(NULL),
                     "the environment variable STEPWATCH is \"0\\x1b[2J\": expected on or off");
    setenv("STEPWATCH", "on", 1);
    ck_assert_str_eq(opened(NULL), "");
}
END_TEST

START_TEST(a_text_is_called_configuration)
{
    struct sw_error err;
    ck_assert_ptr_null(sw_open_text("profiler: fast\n", &err));
    ck_assert_int_eq(err.code, SW_ECONFIG);
    ck_assert_str_eq(sw_error_text(&err),
                     "configuration:1:11: profiler: fast is not a mode: the modes are "
                     "throughput, simple, advanced and off");
}
END_TEST

START_TEST(a_text_that_is_null_is_refused)
{
    struct sw_error err;
    ck_assert_ptr_null(sw_open_text(NULL, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
}
END_TEST

START_TEST(nobody_has_to_ask_for_the_error)
{
    char *text = NULL;
    ck_assert_ptr_null(sw_open("nowhere.yaml", NULL));
    ck_assert_ptr_null(sw_open_text("profiler: fast\n", NULL));
    ck_assert_int_eq(sw_config_check("nowhere.yaml", &text, NULL), SW_EIO);
    ck_assert_int_eq(sw_config_print("nowhere.yaml", &text, NULL), SW_EIO);
    ck_assert_ptr_null(text);
}
END_TEST

/* All mistakes of stepwatch.yaml; the caller's to free. */
static char *mistakes_of(const char *yaml)
{
    char *text = NULL;
    write_text("stepwatch.yaml", yaml);
    ck_assert_int_ge(sw_config_check(NULL, &text, NULL), 0);
    return text;
}

START_TEST(what_only_a_sink_knows_is_reported_at_its_option)
{
    static const char yaml[] = "profiler: {show_report: false}\n"
                               "logger_callback:\n"
                               "  - sample: {text: checked, flag: true, count: 10}\n"
                               "  - sample: {text: checked, path: x, flag: true}\n"
                               "  - sample: {text: checked, flag: maybe}\n";
    static const char expected[] =
        "stepwatch.yaml:3:5: sink sample: path: - is not a file for a text\n"
        "stepwatch.yaml:3:5: sink sample: count is 10\n"
        "stepwatch.yaml:4:35: sink sample: path: x is not a file for a text\n"
        "stepwatch.yaml:5:35: sink sample: flag: maybe is neither true nor false";
    char *text = mistakes_of(yaml);
    ck_assert_str_eq(opened(NULL), expected);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(
        strstr(text, "stepwatch.yaml:3:20: sink sample: text: is of little use\n"));
    free(text);
}
END_TEST

START_TEST(a_remark_of_a_sink_does_not_keep_a_profiler_from_opening)
{
    char *text = mistakes_of("profiler: {show_report: false}\n"
                             "logger_callback: [sample: {text: checked}]\n");
    ck_assert_str_eq(text, "stepwatch.yaml:2:34: sink sample: text: is of little use");
    ck_assert_str_eq(opened(NULL), "");
    ck_assert(prints(NULL, "      text: checked\n"));
    free(text);
}
END_TEST

START_TEST(plugin_path_is_relative_to_the_file)
{
    char *here = getcwd(NULL, 0), *line = NULL;
    mkdir("below", 0700);
    write_text("below/x.yaml", "plugin_path: plugins\n");
    ck_assert_int_gt(asprintf(&line, "  - %s/below/plugins\n", here), 0);
    ck_assert(prints("below/x.yaml", line));
    ck_assert(prints("./below/x.yaml", "/below/plugins\n"));
    free(here);
    free(line);
}
END_TEST

START_TEST(mistakes_of_the_file_and_of_its_sinks_come_together)
{
    write_text("x.yaml", "profiler: fast\n"
                         "logger_callback:\n"
                         "  - sample: {count: 40}\n"
                         "  - smaple\n"
                         "plugin_path: ''\n");
    const char *text = opened("x.yaml");
    ck_assert_ptr_nonnull(strstr(text, "x.yaml:1:11: profiler: fast is not a mode"));
    ck_assert_ptr_nonnull(
        strstr(text, "\nx.yaml:3:21: sink sample: count: 40 is not within 1..17"));
    ck_assert_ptr_nonnull(strstr(text, "\nx.yaml:4:5: sink smaple was not found"));
    ck_assert_ptr_nonnull(strstr(text, "\nx.yaml:5:14: plugin_path: found empty text"));
}
END_TEST

START_TEST(a_folder_with_a_line_break_is_reported_in_one_line)
{
    write_text("x.yaml", "plugin_path: \"/nowhere\\n\\e[31m\"\nlogger_callback: nosuchsink\n");
    const char *text = opened("x.yaml");
    ck_assert_ptr_null(strpbrk(text, "\n\x1b"));
    ck_assert_ptr_nonnull(strstr(text, "tried /nowhere\\x0a\\x1b[31m/nosuchsink.so"));
}
END_TEST

START_TEST(a_print_of_a_faulty_file_reports_its_mistakes)
{
    char *text = NULL;
    struct sw_error err;
    write_text("x.yaml", "profiler: fast\n");
    ck_assert_int_eq(sw_config_print("x.yaml", &text, &err), SW_ECONFIG);
    ck_assert_str_eq(sw_error_text(&err),
                     "x.yaml:1:11: profiler: fast is not a mode: the modes are throughput, "
                     "simple, advanced and off");
    ck_assert_ptr_null(text);
}
END_TEST

START_TEST(a_long_list_of_mistakes_is_whole_in_an_error)
{
    FILE *file = fopen("x.yaml", "w");
    for (int i = 0; i < 200; i++)
        fprintf(file, "key%d: x\n", i);
    fclose(file);
    char *text = NULL;
    struct sw_error err;
    ck_assert_int_eq(sw_config_check("x.yaml", &text, &err), 200);
    ck_assert_ptr_nonnull(strstr(text, "\nx.yaml:200:1: unknown key \"key199\""));
    ck_assert_str_eq(opened("x.yaml"), text);
    free(text);
}
END_TEST

START_TEST(sinks_are_found_whatever_is_wrong_elsewhere)
{
    struct sw_sinks *sinks = NULL;
    struct sw_error err;
    write_text("x.yaml", "profiler: fast\nplugin_path: plugins\n");
    ck_assert_int_gt(sw_sinks_find("x.yaml", &sinks, &err), 1);
    bool found = false;
    for (size_t i = 0; i < sinks->count; i++)
        found = found || strcmp(sinks->item[i].name, "sample") == 0;
    ck_assert(found);
    sw_sinks_free(sinks);
    ck_assert_int_eq(sw_sinks_find("nowhere.yaml", &sinks, &err), SW_EIO);
}
END_TEST

/* arg: gets the first text that is another one. */
static void *check_often(void *arg)
{
    char **wrong = arg;
    for (int i = 0; i < 20; i++) {
        char *text = NULL;
        sw_config_check("x.yaml", &text, NULL);
        bool same = text && strcmp(text, "x.yaml:1:11: profiler: fast is not a mode: the modes are "
                                         "throughput, simple, advanced and off") == 0;
        if (!same && !*wrong)
            *wrong = text ? text : strdup("no mistake");
        else
            free(text);
    }
    return NULL;
}

START_TEST(files_are_read_by_any_number_of_threads)
{
    pthread_t threads[4];
    char *wrong[4] = {NULL};
    write_text("x.yaml", "profiler: fast\n");
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, check_often, &wrong[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(!wrong[i], "%s", wrong[i]);
}
END_TEST

SUITE(config_open)
{
    tcase_add_checked_fixture(tc, begin, sample_leave);
    tcase_add_test(tc, without_any_file_the_defaults_count);
    tcase_add_test(tc, the_file_in_the_working_directory_counts);
    tcase_add_test(tc, the_environment_sets_options_of_the_profiler_over_the_file);
    tcase_add_test(tc, mistakes_in_the_environment_are_reported_with_those_of_the_file);
    tcase_add_test(tc, the_environment_names_a_file_before_that);
    tcase_add_test(tc, a_path_counts_before_the_environment);
    tcase_add_test(tc, a_missing_file_is_reported);
    tcase_add_test(tc, a_missing_file_from_the_environment_is_reported_as_such);
    tcase_add_test(tc, a_folder_is_not_a_file);
    tcase_add_loop_test(tc, a_file_that_nobody_named_and_others_may_have_laid_is_not_obeyed, 0,
                        sizeof planted / sizeof *planted);
    tcase_add_loop_test(tc, a_link_of_ones_own_is_obeyed, 0, 2);
    tcase_add_test(tc,
                   a_file_of_another_user_is_obeyed_where_it_is_named_or_lies_in_a_folder_of_his);
    tcase_add_test(tc, a_file_that_may_not_be_read_is_reported);
    tcase_add_test(tc, a_pipe_that_nobody_writes_is_an_empty_file);
    tcase_add_test(tc, an_endless_file_is_too_large);
    tcase_add_test(tc, an_empty_file_gives_the_defaults);
    tcase_add_test(tc, off_gives_no_profiler_and_no_error);
    tcase_add_test(tc, a_mistake_is_reported_even_when_off);
    tcase_add_test(tc, the_environment_switches_off_without_reading_anything);
    tcase_add_test(tc, any_other_value_of_stepwatch_is_a_mistake);
    tcase_add_test(tc, a_text_is_called_configuration);
    tcase_add_test(tc, a_text_that_is_null_is_refused);
    tcase_add_test(tc, nobody_has_to_ask_for_the_error);
    tcase_add_test(tc, what_only_a_sink_knows_is_reported_at_its_option);
    tcase_add_test(tc, a_remark_of_a_sink_does_not_keep_a_profiler_from_opening);
    tcase_add_test(tc, plugin_path_is_relative_to_the_file);
    tcase_add_test(tc, mistakes_of_the_file_and_of_its_sinks_come_together);
    tcase_add_test(tc, a_folder_with_a_line_break_is_reported_in_one_line);
    tcase_add_test(tc, a_print_of_a_faulty_file_reports_its_mistakes);
    tcase_add_test(tc, a_long_list_of_mistakes_is_whole_in_an_error);
    tcase_add_test(tc, sinks_are_found_whatever_is_wrong_elsewhere);
    tcase_add_test(tc, files_are_read_by_any_number_of_threads);
}
