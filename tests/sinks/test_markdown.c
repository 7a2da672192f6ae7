/* SPDX-License-Identifier: MIT */
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <string.h>

static const char table_of_fit[] =
    "| Phase   | Action   | Mean Duration   | Duration Std Dev   |   Number of Calls "
    "| Samples/Second   | Total Time   | Percent of Total   |\n"
    "|:--------|:---------|:----------------|:-------------------|------------------:"
    "|:-----------------|:-------------|:-------------------|\n"
    "| fit     |          | -               | -                  |                 1 "
    "| -                | 400.0ms      | 100%               |\n"
    "|         | epoch    | 400.0ms         | -                  |                 1 "
    "| -                | 400.0ms      | 100%               |\n"
    "|         | train    | 300.0ms         | -                  |                 1 "
    "| 640              | 300.0ms      | 75%                |\n"
    "|         | valid    | 100.0ms         | -                  |                 1 "
    "| 640              | 100.0ms      | 25%                |\n"
    "| train   | step     | 100.0ms         | -                  |                 2 "
    "| 640              | 200.0ms      | 50%                |\n"
    "|         | draw     | 10.00ms         | -                  |                 2 "
    "| -71              | 20.00ms      | 5%                 |\n"
    "|         | batch    | 90.00ms         | -                  |                 2 "
    "| 711              | 180.0ms      | 45%                |\n"
    "| valid   | step     | -               | -                  |                 0 "
    "| -                | -            | 0%                 |\n"
    "|         | draw     | -               | -                  |                 0 "
    "| -                | -            | 0%                 |\n"
    "|         | batch    | -               | -                  |                 0 "
    "| -                | -            | 0%                 |\n";

static const char dropped[] = "Batch dropped. train and valid phases show 1 less batch than fit.\n";

static const char *after(const char *text, const char *begin)
{
    ck_assert_int_eq(strncmp(text, begin, strlen(begin)), 0);
    return text + strlen(begin);
}

START_TEST(the_report_is_a_table_and_the_dropped_batch_a_line_below)
{
    struct host *host = host_open_with("markdown", "path: out.md\n", "accounting: false\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(after(host_file("out.md"), table_of_fit), dropped);
}
END_TEST

START_TEST(the_accounting_is_a_paragraph_and_no_row_of_the_table)
{
    struct host *host = host_open("markdown", "");
    host_fit(host, 3);
    host_close(host);
    const char *rest = after(after(after(host_stdout(), table_of_fit), "\n"), dropped);
    rest = after(rest, "Overall: 640 samples/s in train (640 in valid).\n");
    rest = after(rest, "Accounted for: 400.0ms, 100.0 % of fit; other: 0 s, 0.0 % of fit.\n");
    ck_assert_str_ne(after(rest, "stepwatch itself: "), "");
}
END_TEST

START_TEST(without_a_dropped_batch_and_accounting_the_table_is_all)
{
    struct host *host =
        host_open_with("markdown", "", "accounting: false\ndrop_first_batch: false\n");
    host_fit(host, 2);
    host_close(host);
    ck_assert_ptr_null(strstr(host_stdout(), "\n\n"));
    ck_assert_ptr_null(strstr(host_stdout(), dropped));
}
END_TEST

START_TEST(each_fit_has_a_file_of_its_own)
{
    struct host *host = host_open("markdown", "path: docs/out.md\n");
    host_fit(host, 3);
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(after(host_file("docs/out.md"), table_of_fit), dropped));
    ck_assert_ptr_nonnull(strstr(after(host_file("docs/out-2.md"), table_of_fit), dropped));
}
END_TEST

START_TEST(a_name_is_not_markup_and_keeps_its_column)
{
    struct host *host = host_open_with("markdown", "", "accounting: false\n");
    int action = sw_action("a|b <i>*x*</i>");
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), action);
    host_wait(host, 5000);
    sw_end(host_profiler(host), action);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "|         | a\\|b &lt;i&gt;\\*x\\*&lt;/i&gt; | "
                                                "5.000\u00b5s         |"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "| Phase   | Action                        | "));
}
END_TEST

START_TEST(all_other_columns_follow_the_standard_ones)
{
    struct host *host = host_open("markdown", "columns: all\n");
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(),
                                 "| Percent of Total   | Samples/Second Unrounded   "
                                 "| Self Time   | Min     | Max     | P50     "
                                 "| P95     | P99     | Overall Samples/Second   |\n"));
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------- */

static void table_log(struct sw_profiler *sw, const char *name, size_t rows)
{
    int64_t id[30] = {1, 2};
    const char *label[30] = {"cat|dog", NULL};
    const struct sw_table_column columns[] = {{"id", SW_I64, id}, {"label", SW_TEXT, label}};
    ck_assert_int_eq(sw_log_table(sw, name, columns, 2, rows), 0);
}

START_TEST(values_are_a_section_after_the_report)
{
    struct host *host = host_open_with("markdown", "path: out.md\n", "accounting: false\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_log_text(sw, "note", "**old**");
    sw_log_text(sw, "note", "# *new*\n\nsecond line");
    table_log(sw, "worst", 2);
    host_fit(host, 3);
    sw_alert(sw, SW_WARNING, "diverged", "loss is\nnan");
    sw_summary(sw, "best", 0.25);
    sw_summary_text(sw, "a|b", "good");
    host_close(host);
    ck_assert_str_eq(after(after(host_file("out.md"), table_of_fit), dropped),
                     "\n## Values\n"
                     "\n### Alerts\n\n"
                     "| Step | Level | Title | Text |\n|---:|:---|:---|:---|\n"
                     "| 2 | warning | diverged | loss is nan |\n"
                     "\n### Summary\n\n| Name | Value |\n|:---|:---|\n"
                     "| best | 0.25 |\n| a\\|b | good |\n"
                     "\n### worst (step 0)\n\n"
                     "| id | label |\n|---:|:---|\n| 1 | cat\\|dog |\n| 2 |  |\n"
                     "\n### note (step 0)\n\n"
                     "> # *new*\n>\n> second line\n");
}
END_TEST

START_TEST(long_texts_and_tables_are_cut)
{
    static char text[5001];
    struct host *host = host_open_with("markdown", "path: out.md\n", "accounting: false\n");
    memset(text, 'x', sizeof text - 1);
    sw_log_text(host_profiler(host), "long", text);
    table_log(host_profiler(host), "rows", 30);
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file("out.md"), "x\n\n\u2026 904 more bytes\n"));
    ck_assert_ptr_nonnull(strstr(host_file("out.md"), "\n\u2026 10 more rows\n"));
}
END_TEST

/* The summary stays: it is that of the run. */
START_TEST(each_fit_has_its_own_values)
{
    struct host *host = host_open_with("markdown", "path: out.md\n", "accounting: false\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_summary(sw, "best", 1);
    sw_log_text(sw, "first", "one");
    host_fit(host, 3);
    sw_begin(sw, SW_FIT);
    sw_log_text(sw, "second", "two");
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file("out.md"), "### first"));
    ck_assert_ptr_null(strstr(host_file("out-2.md"), "### first"));
    ck_assert_ptr_nonnull(strstr(host_file("out-2.md"), "> two"));
    ck_assert_ptr_nonnull(strstr(host_file("out-2.md"), "| best | 1 |"));
}
END_TEST

/* What was printed is not printed again. */
START_TEST(on_stdout_later_values_are_a_section_of_their_own)
{
    struct host *host = host_open_with("markdown", "", "accounting: false\n");
    host_fit(host, 3);
    sw_summary(host_profiler(host), "best", 1);
    host_close(host);
    const char *rest = after(after(host_stdout(), table_of_fit), dropped);
    ck_assert_ptr_nonnull(strstr(rest, "## Values\n\n### Summary\n"));
    ck_assert_ptr_null(strstr(rest, "| Phase"));
}
END_TEST

START_TEST(the_table_of_another_profiler_has_no_values)
{
    struct host *host = host_open("markdown", "style: lightning\npath: out.md\n");
    sw_summary(host_profiler(host), "best", 1);
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_null(strstr(host_file("out.md"), "Values"));
}
END_TEST

SUITE(markdown)
{
    tcase_add_test(tc, the_report_is_a_table_and_the_dropped_batch_a_line_below);
    tcase_add_test(tc, the_accounting_is_a_paragraph_and_no_row_of_the_table);
    tcase_add_test(tc, without_a_dropped_batch_and_accounting_the_table_is_all);
    tcase_add_test(tc, each_fit_has_a_file_of_its_own);
    tcase_add_test(tc, a_name_is_not_markup_and_keeps_its_column);
    tcase_add_test(tc, all_other_columns_follow_the_standard_ones);
    tcase_add_test(tc, values_are_a_section_after_the_report);
    tcase_add_test(tc, long_texts_and_tables_are_cut);
    tcase_add_test(tc, each_fit_has_its_own_values);
    tcase_add_test(tc, on_stdout_later_values_are_a_section_of_their_own);
    tcase_add_test(tc, the_table_of_another_profiler_has_no_values);
}
