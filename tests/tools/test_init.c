/* SPDX-License-Identifier: MIT */
/* stepwatch init: what it writes is a valid configuration, unchanged and with everything
 * uncommented. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stepwatch/inspect.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "a,b,c": every sink that can be used here. */
static const char *all_sinks(void)
{
    static char names[512];
    struct sw_sinks *sinks = NULL;
    struct sw_error err = {0};
    *names = '\0';
    ck_assert_msg(sw_sinks_find(NULL, &sinks, &err) > 0, "%s", sw_error_text(&err));
    for (size_t i = 0; i < sinks->count; i++) {
        if (sinks->item[i].problem || sinks->item[i].shadowed)
            continue;
        if (*names)
            strcat(names, ",");
        strcat(names, sinks->item[i].name);
    }
    sw_sinks_free(sinks);
    return names;
}

/* Takes the # away from every "#key:" line of a file. */
static void uncomment(const char *from, const char *to)
{
    FILE *out = fopen(to, "w");
    int count = 0;
    ck_assert_ptr_nonnull(out);
    for (const char *at = host_file(from); *at;) {
        size_t blanks = strspn(at, " "), length = strcspn(at, "\n");
        bool option = at[blanks] == '#' && at[blanks + 1] != ' ' && blanks < length;
        fprintf(out, "%.*s%.*s\n", (int)blanks, at, (int)(length - blanks - option),
                at + blanks + option);
        count += option;
        at += length + (at[length] == '\n');
    }
    fclose(out);
    ck_assert_int_gt(count, 10);
}

/* Where it is not, its mistakes are shown. */
static bool is_fine(const char *path)
{
    char line[64];
    snprintf(line, sizeof line, "check %s", path);
    bool fine = stepwatch(line) == 0;
    if (!fine)
        fprintf(stderr, "%s:\n%s%s", path, command_output(), host_file(path));
    return fine;
}

static void init(const char *arguments)
{
    char line[640];
    snprintf(line, sizeof line, "init %s", arguments);
    ck_assert_msg(stepwatch(line) == 0, "%s", command_output());
}

START_TEST(the_file_is_fine_and_changes_nothing)
{
    run_record("steps");
    file_write("empty.yaml", "");
    ck_assert_int_eq(stepwatch("check empty.yaml --print"), 0);
    char *before = strdup(command_output());
    init("");
    assert_printed("stepwatch.yaml was written");
    ck_assert(is_fine("stepwatch.yaml"));
    ck_assert_int_eq(stepwatch("check stepwatch.yaml --print"), 0);
    ck_assert_str_eq(command_output(), before);
    free(before);
}
END_TEST

START_TEST(every_option_of_every_sink_can_be_uncommented)
{
    char line[600];
    run_record("steps");
    snprintf(line, sizeof line, "--sinks %s all.yaml", all_sinks());
    init(line);
    ck_assert(is_fine("all.yaml"));
    uncomment("all.yaml", "open.yaml");
    ck_assert(is_fine("open.yaml"));
}
END_TEST

/* Whether each option of a table has its line in the text, so many blanks in. */
static void has_options(const char *text, const struct sw_option *option, int blanks)
{
    for (; option && option->name; option++) {
        char line[64];
        snprintf(line, sizeof line, "\n%*s#%s:", blanks, "", option->name);
        ck_assert_msg(strstr(text, line) != NULL, "no %s in:\n%s", line, text);
        ck_assert_ptr_nonnull(strstr(text, option->help));
    }
}

START_TEST(every_option_of_the_tables_is_there_with_its_help)
{
    struct sw_sinks *sinks = NULL;
    run_record("steps");
    init("--sinks runlog,csv two.yaml");
    has_options(host_file("two.yaml"), sw_profiler_options(), 2);
    ck_assert_int_gt(sw_sinks_find(NULL, &sinks, NULL), 0);
    for (size_t i = 0; i < sinks->count; i++)
        if (strcmp(sinks->item[i].name, "csv") == 0 || strcmp(sinks->item[i].name, "runlog") == 0)
            has_options(host_file("two.yaml"), sinks->item[i].plugin->options, 6);
    sw_sinks_free(sinks);
}
END_TEST

START_TEST(the_sinks_are_those_asked_for_and_the_others_are_named)
{
    run_record("steps");
    init("--sinks runlog,csv -");
    assert_printed("\n  - runlog:\n");
    assert_printed("\n  - csv:\n");
    assert_not_printed("\n  - table:\n");
    assert_printed("\nlogger_callback:\n  # other sinks; ");
    assert_printed("\n  # table: ");
    assert_printed("\n\n  # the run as JSON lines, to replay and to compare\n  - runlog:\n");
    assert_printed(
        "\n      # regions: everything; steps: enough to make the report again; metrics: only "
        "results; summary: a small file for merging ranks, replaced at each epoch; one of "
        "regions, steps, metrics, summary\n      #detail: steps\n");
    assert_printed("\n  # training steps in the rolling average, which is logged once in this many "
                   "steps; 1..1000000 "
                   "steps\n  #rolling_average: 10\n");
    ck_assert(!host_has("stepwatch.yaml"));
}
END_TEST

START_TEST(a_file_that_is_there_is_never_overwritten)
{
    run_record("steps");
    file_write("stepwatch.yaml", "profiler: simple\n");
    ck_assert_int_eq(stepwatch("init"), 1);
    assert_printed("stepwatch.yaml: exists already and is not overwritten");
    ck_assert_str_eq(host_file("stepwatch.yaml"), "profiler: simple\n");
    ck_assert_int_eq(symlink("target.yaml", "link.yaml"), 0);
    ck_assert_int_eq(stepwatch("init link.yaml"), 1);
    ck_assert(!host_has("target.yaml"));
}
END_TEST

START_TEST(an_invalid_sink_and_an_invalid_folder_are_reported)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("init --sinks csv,tabel"), 1);
    assert_printed("--sinks tabel: no sink has that name");
    ck_assert(!host_has("stepwatch.yaml"));
    ck_assert_int_eq(stepwatch("init nowhere/stepwatch.yaml"), 1);
    assert_printed("nowhere/stepwatch.yaml: No such file or directory");
    ck_assert_int_eq(stepwatch("init a b"), 2);
}
END_TEST

/* Alone in its folder: others there do not even survive being loaded. */
static void add_plugin(const char *name)
{
    char line[512], here[256], path[600];
    snprintf(line, sizeof line, "cp " BUILDDIR "/tests/plugins/.libs/%s.so .", name);
    ck_assert_int_eq(system(line), 0);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s:" BUILDDIR "/sinks/.libs", here);
    setenv("STEPWATCH_PLUGIN_PATH", path, 1);
}

START_TEST(an_option_that_must_be_given_has_a_value_that_passes_the_check)
{
    run_record("steps");
    add_plugin("demanding");
    init("--sinks demanding");
    const char *text = host_file("stepwatch.yaml");
    ck_assert_ptr_nonnull(strstr(text, "\n      count: 3\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n      key: \"${demanding_key:-}\"\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n      #colours: [red, blue]\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n      # red \\x1b[31m text\n"));
    ck_assert(is_fine("stepwatch.yaml"));
    uncomment("stepwatch.yaml", "open.yaml");
    ck_assert(is_fine("open.yaml"));
}
END_TEST

/* Where /dev/full is: what cannot be written whole is not left behind. A device is there already.
 */
START_TEST(a_device_is_not_a_new_file)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("init /dev/full"), 1);
    assert_printed("/dev/full: exists already");
}
END_TEST

SUITE(init)
{
    tcase_add_test(tc, the_file_is_fine_and_changes_nothing);
    tcase_add_test(tc, every_option_of_every_sink_can_be_uncommented);
    tcase_add_test(tc, every_option_of_the_tables_is_there_with_its_help);
    tcase_add_test(tc, the_sinks_are_those_asked_for_and_the_others_are_named);
    tcase_add_test(tc, a_file_that_is_there_is_never_overwritten);
    tcase_add_test(tc, an_invalid_sink_and_an_invalid_folder_are_reported);
    tcase_add_test(tc, an_option_that_must_be_given_has_a_value_that_passes_the_check);
    tcase_add_test(tc, a_device_is_not_a_new_file);
}
