/* SPDX-License-Identifier: MIT */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER                                                                                     \
    "Phase,Action,Mean Duration,Duration Std Dev,Number of Calls,Samples/Second,Total Time,"       \
    "Percent of Total"

/* host_fit(host, 3): the first batch of train and the only one of valid are dropped. */
static const char rows_of_fit[] = HEADER "\n"
                                         "fit,fit,0.0,0.0,1,-,0.4,100%\n"
                                         "fit,epoch,0.4,0.0,1,-,0.4,100%\n"
                                         "fit,train,0.3,0.0,1,640,0.3,75%\n"
                                         "fit,valid,0.1,0.0,1,640,0.1,25%\n"
                                         "train,step,0.1,0.0,2,640,0.2,50%\n"
                                         "train,draw,0.01,0.0,2,-71,0.02,5%\n"
                                         "train,batch,0.09,0.0,2,711,0.18,45%\n"
                                         "valid,step,0.0,0.0,0,-,0.0,0%\n"
                                         "valid,draw,0.0,0.0,0,-,0.0,0%\n"
                                         "valid,batch,0.0,0.0,0,-,0.0,0%\n";

START_TEST(the_results_are_written_with_a_row_for_each_phase_and_action)
{
    struct host *host = host_open("csv", "path: out.csv\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_file("out.csv"), rows_of_fit);
}
END_TEST

START_TEST(the_name_of_the_file_is_by_mode)
{
    struct host *host = host_open("csv", "");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_file("throughput.csv"), rows_of_fit);

    host = host_open_with("csv", "", "mode: simple\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file("simpleprofiler.csv"), "train,zero_grad,0.0,"));
}
END_TEST

START_TEST(on_a_terminal_a_name_is_shown_and_not_obeyed)
{
    struct terminal terminal;
    char seen[4096];
    size_t used = 0;
    struct host *host = host_open("csv", "path: \"-\"\n");
    if (!terminal_new(&terminal, 200)) {
        host_close(host);
        return;
    }
    int before = dup(STDOUT_FILENO), own = sw_action("a\033[31m\u202e");
    dup2(terminal.program, STDOUT_FILENO);
    close(terminal.program);
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), own);
    sw_end(host_profiler(host), own);
    sw_end(host_profiler(host), SW_FIT);
    sw_flush(host_profiler(host), INT64_C(60000000000));
    dup2(before, STDOUT_FILENO);
    close(before);
    for (ssize_t n; (n = read(terminal.user, seen + used, sizeof seen - 1 - used)) > 0;)
        used += (size_t)n;
    seen[used] = '\0';
    close(terminal.user);
    host_close(host);
    ck_assert_msg(strstr(seen, ",a\\x1b[31m\\u{202e},") != NULL, "%s", seen);
    ck_assert_ptr_null(strchr(seen, '\033'));
}
END_TEST

START_TEST(a_dash_is_standard_output)
{
    struct host *host = host_open("csv", "path: \"-\"\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_stdout(), rows_of_fit);
}
END_TEST

START_TEST(each_fit_has_a_file_of_its_own)
{
    struct host *host = host_open("csv", "path: \"a.b/out.csv\"\n");
    host_fit(host, 3);
    host_fit(host, 4);
    host_fit(host, 5);
    host_close(host);
    ck_assert_str_eq(host_file("a.b/out.csv"), rows_of_fit);
    ck_assert_ptr_nonnull(strstr(host_file("a.b/out-2.csv"), "train,step,0.1,0.0,3,"));
    ck_assert_ptr_nonnull(strstr(host_file("a.b/out-3.csv"), "train,step,0.1,0.0,4,"));
}
END_TEST

START_TEST(a_name_without_extension_gets_the_number_at_its_end)
{
    struct host *host = host_open("csv", "path: a.b/out\n");
    host_fit(host, 3);
    host_fit(host, 3);
    host_close(host);
    ck_assert(host_has("a.b/out") && host_has("a.b/out-2"));
}
END_TEST

static int files_in(const char *folder)
{
    int files = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        files += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(dir);
    return files;
}

START_TEST(the_file_is_replaced_as_a_whole)
{
    for (int run = 0; run < 2; run++) {
        struct host *host = host_open("csv", "path: one/deeper/out.csv\n");
        host_fit(host, 3);
        host_close(host);
    }
    ck_assert_str_eq(host_file("one/deeper/out.csv"), rows_of_fit);
    ck_assert_int_eq(files_in("one/deeper"), 1);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_reported)
{
    struct sw_error err;
    struct host *host = host_open("csv", "path: stdout.txt/out.csv\n");
    host_fit(host, 3);
    ck_assert_int_eq(host_close_rc(host, &err), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "sink csv: "));
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err),
                                 "/stdout.txt/out.csv: its folder \"stdout.txt\" cannot be made or "
                                 "entered: Not a directory"));
}
END_TEST

START_TEST(all_columns_are_exact)
{
    struct host *host = host_open("csv", "path: out.csv\ncolumns: all\n");
    host_fit(host, 3);
    host_close(host);
    const char *text = host_file("out.csv");
    ck_assert_ptr_nonnull(strstr(text, HEADER
                                 ",Samples/Second Unrounded,Self Time,Min,Max,P50,P95,P99,"
                                 "Overall Samples/Second\n"
                                 "fit,fit,0.0,0.0,1,-,0.4,100%,,0.0,0.4,0.4,0.4,0.4,0.4,\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "\ntrain,step,0.1,0.0,2,640,0.2,50%,640.0,,0.1,0.1,0.1,0.1,0.1,640.0\n"));
    const char rounded[] = "\ntrain,draw,0.01,0.0,2,-71,0.02,5%,";
    const char *draw = strstr(text, rounded);
    ck_assert_ptr_nonnull(draw);
    ck_assert(fabs(strtod(draw + strlen(rounded), NULL) + 64 / 0.9) < 1e-9);
}
END_TEST

static void action_time(struct host *host, const char *name, int64_t ns)
{
    int action = sw_action(name);
    sw_begin(host_profiler(host), action);
    host_wait(host, ns);
    sw_end(host_profiler(host), action);
}

START_TEST(names_are_text_and_numbers_are_numbers)
{
    struct host *host = host_open("csv", "path: out.csv\n");
    sw_begin(host_profiler(host), SW_FIT);
    action_time(host, "=cmd()", 1000000000);
    action_time(host, "a \"b\", c", 2000000000);
    action_time(host, "two\nlines", 1000000000);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    const char *text = host_file("out.csv");
    ck_assert_ptr_nonnull(strstr(text, "\nfit,'=cmd(),1.0,0.0,1,-,1.0,25%\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nfit,\"a \"\"b\"\", c\",2.0,0.0,1,-,2.0,50%\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nfit,\"two\nlines\",1.0,0.0,1,-,1.0,25%\n"));
}
END_TEST

SUITE(csv)
{
    tcase_add_test(tc, the_results_are_written_with_a_row_for_each_phase_and_action);
    tcase_add_test(tc, the_name_of_the_file_is_by_mode);
    tcase_add_test(tc, on_a_terminal_a_name_is_shown_and_not_obeyed);
    tcase_add_test(tc, a_dash_is_standard_output);
    tcase_add_test(tc, each_fit_has_a_file_of_its_own);
    tcase_add_test(tc, a_name_without_extension_gets_the_number_at_its_end);
    tcase_add_test(tc, the_file_is_replaced_as_a_whole);
    tcase_add_test(tc, a_folder_that_cannot_be_made_is_reported);
    tcase_add_test(tc, all_columns_are_exact);
    tcase_add_test(tc, names_are_text_and_numbers_are_numbers);
}
