/* SPDX-License-Identifier: MIT */
/* Values in a run log: what its lines say, that a replay gives the same, and what the page shows.
 */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stepwatch/monitor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct sw_rule rule = {
    .size = sizeof rule, .axis = "epoch", .keep = SW_KEEP_MAX | SW_KEEP_LAST, .goal = SW_GOAL_MAX};

static void values_log(struct sw_profiler *sw)
{
    const uint8_t pixels[] = {0, 255, 1, 2, 3, 4};
    const int64_t id[] = {1, 2};
    const double p[] = {0.9, NAN};
    const char *label[] = {"a<b>", NULL};
    const bool ok[] = {true, false};
    const struct sw_table_column columns[] = {
        {"id", SW_I64, id}, {"p", SW_F64, p}, {"label", SW_TEXT, label}, {"ok", SW_BOOL, ok}};
    const struct sw_bin bins[] = {{0, 0.5, 10}, {1, 2, 20}};
    sw_alert(sw, SW_WARNING, "looked at", "step 1");
    sw_log_text(sw, "note", "<script>**x**</script>");
    sw_log_bins(sw, "w", bins, 2);
    sw_log_table(sw, "worst", columns, 4, 2);
    sw_log_image(sw, "a/../b c", SW_U8, pixels, 2, 1, 3, "a \"caption\"");
}

static void file_log(struct sw_profiler *sw, const char *content)
{
    const char *const aliases[] = {"best", NULL};
    const struct sw_file file = {
        .size = sizeof file, .name = "weights", .type = "model", .aliases = aliases};
    file_write("model.bin", content);
    sw_log_file(sw, "model.bin", &file);
    remove("model.bin");
}

/* A run of two steps with values before, within, between and after them. */
static void run_log(const char *options)
{
    struct host *host = host_open("runlog", options);
    struct sw_profiler *sw = host_profiler(host);
    sw_define(sw, "valid/*", &rule);
    sw_log_text(sw, "before", "a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        host_wait(host, 10);
        if (i == 1)
            values_log(sw);
        host_wait(host, 10);
        sw_end_batch(sw, 1);
    }
    file_log(sw, "one");
    file_log(sw, "two");
    file_log(sw, "two");
    sw_end(sw, SW_FIT);
    sw_summary(sw, "best", 0.6);
    sw_summary_text(sw, "state", "done & over");
    sw_log_line(sw, SW_WARNING, "a line");
    host_close(host);
}

/* The lines of values of a log, in a buffer that is used again. */
static const char *values_of(const char *log)
{
    static char kept[2][1 << 16];
    static int turn;
    char *to = kept[turn ^= 1];
    const char *text = host_file(log);
    to[0] = '\0';
    while (*text) {
        int length = (int)strcspn(text, "\n") + 1;
        static const char *const types[] = {"value\"", "rule\"", "summary\"", "line\"", "alert\""};
        bool keep = false;
        for (size_t i = 0; i < 5; i++)
            keep = keep || strncmp(text + 9, types[i], strlen(types[i])) == 0;
        snprintf(to + strlen(to), sizeof kept[0] - strlen(to), "%.*s", keep ? length : 0, text);
        text += length;
    }
    return to;
}

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "expected %s in:\n%.3000s", part, text);
}

START_TEST(a_value_is_a_line_and_what_is_large_a_file_beside_the_log)
{
    run_log("path: run.jsonl\n");
    const char *lines = values_of("run.jsonl");
    assert_has(lines, "{\"type\":\"rule\",\"pattern\":\"valid/*\",\"axis\":\"epoch\",\"keep\":["
                      "\"last\",\"max\"],\"goal\":\"max\",\"hidden\":false,\"unit\":\"\","
                      "\"description\":\"\"}\n");
    assert_has(lines, "\"step\":0,\"kind\":\"text\",\"name\":\"before\",\"text\":\"a\"}\n");
    assert_has(lines, "{\"type\":\"value\",\"t\":30,\"step\":1,\"kind\":\"text\",\"name\":\"note\","
                      "\"text\":\"<script>**x**</script>\"}\n");
    assert_has(lines, "\"kind\":\"histogram\",\"name\":\"w\",\"edges\":[0.0,0.5,1.0,2.0],"
                      "\"counts\":[10,0,20],\"nonfinite\":0}\n");
    assert_has(lines, "\"kind\":\"table\",\"name\":\"worst\",\"columns\":[{\"name\":\"id\","
                      "\"type\":\"int\"},{\"name\":\"p\",\"type\":\"float\"},{\"name\":\"label\","
                      "\"type\":\"text\"},{\"name\":\"ok\",\"type\":\"bool\"}],\"rows\":[[1,0.9,"
                      "\"a<b>\",true],[2,null,null,false]]}\n");
    assert_has(lines, "\"pictures\":[{\"width\":2,\"height\":1,\"format\":\"png\",\"bytes\":");
    assert_has(lines, "\"file\":\"media/a/__/b c_1_");
    assert_has(lines, ".png\",\"caption\":\"a \\\"caption\\\"\"}]}\n");
    assert_has(lines, "\"kind\":\"file\",\"name\":\"weights\",\"artifact\":\"model\",\"aliases\":["
                      "\"best\"],\"path\":\"model.bin\",\"bytes\":3,\"sha256\":");
    assert_has(lines, "\"file\":\"files/model.bin\"}\n");
    assert_has(lines, "{\"type\":\"summary\",\"name\":\"best\",\"value\":0.6}\n");
    assert_has(lines, "{\"type\":\"line\",\"t\":60,\"level\":\"warning\",\"text\":\"a line\"}\n");
    ck_assert_str_eq(host_file("run.jsonl.files/files/model.bin"), "one");
    ck_assert_str_eq(host_file("run.jsonl.files/files/3fc4ccfe745870e2c0d9/model.bin"), "two");
}
END_TEST

START_TEST(a_replay_gives_the_same_lines_and_files)
{
    static const char *const details[] = {"steps", "regions", "metrics"};
    char options[128];
    snprintf(options, sizeof options, "path: run.jsonl\ndetail: %s\n", details[_i]);
    run_log(options);
    file_write("again.yaml", "profiler: {show_report: false}\n"
                             "logger_callback: {runlog: {path: again.jsonl}}\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config again.yaml"), 0);
    char *expected = strdup(values_of("run.jsonl")), *again = strdup(values_of("again.jsonl"));
    /* Where it was opened is another path, and the loop's last time may be earlier. */
    for (char *at; (at = strstr(expected, "\"path\":\"model.bin\""));)
        memmove(at, at + 18, strlen(at + 18) + 1);
    for (char *at; (at = strstr(again, "\"path\":\"/proc"));) {
        size_t length = strcspn(at + 8, "\"") + 9;
        memmove(at, at + length, strlen(at + length) + 1);
    }
    if (_i < 2)
        ck_assert_str_eq(again, expected);
    else
        ck_assert_uint_eq(strlen(again) > 1000, 1);
    free(expected);
    free(again);
    ck_assert_str_eq(host_file("again.jsonl.files/files/model.bin"), "one");
}
END_TEST

START_TEST(a_replay_compares_values_by_kind_and_hash)
{
    run_log("path: run.jsonl\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    ck_assert_int_eq(rename("run.jsonl.files", "elsewhere"), 0);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 1);
    assert_printed("1 picture is not in the log and not in run.jsonl.files: left out");
    assert_printed("pictures a/../b c sha256 ");
}
END_TEST

START_TEST(inline_needs_no_files_and_none_has_none)
{
    run_log("path: inline.jsonl\nvalues: inline\n");
    ck_assert(!host_has("inline.jsonl.files"));
    assert_has(values_of("inline.jsonl"), "\"base64\":\"iVBORw0KGgo");
    ck_assert_int_eq(stepwatch("replay inline.jsonl --verify"), 0);
    run_log("path: none.jsonl\nvalues: none\n");
    ck_assert(!host_has("none.jsonl.files"));
    ck_assert_ptr_eq(strstr(values_of("none.jsonl"), "\"file\":"), NULL);
    ck_assert_int_eq(stepwatch("replay none.jsonl --verify"), 0);
}
END_TEST

START_TEST(a_log_can_name_no_file_outside_of_its_folder)
{
    static const char *const names[] = {"../secret", "/etc/hostname", "link", "linked/secret", "",
                                        ".",         "a/../../secret"};
    char line[256];
    scratch_enter();
    FILE *log = fopen("evil.jsonl", "w");
    fputs("{\"type\":\"run\",\"version\":1,\"started\":0,\"name\":\"x\",\"mode\":\"simple\"}\n",
          log);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line,
                 "{\"type\":\"value\",\"t\":1,\"step\":0,\"kind\":\"file\",\"name\":\"n\","
                 "\"file\":\"%s\"}\n",
                 names[i]);
        fputs(line, log);
    }
    fclose(log);
    mkdir("evil.jsonl.files", 0700);
    file_write("secret", "s");
    remove("evil.jsonl.files/link");
    remove("evil.jsonl.files/linked");
    ck_assert_int_eq(symlink("../secret", "evil.jsonl.files/link"), 0);
    ck_assert_int_eq(symlink("..", "evil.jsonl.files/linked"), 0);
    file_write("again.yaml", "profiler: {show_report: false}\n"
                             "logger_callback: {runlog: {path: again.jsonl}}\n");
    ck_assert_int_eq(stepwatch("replay evil.jsonl --config again.yaml"), 0);
    assert_printed("7 files are not in the log and not in evil.jsonl.files: left out");
}
END_TEST

START_TEST(the_page_shows_each_value_and_nothing_of_it_is_markup)
{
    run_log("path: run.jsonl\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format html >page.html 2>messages.txt #"), 0);
    const char *page = host_file("page.html");
    assert_has(page,
               "<h4>note <small>step 1</small></h4>\n<pre>&#60;script&#62;**x**&#60;/script&#62;"
               "</pre>\n");
    assert_has(page, "<td class=\"name\">a&#60;b&#62;</td>");
    assert_has(page, "src=\"data:image/png;base64,iVBORw0KGgo");
    assert_has(page, "<p>30 values from 0 to 2</p>\n<figure><svg");
    assert_has(page, "<th class=\"name\">state</th><td class=\"name\">done &#38; over</td>");
    assert_has(page, "files/3fc4ccfe745870e2c0d9/model.bin, 3 bytes, SHA-256 3fc4ccfe");
    ck_assert_ptr_eq(strstr(page, "<script"), NULL);
}
END_TEST

START_TEST(a_report_in_markdown_has_a_section_of_values)
{
    run_log("path: run.jsonl\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format markdown >report.md 2>messages.txt #"),
                     0);
    const char *report = host_file("report.md");
    assert_has(report, "## Values\n\n### Alerts\n\n| Step | Level | Title | Text |\n"
                       "|---:|:---|:---|:---|\n| 1 | warning | looked at | step 1 |\n\n"
                       "### Summary\n\n| Name | Value |\n|:---|:---|\n| best | 0.6 |\n"
                       "| state | done &amp; over |\n");
    assert_has(report, "### worst (step 1)\n\n| id | p | label | ok |\n|---:|---:|:---|:---|\n"
                       "| 1 | 0.9 | a&lt;b&gt; | true |\n| 2 |  |  | false |\n");
    assert_has(report, "### note (step 1)\n\n> <script>**x**</script>\n");
}
END_TEST

/* Gives a line of run.jsonl another step, and replays that. Returns the log of the replay. */
static const char *replayed_with_step(const char *line, const char *step)
{
    char command[128];
    snprintf(command, sizeof command, "sed -i '/%s/s/\"step\":[0-9]*/\"step\":%s/' run.jsonl", line,
             step);
    ck_assert_int_eq(system(command), 0);
    file_write("again.yaml", "profiler: {show_report: false}\n"
                             "logger_callback: {runlog: {path: again.jsonl}}\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config again.yaml"), 0);
    return host_file("again.jsonl");
}

/* A program logs a sample while another of its threads ends steps, so the line may come late. */
START_TEST(a_replayed_sample_has_its_own_step)
{
    static const char *const name = "room/celsius";
    struct host *host = host_open_log("steps", "");
    for (int i = 0; i < 3; i++)
        host_metric(host, i, "loss", 1);
    sw_log_sample(host_profiler(host), &name, &(double){21.5}, 1);
    host_close(host);
    assert_has(replayed_with_step("celsius", "1"), "\"step\":1,\"name\":\"room/celsius\"");
}
END_TEST

/* Of a program without steps, and of one that gives steps of its own during its steps. */
START_TEST(a_replay_gives_values_the_steps_that_were_not_the_loops)
{
    struct host *host = host_open_log("steps", "");
    sw_log(host_profiler(host), "residual", 1);
    sw_log(host_profiler(host), "residual", 0.5);
    sw_log_text(host_profiler(host), "note", "half");
    for (int i = 0; i < 3; i++)
        host_metric(host, i, "loss", 1);
    sw_log_at(host_profiler(host), "score", 1, 1);
    sw_log_at(host_profiler(host), "score", 2, 1000);
    host_close(host);
    const char *replayed = replayed_with_step("not there", "0");
    assert_has(replayed, "\"step\":0,\"name\":\"residual\",\"value\":1.0,\"own_step\":true}");
    assert_has(replayed, "\"step\":1,\"name\":\"residual\",\"value\":0.5,\"own_step\":true}");
    assert_has(replayed, "\"step\":1,\"kind\":\"text\",\"name\":\"note\",\"own_step\":true,");
    assert_has(replayed, "\"step\":1,\"name\":\"score\",\"value\":1.0,\"own_step\":true}");
    assert_has(replayed, "\"step\":1000,\"name\":\"score\",\"value\":2.0,\"own_step\":true}");
    assert_has(replayed, "\"step\":2,\"name\":\"loss\",\"value\":1.0}");
}
END_TEST

START_TEST(a_step_that_no_run_can_have_is_the_last_one)
{
    struct host *host = host_open_log("steps", "");
    sw_alert(host_profiler(host), SW_WARNING, "looked at", "");
    host_close(host);
    assert_has(replayed_with_step("looked at", "9223372036854775807"),
               "\"step\":4503599627370495,");
}
END_TEST

SUITE(log_values)
{
    tcase_add_test(tc, a_replayed_sample_has_its_own_step);
    tcase_add_test(tc, a_replay_gives_values_the_steps_that_were_not_the_loops);
    tcase_add_test(tc, a_step_that_no_run_can_have_is_the_last_one);
    tcase_add_test(tc, a_value_is_a_line_and_what_is_large_a_file_beside_the_log);
    tcase_add_loop_test(tc, a_replay_gives_the_same_lines_and_files, 0, 3);
    tcase_add_test(tc, a_replay_compares_values_by_kind_and_hash);
    tcase_add_test(tc, inline_needs_no_files_and_none_has_none);
    tcase_add_test(tc, a_log_can_name_no_file_outside_of_its_folder);
    tcase_add_test(tc, the_page_shows_each_value_and_nothing_of_it_is_markup);
    tcase_add_test(tc, a_report_in_markdown_has_a_section_of_values);
}
