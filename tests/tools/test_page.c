/* SPDX-License-Identifier: MIT */
/* stepwatch report --format html: one page that needs nothing else, whatever the run's names are.
 */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };

/* Elements that have no end. */
static bool is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "!doctype") == 0;
}

/* The name of the tag that begins here, in small letters. */
static const char *tag_name(const char *at)
{
    static char name[32];
    size_t i = 0;
    for (; i < sizeof name - 1 && (isalnum((unsigned char)at[i]) || at[i] == '!'); i++)
        name[i] = (char)tolower((unsigned char)at[i]);
    name[i] = '\0';
    return name;
}

/* Every < begins a tag of ours, every tag is closed by its own, and nothing is left open. */
static void is_well_formed(const char *page)
{
    char open[DEPTH][32];
    size_t depth = 0;
    for (const char *at = page; (at = strchr(at, '<')); at++) {
        const char *end = strchr(at, '>');
        ck_assert_msg(end != NULL, "a tag has no end: %.60s", at);
        if (at[1] == '/') {
            ck_assert_msg(depth && strcmp(open[--depth], tag_name(at + 2)) == 0,
                          "%.20s closes what is not open", at);
        } else if (end[-1] != '/' && !is_void(tag_name(at + 1))) {
            ck_assert_msg(*tag_name(at + 1) && depth < DEPTH, "no tag: %.60s", at);
            strcpy(open[depth++], tag_name(at + 1));
        }
    }
    ck_assert_uint_eq(depth, 0);
}

static const char *page_of(const char *log)
{
    char line[128];
    snprintf(line, sizeof line, "report %s --format html >page.html 2>messages.txt #", log);
    ck_assert_int_eq(stepwatch(line), 0);
    const char *page = host_file("page.html");
    is_well_formed(page);
    return page;
}

/* Where it has not, the page is shown. */
static bool has(const char *page, const char *text)
{
    bool found = strstr(page, text) != NULL;
    if (!found)
        fprintf(stderr, "there is no %s in:\n%s", text, page);
    return found;
}

START_TEST(a_page_shows_the_table_and_the_drawings)
{
    run_record(_i ? "regions" : "steps");
    const char *page = page_of("run.jsonl");
    ck_assert(has(page, "<h1>test</h1>"));
    ck_assert(has(page, "<td class=\"name\">draw</td><td>19</td><td>10.00 ms</td>"));
    ck_assert((strstr(page, "<th>Self</th>") != NULL) == _i);
    ck_assert(has(page, ">samples per second</text>"));
    ck_assert(has(page, ">training step</text>"));
    ck_assert(has(page, "<polyline class=\"line\""));
    ck_assert(has(page, "<h3>Where a step of training spends its time</h3>"));
    ck_assert(has(page, "draw</td><td>10.00 ms</td><td>10.0 %</td>"));
    ck_assert(has(page, "rest of batch</td><td>90.00 ms</td><td>90.0 %</td>"));
    ck_assert(has(page, "<h3>How long the calls take</h3>"));
    ck_assert(has(page, ">duration of a call (logarithmic)</text>"));
}
END_TEST

START_TEST(a_page_needs_nothing_from_elsewhere)
{
    run_record("steps");
    const char *page = page_of("run.jsonl");
    ck_assert(has(page, "default-src 'none'; style-src 'unsafe-inline'"));
    ck_assert(has(page, "prefers-color-scheme: dark"));
    static const char *const foreign[] = {"<script", "<link", "<img",   "<iframe", "@import",
                                          "url(",    "http:", "https:", " href=",  " src="};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        ck_assert_ptr_null(strstr(page, foreign[i]));
}
END_TEST

/* A name as the log has it, and as a reader sees it. */
static const struct {
    const char *json;
    const char *shown;
} names[] = {
    {"<script>alert(1)</script>", "&#60;script&#62;alert(1)&#60;/script&#62;"},
    {"</td></table><h1>", "&#60;/td&#62;&#60;/table&#62;&#60;h1&#62;"},
    {"a\\\" onload=\\\"b", "a&#34; onload=&#34;b"},
    {"it's `here` & there", "it&#39;s &#96;here&#96; &#38; there"},
    {"\\u001b[31mred", "\\x1b[31mred"},
    {"a\\u202egnp", "a\\u{202e}gnp"},
    {"two\\nlines", "two\\x0alines"},
    {"\\u0080\\u2066", "\\u{80}\\u{2066}"},
    {"größe 😀", "größe 😀"},
    {"$HOME ${HOME}", "$HOME ${HOME}"},
};

static void write_log(const char *name)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"type\":\"run\",\"version\":1,\"started\":0,\"name\":\"%s\",\"program\":\"%s\","
        "\"host\":\"%s\",\"mode\":\"simple\",\"drop_first_batch\":false,\"detail\":\"regions\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"draw\"}\n"
        "{\"type\":\"end\",\"t\":10,\"action\":\"draw\"}\n"
        "{\"type\":\"begin\",\"t\":10,\"action\":\"batch\"}\n"
        "{\"type\":\"begin\",\"t\":10,\"action\":\"%s\"}\n"
        "{\"type\":\"end\",\"t\":20,\"action\":\"%s\"}\n"
        "{\"type\":\"end\",\"t\":30,\"action\":\"batch\",\"samples\":4}\n"
        "{\"type\":\"finish\",\"t\":30}\n",
        name, name, name, name, name);
    file_write("names.jsonl", text);
}

START_TEST(a_name_is_text_and_never_markup)
{
    char heading[256], cell[256];
    run_record("steps");
    write_log(names[_i].json);
    const char *page = page_of("names.jsonl");
    snprintf(heading, sizeof heading, "<h1>%s</h1>", names[_i].shown);
    ck_assert(has(page, heading));
    snprintf(cell, sizeof cell, "<td class=\"name\">%s</td>", names[_i].shown);
    ck_assert(has(page, cell));
    for (const unsigned char *c = (const unsigned char *)page; *c; c++)
        ck_assert_msg(*c == '\n' || (*c >= 0x20 && *c != 0x7f), "there is a byte %02x", *c);
}
END_TEST

START_TEST(own_actions_are_parts_of_a_step_where_the_log_has_every_region)
{
    run_record("steps");
    write_log("augment");
    const char *page = page_of("names.jsonl");
    ck_assert(has(page, "augment</td><td>10.00 ns</td><td>33.3 %</td>"));
    ck_assert(has(page, "rest of batch</td><td>10.00 ns</td><td>33.3 %</td>"));
}
END_TEST

/* The first draw starts the loader. Each step draws for 30 ns, of which the loader takes 20, and
 * has a batch of 10 ns. */
static void loading_record(const char *detail)
{
    struct host *host = host_open_log(detail, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 5; i++) {
        sw_begin(sw, SW_DRAW);
        sw_begin(sw, sw_action("load"));
        sw_count(sw, sw_counter("files"), 2);
        sw_begin(sw, sw_action("decode"));
        host_wait(host, i ? 5 : 1000);
        sw_end(sw, sw_action("decode"));
        host_wait(host, 15);
        sw_end(sw, sw_action("load"));
        host_wait(host, 10);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, sw_action("load"));
        host_wait(host, 4);
        sw_end(sw, sw_action("load"));
        host_wait(host, 6);
        sw_end_batch(sw, 8);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
}

START_TEST(own_actions_in_a_draw_are_parts_of_it)
{
    loading_record("regions");
    const char *page = page_of("run.jsonl");
    ck_assert(has(page, "draw</td><td>10.00 ns</td><td>25.0 %</td>"));
    ck_assert(has(page, "load</td><td>19.00 ns</td><td>47.5 %</td>"));
    ck_assert(has(page, "decode</td><td>5.000 ns</td><td>12.5 %</td>"));
    ck_assert(has(page, "rest of batch</td><td>6.000 ns</td><td>15.0 %</td>"));
}
END_TEST

START_TEST(own_actions_in_a_draw_are_in_the_report_of_the_log)
{
    static const char *const details[] = {"regions", "steps"};
    loading_record(details[_i]);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --format csv run.jsonl"), 0);
    assert_printed("\ntrain,load,1.2e-08,"); /* the mean of 4 calls of 20 ns, 4 of 4 ns */
    assert_printed("\ntrain,decode,5e-09,");
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    assert_printed("\"files\"");
}
END_TEST

START_TEST(a_cut_log_gives_a_page_that_says_where_it_ends)
{
    run_record("steps");
    const char *report = strstr(host_file("run.jsonl"), "{\"type\":\"report\"");
    ck_assert_ptr_nonnull(report);
    run_cut("cut.jsonl", strlen(report) + 40);
    const char *page = page_of("cut.jsonl");
    ck_assert(has(page, "<p class=\"note\">The run did not finish: its log ends within line "));
    ck_assert(has(host_file("messages.txt"),
                  "cut.jsonl: the run did not finish; its log ends within line "));
}
END_TEST

START_TEST(several_runs_are_one_page)
{
    run_record("steps");
    write_log("other");
    const char *page = page_of("run.jsonl names.jsonl");
    ck_assert(has(page, "<h1>test</h1>"));
    ck_assert(has(page, "<h1>other</h1>"));
    ck_assert_ptr_null(strstr(strstr(page, "<html") + 1, "<html"));
}
END_TEST

START_TEST(a_log_without_steps_gives_a_page_without_drawings)
{
    run_record("steps");
    file_write("empty.jsonl", "{\"type\":\"run\",\"version\":1,\"started\":0}\n");
    const char *page = page_of("empty.jsonl");
    ck_assert_ptr_null(strstr(page, "<svg"));
}
END_TEST

/* Two steps of as many samples in as many seconds, from this step on. */
static const char *page_of_two(long step, long samples, long seconds)
{
    FILE *log = fopen("two.jsonl", "w");
    ck_assert_ptr_nonnull(log);
    fputs("{\"type\":\"run\",\"version\":1,\"started\":0,\"detail\":\"steps\"}\n", log);
    for (long i = 0; i < 2; i++)
        fprintf(log,
                "{\"type\":\"step\",\"t\":%ld000000000,\"step\":%ld,\"phase\":\"train\","
                "\"samples\":%ld,\"durations\":{\"batch\":%ld000000000}}\n",
                (i + 1) * seconds, step + i, samples, seconds);
    fclose(log);
    return page_of("two.jsonl");
}

START_TEST(an_axis_has_labels_that_differ_however_small_or_large_its_numbers)
{
    run_record("steps");
    const char *page = page_of_two(10000000, 8, 20);
    ck_assert(has(page, ">0.0</text>"));
    ck_assert(has(page, ">0.4</text>"));
    ck_assert(has(page, ">10,000,001</text>"));
    page = page_of_two(0, 3000000000, 1);
    ck_assert(has(page, ">1 G</text>"));
    ck_assert(has(page, ">3 G</text>"));
}
END_TEST

/* A long run: more steps than points, more than are kept. */
START_TEST(a_long_run_is_drawn_by_a_sample_of_its_steps)
{
    enum { STEPS = 80000 };
    run_record("steps");
    FILE *log = fopen("long.jsonl", "w");
    ck_assert_ptr_nonnull(log);
    fputs("{\"type\":\"run\",\"version\":1,\"started\":0,\"detail\":\"steps\"}\n", log);
    for (int i = 0; i < STEPS; i++)
        fprintf(log,
                "{\"type\":\"step\",\"t\":%d,\"step\":%d,\"phase\":\"train\",\"samples\":1,"
                "\"durations\":{\"draw\":400,\"batch\":600}}\n",
                (i + 1) * 1000, i);
    fclose(log);
    const char *page = page_of("long.jsonl");
    ck_assert(has(page, "Line: the median of 334 steps in a row."));
    ck_assert(has(page, "Of the 80000 steps, one of 4 is drawn, chosen at random."));
}
END_TEST

/* A loop that waits for its data, and logs two losses and a rate. */
static void waiting_record(void)
{
    struct host *host = host_open_log("steps", "");
    struct sw_profiler *sw = host_profiler(host);
    sw_hparam_string(sw, "optimizer", "<sgd>");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 60; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, 1000000 + 10 * (i * 7 % 11));
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_BATCH);
        host_wait(host, 3000000 + 10 * (i * 5 % 13));
        sw_log(sw, "train/loss", 2.0 / (i + 1));
        sw_log(sw, "valid/loss", 2.2 / (i + 1));
        sw_log(sw, "lr", 1e-3);
        sw_end_batch(sw, 32);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
}

static int times_in(const char *text, const char *part)
{
    int times = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        times++;
    return times;
}

START_TEST(a_page_shows_findings_metrics_and_the_configuration)
{
    waiting_record();
    const char *page = page_of("run.jsonl");
    ck_assert_ptr_nonnull(strstr(page, "<strong>input-bound</strong>"));
    ck_assert_ptr_nonnull(strstr(page, "Training waits for data: draw takes 25 % of a step."));
    ck_assert_ptr_nonnull(strstr(page, "<summary> What was looked at</summary>"));
    ck_assert_ptr_nonnull(
        strstr(page, "<td class=\"name\">optimizer</td><td class=\"why\">&#60;sgd&#62;"));
    ck_assert_int_eq(times_in(page, "<figure class=\"small\">"), 2);
    ck_assert_int_eq(times_in(page, "<polyline class=\"curve l1\""), 1);
    ck_assert_ptr_nonnull(strstr(page, "</span>train/loss 0.03333</span>"));
    ck_assert_ptr_nonnull(strstr(page, "</span>valid/loss 0.03667</span>"));
}
END_TEST

START_TEST(findings_are_in_the_json_of_a_report)
{
    waiting_record();
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    assert_printed("\"findings\": [\n            {\n              \"id\": \"input-bound\",");
}
END_TEST

SUITE(page)
{
    tcase_add_test(tc, a_page_shows_findings_metrics_and_the_configuration);
    tcase_add_test(tc, findings_are_in_the_json_of_a_report);
    tcase_add_loop_test(tc, a_page_shows_the_table_and_the_drawings, 0, 2);
    tcase_add_test(tc, a_page_needs_nothing_from_elsewhere);
    tcase_add_loop_test(tc, a_name_is_text_and_never_markup, 0,
                        (int)(sizeof names / sizeof *names));
    tcase_add_test(tc, own_actions_are_parts_of_a_step_where_the_log_has_every_region);
    tcase_add_test(tc, own_actions_in_a_draw_are_parts_of_it);
    tcase_add_loop_test(tc, own_actions_in_a_draw_are_in_the_report_of_the_log, 0, 2);
    tcase_add_test(tc, a_cut_log_gives_a_page_that_says_where_it_ends);
    tcase_add_test(tc, several_runs_are_one_page);
    tcase_add_test(tc, a_log_without_steps_gives_a_page_without_drawings);
    tcase_add_test(tc, an_axis_has_labels_that_differ_however_small_or_large_its_numbers);
    tcase_add_test(tc, a_long_run_is_drawn_by_a_sample_of_its_steps);
}
