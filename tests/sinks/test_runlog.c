/* SPDX-License-Identifier: MIT */
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const steps = "path: run.jsonl\n";
static const char *const regions = "path: run.jsonl\ndetail: regions\n";
static const char *const metrics = "path: run.jsonl\ndetail: metrics\n";

/* The lines of the log except `run`, which describes the machine, and `finding` and `report`, which
 * have tests of their own. */
static const char *lines(void)
{
    static char kept[65536];
    const char *text = host_file("run.jsonl");
    kept[0] = '\0';
    while (*text) {
        int length = (int)strcspn(text, "\n") + 1;
        bool skip = strncmp(text, "{\"type\":\"run\"", 13) == 0 ||
                    strncmp(text, "{\"type\":\"finding\"", 17) == 0 ||
                    strncmp(text, "{\"type\":\"report\"", 16) == 0;
        snprintf(kept + strlen(kept), sizeof kept - strlen(kept), "%.*s", skip ? 0 : length, text);
        text += length;
    }
    return kept;
}

/* The n-th line of a type, from 0; the caller's. */
static json_t *line_of(const char *type, int n)
{
    const char *text = host_file("run.jsonl");
    while (*text) {
        size_t length = strcspn(text, "\n");
        json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
        ck_assert_msg(line != NULL, "no JSON: %.*s", (int)length, text);
        if (strcmp(json_string_value(json_object_get(line, "type")), type) == 0 && n-- == 0)
            return line;
        json_decref(line);
        text += length + 1;
    }
    ck_abort_msg("there are not so many lines of type %s", type);
}

static const char *string_of(const json_t *line, const char *key)
{
    return json_string_value(json_object_get(line, key));
}

static double number_of(const json_t *line, const char *key)
{
    ck_assert_msg(json_is_number(json_object_get(line, key)), "%s is not a number", key);
    return json_number_value(json_object_get(line, key));
}

/* ---- what the loop did ----------------------------------------------------------------------- */

START_TEST(steps_and_marks_are_enough_to_make_the_report_again)
{
    struct host *host = host_open("runlog", steps);
    host_fit(host, 2);
    host_close(host);
    ck_assert_str_eq(
        lines(), "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
                 "{\"type\":\"begin\",\"t\":0,\"action\":\"epoch\"}\n"
                 "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
                 "{\"type\":\"step\",\"t\":100000000,\"step\":0,\"phase\":\"train\",\"samples\":64,"
                 "\"durations\":{\"draw\":10000000,\"batch\":90000000}}\n"
                 "{\"type\":\"step\",\"t\":200000000,\"step\":1,\"phase\":\"train\",\"samples\":64,"
                 "\"durations\":{\"draw\":10000000,\"batch\":90000000}}\n"
                 "{\"type\":\"end\",\"t\":200000000,\"action\":\"train\"}\n"
                 "{\"type\":\"begin\",\"t\":200000000,\"action\":\"valid\"}\n"
                 "{\"type\":\"step\",\"t\":300000000,\"step\":1,\"phase\":\"valid\",\"samples\":64,"
                 "\"durations\":{\"draw\":10000000,\"batch\":90000000}}\n"
                 "{\"type\":\"end\",\"t\":300000000,\"action\":\"valid\"}\n"
                 "{\"type\":\"end\",\"t\":300000000,\"action\":\"epoch\"}\n"
                 "{\"type\":\"end\",\"t\":300000000,\"action\":\"fit\"}\n"
                 "{\"type\":\"finish\",\"t\":300000000,\"exit_status\":0,\"signal\":0,"
                 "\"interrupted\":false}\n");
}
END_TEST

START_TEST(the_number_of_steps_that_are_expected_is_a_line_when_it_changes)
{
    struct host *host = host_open("runlog", metrics);
    sw_expect_steps(host_profiler(host), 10);
    host_metric(host, 0, "a", 1);
    host_metric(host, 1, "a", 1);
    host_wait(host, 5);
    sw_expect_steps(host_profiler(host), 20);
    host_metric(host, 2, "a", 1);
    host_close(host);
    ck_assert_str_eq(lines(),
                     "{\"type\":\"expect\",\"t\":0,\"steps\":10}\n"
                     "{\"type\":\"metric\",\"t\":0,\"step\":0,\"name\":\"a\",\"value\":1.0}\n"
                     "{\"type\":\"metric\",\"t\":0,\"step\":1,\"name\":\"a\",\"value\":1.0}\n"
                     "{\"type\":\"expect\",\"t\":5,\"steps\":20}\n"
                     "{\"type\":\"metric\",\"t\":5,\"step\":2,\"name\":\"a\",\"value\":1.0}\n"
                     "{\"type\":\"finish\",\"t\":5,\"exit_status\":0,\"signal\":0,"
                     "\"interrupted\":false}\n");
}
END_TEST

static void spend(struct host *host, int action, int64_t ns)
{
    sw_begin(host_profiler(host), action);
    host_wait(host, ns);
    sw_end(host_profiler(host), action);
}

START_TEST(an_action_that_ran_twice_in_a_step_has_a_list)
{
    struct host *host = host_open("runlog", steps);
    int augment = sw_action("augment");
    sw_begin(host_profiler(host), SW_BATCH);
    spend(host, augment, 3);
    spend(host, SW_LOSS, 5);
    spend(host, augment, 4);
    sw_end_batch(host_profiler(host), 8);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(lines(), "\"durations\":{\"augment\":[3,4],\"batch\":12}}\n"));
}
END_TEST

/* Apart from what ran in the batch, under the same names. */
START_TEST(what_ran_in_a_draw_is_with_its_step)
{
    struct host *host = host_open("runlog", steps);
    struct sw_profiler *sw = host_profiler(host);
    int load = sw_action("load"), decode = sw_action("decode");
    spend(host, load, 9); /* before the step */
    sw_begin(sw, SW_DRAW);
    sw_begin(sw, load);
    spend(host, decode, 3);
    host_wait(host, 4);
    sw_end(sw, load);
    spend(host, load, 2);
    host_wait(host, 1);
    sw_next(sw, SW_BATCH);
    spend(host, load, 5);
    sw_end_batch(sw, 8);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(lines(),
                                 "\"durations\":{\"draw\":10,\"load\":5,\"batch\":5},"
                                 "\"in_draw\":{\"durations\":{\"decode\":3,\"load\":[7,2]},"
                                 "\"self\":{\"load\":[4,2]}}}\n"));
}
END_TEST

START_TEST(a_cancelled_batch_has_no_samples_and_keeps_what_ended_in_it)
{
    struct host *host = host_open_with("runlog", steps, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    spend(host, SW_DRAW, 1);
    sw_begin(sw, SW_BATCH);
    spend(host, SW_FORWARD, 2);
    sw_begin(sw, SW_LOSS);
    sw_cancel(sw, SW_BATCH);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(lines(), "\"phase\":\"train\",\"samples\":-1,\"durations\":"
                                          "{\"draw\":1,\"forward\":2}}\n"));
}
END_TEST

START_TEST(regions_are_every_begin_end_and_cancel)
{
    struct host *host = host_open("runlog", regions);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    spend(host, SW_DRAW, 1);
    sw_begin(sw, SW_BATCH);
    spend(host, sw_action("augment"), 2);
    sw_end_batch(sw, 7);
    sw_begin(sw, SW_DRAW);
    host_wait(host, 3);
    sw_cancel(sw, SW_DRAW);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_str_eq(lines(), "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
                              "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
                              "{\"type\":\"begin\",\"t\":0,\"action\":\"draw\"}\n"
                              "{\"type\":\"end\",\"t\":1,\"action\":\"draw\"}\n"
                              "{\"type\":\"begin\",\"t\":1,\"action\":\"batch\"}\n"
                              "{\"type\":\"begin\",\"t\":1,\"action\":\"augment\"}\n"
                              "{\"type\":\"end\",\"t\":3,\"action\":\"augment\"}\n"
                              "{\"type\":\"end\",\"t\":3,\"action\":\"batch\",\"samples\":7}\n"
                              "{\"type\":\"begin\",\"t\":3,\"action\":\"draw\"}\n"
                              "{\"type\":\"cancel\",\"t\":6,\"action\":\"draw\"}\n"
                              "{\"type\":\"end\",\"t\":6,\"action\":\"train\"}\n"
                              "{\"type\":\"end\",\"t\":6,\"action\":\"fit\"}\n"
                              "{\"type\":\"finish\",\"t\":6,\"exit_status\":0,\"signal\":0,"
                              "\"interrupted\":false}\n");
}
END_TEST

START_TEST(another_thread_has_its_number)
{
    struct host *host = host_open("runlog", regions);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_set_thread(sw, 1);
    spend(host, sw_action("decode"), 4);
    sw_set_thread(sw, 0);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(
        strstr(lines(), "{\"type\":\"begin\",\"t\":0,\"action\":\"decode\",\"thread\":1}\n"));
    ck_assert_ptr_nonnull(
        strstr(lines(), "{\"type\":\"end\",\"t\":4,\"action\":\"decode\",\"thread\":1}\n"));
}
END_TEST

START_TEST(a_pause_is_recorded_where_it_was)
{
    struct host *host = host_open("runlog", _i ? regions : steps);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    host_wait(host, 1);
    sw_pause(sw);
    host_wait(host, 2);
    sw_resume(sw);
    host_wait(host, 3);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_str_eq(lines(), "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
                              "{\"type\":\"pause\",\"t\":1}\n"
                              "{\"type\":\"resume\",\"t\":3}\n"
                              "{\"type\":\"end\",\"t\":6,\"action\":\"fit\"}\n"
                              "{\"type\":\"finish\",\"t\":6,\"exit_status\":0,\"signal\":0,"
                              "\"interrupted\":false}\n");
}
END_TEST

START_TEST(metrics_are_the_results_alone)
{
    struct host *host = host_open("runlog", metrics);
    host_metric(host, 3, "train/loss", 0.5);
    host_close(host);
    ck_assert_str_eq(lines(), "{\"type\":\"metric\",\"t\":0,\"step\":3,\"name\":\"train/loss\","
                              "\"value\":0.5}\n"
                              "{\"type\":\"finish\",\"t\":0,\"exit_status\":0,\"signal\":0,"
                              "\"interrupted\":false}\n");
}
END_TEST

/* ---- values and names ------------------------------------------------------------------------ */

static const struct {
    double value;
    const char *text;
} values[] = {
    {0.1, "0.1"},
    {-0.0, "-0.0"},
    {5e-324, "5e-324"},
    {1e308, "1e+308"},
    {NAN, "\"NaN\""},
    {INFINITY, "\"Infinity\""},
    {-INFINITY, "\"-Infinity\""},
};

START_TEST(a_value_is_kept_whatever_it_is)
{
    char expected[128];
    struct host *host = host_open("runlog", metrics);
    host_metric(host, INT64_C(1) << 52, "x", values[_i].value);
    host_close(host);
    snprintf(expected, sizeof expected, "\"step\":4503599627370496,\"name\":\"x\",\"value\":%s}\n",
             values[_i].text);
    ck_assert_ptr_nonnull(strstr(lines(), expected));
}
END_TEST

START_TEST(a_name_is_valid_json_whatever_it_is)
{
    struct host *host = host_open("runlog", steps);
    struct sw_profiler *sw = host_profiler(host);
    sw_hparam_string(sw, "na\"me", "C:\\x\n\033[2J\u202e");
    sw_begin(sw, SW_BATCH);
    spend(host, sw_action("bad\xff"), 1);
    spend(host, sw_action("bad\xfe"), 2);
    sw_end_batch(sw, 1);
    host_close(host);
    json_t *config = line_of("config", 0);
    ck_assert_str_eq(string_of(config, "name"), "na\"me");
    ck_assert_str_eq(string_of(config, "value"), "C:\\x\n\033[2J\u202e");
    json_decref(config);
    ck_assert_ptr_null(strchr(lines(), '\033'));
    ck_assert_ptr_nonnull(strstr(lines(), "{\"bad\\\\xff\":1,\"bad\\\\xfe\":2,\"batch\":3}"));
}
END_TEST

START_TEST(hyper_parameters_keep_their_type)
{
    struct host *host = host_open("runlog", steps);
    sw_hparam_int(host_profiler(host), "batch_size", 64);
    sw_hparam_float(host_profiler(host), "decay", 1);
    sw_hparam_string(host_profiler(host), "net", "mlp");
    host_close(host);
    ck_assert_str_eq(lines(), "{\"type\":\"config\",\"name\":\"batch_size\",\"value\":64}\n"
                              "{\"type\":\"config\",\"name\":\"decay\",\"value\":1.0}\n"
                              "{\"type\":\"config\",\"name\":\"net\",\"value\":\"mlp\"}\n"
                              "{\"type\":\"finish\",\"t\":0,\"exit_status\":0,\"signal\":0,"
                              "\"interrupted\":false}\n");
}
END_TEST

/* ---- the run, its reports, its end ----------------------------------------------------------- */

START_TEST(the_first_line_has_the_rules_by_which_the_report_is_made)
{
    host_name("digits");
    struct host *host = host_open_with(
        "runlog", regions, "mode: simple\nrolling_average: 7\ndrop_first_batch: false\n");
    host_close(host);
    json_t *run = line_of("run", 0);
    ck_assert_str_eq(string_of(run, "name"), "digits");
    ck_assert_str_eq(string_of(run, "mode"), "simple");
    ck_assert_str_eq(string_of(run, "stepwatch"), sw_version());
    ck_assert_str_eq(string_of(run, "detail"), "regions");
    ck_assert_int_eq(json_integer_value(json_object_get(run, "version")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "rolling_average")), 7);
    ck_assert(json_is_false(json_object_get(run, "drop_first_batch")));
    ck_assert(number_of(run, "started") > 0);
    ck_assert(number_of(run, "pid") > 0);
    json_decref(run);
}
END_TEST

START_TEST(the_first_line_names_the_actions_that_wait_for_other_ranks)
{
    struct host *host =
        host_open_with("runlog", regions, "mode: simple\nwait: [allreduce, 'a \"barrier\"']\n");
    host_close(host);
    json_t *run = line_of("run", 0), *wait = json_object_get(run, "wait");
    ck_assert_int_eq(json_array_size(wait), 2);
    ck_assert_str_eq(json_string_value(json_array_get(wait, 0)), "allreduce");
    ck_assert_str_eq(json_string_value(json_array_get(wait, 1)), "a \"barrier\"");
    json_decref(run);
}
END_TEST

START_TEST(the_first_line_is_silent_where_no_action_waits)
{
    struct host *host = host_open_with("runlog", regions, "mode: simple\n");
    host_close(host);
    json_t *run = line_of("run", 0);
    ck_assert_ptr_null(json_object_get(run, "wait"));
    json_decref(run);
}
END_TEST

static const char *const row_numbers[] = {"calls",   "mean_ns", "std_ns", "total_ns",
                                          "self_ns", "min_ns",  "max_ns", "p50_ns",
                                          "p95_ns",  "p99_ns",  "share",  "samples_per_s"};

START_TEST(a_report_has_all_rows_and_columns_as_raw_numbers)
{
    struct host *host = host_open("runlog", metrics);
    host_fit(host, 3);
    host_fit(host, 3);
    host_close(host);
    json_t *report = line_of("report", 1);
    ck_assert_int_eq(json_integer_value(json_object_get(report, "fit")), 2);
    ck_assert_str_eq(string_of(report, "by"), "profiler");
    ck_assert(number_of(report, "fit_ns") == 4e8);
    ck_assert(number_of(report, "accounted_ns") == 4e8);
    const json_t *draw = json_array_get(json_object_get(report, "rows"), 5);
    ck_assert_str_eq(string_of(draw, "action"), "draw");
    for (size_t i = 0; i < sizeof row_numbers / sizeof *row_numbers; i++)
        number_of(draw, row_numbers[i]);
    ck_assert(fabs(number_of(draw, "samples_per_s") + 64 / 0.9) < 1e-9);
    const json_t *step = json_array_get(json_object_get(report, "rows"), 4);
    ck_assert_str_eq(string_of(step, "self_ns"), "NaN");
    json_decref(report);
}
END_TEST

START_TEST(the_last_line_has_the_exit_status)
{
    struct host *host = host_open("runlog", metrics);
    sw_set_exit_status(host_profiler(host), 3);
    host_close(host);
    json_t *finish = line_of("finish", 0);
    ck_assert_int_eq(json_integer_value(json_object_get(finish, "exit_status")), 3);
    json_decref(finish);
}
END_TEST

/* ---- the file -------------------------------------------------------------------------------- */

START_TEST(placeholders_in_the_path_distinguish_runs)
{
    char path[128];
    host_name("../a b/c");
    struct host *host = host_open("runlog", "path: \"out/{name}-{pid}.{{x}\"\n");
    host_close(host);
    json_t *run;
    snprintf(path, sizeof path, "out/run.._a_b_c-%d.{x}", (int)getpid());
    run = json_loads(host_file(path), JSON_DISABLE_EOF_CHECK, NULL);
    ck_assert_str_eq(string_of(run, "name"), "../a b/c");
    json_decref(run);
}
END_TEST

START_TEST(the_default_path_has_name_time_host_and_process)
{
    char path[512], machine[256] = "", expected[512];
    gethostname(machine, sizeof machine - 1);
    host_name("digits");
    struct host *host = host_open("runlog", "");
    host_close(host);
    ck_assert_int_eq(system("ls runs > list.txt"), 0);
    snprintf(path, sizeof path, "%s", host_file("list.txt"));
    snprintf(expected, sizeof expected, "-%s-%d.jsonl\n", machine, (int)getpid());
    ck_assert_int_eq(strncmp(path, "digits-20", 9), 0);
    ck_assert_str_eq(path + strlen("digits-20260101-000000"), expected);
}
END_TEST

START_TEST(an_older_file_is_replaced)
{
    for (int run = 0; run < 2; run++)
        host_close(host_open("runlog", metrics));
    const char *text = host_file("run.jsonl");
    ck_assert_ptr_null(strstr(text + 1, "{\"type\":\"run\""));
}
END_TEST

/* ---- summaries ------------------------------------------------------------------------------- */

static const char *const summary = "path: run.jsonl\ndetail: summary\nhistograms: true\n";

START_TEST(a_summary_has_the_run_its_blocks_of_steps_its_report_and_its_end)
{
    struct host *host = host_open("runlog", summary);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(lines(), "{\"type\":\"blocks\",\"width\":1,\"first\":0,\"count\":3,\"steps\":"
                              "[1,1,1],\"durations\":{\"draw\":[10000000,10000000,10000000],"
                              "\"batch\":[90000000,90000000,90000000]}}\n"
                              "{\"type\":\"finish\",\"t\":400000000,\"exit_status\":0,\"signal\":0,"
                              "\"interrupted\":false}\n");
    json_t *report = line_of("report", 0);
    ck_assert(!json_object_get(report, "complete"));
    json_decref(report);
}
END_TEST

/* 0x1.0p0 is bin 1023 * 64; each power of two has 64 more. */
START_TEST(a_row_has_its_durations_as_bins_of_nanoseconds)
{
    struct host *host = host_open("runlog", summary);
    host_fit(host, 3);
    host_close(host);
    size_t index;
    json_t *row, *report = line_of("report", 0);
    json_array_foreach(json_object_get(report, "rows"), index, row)
    {
        const json_t *hist = json_object_get(row, "hist"), *bin = json_array_get(hist, 0);
        ck_assert_int_eq(json_object_get(row, "hist") != NULL, number_of(row, "calls") > 0);
        if (strcmp(string_of(row, "phase"), "train") || strcmp(string_of(row, "action"), "draw"))
            continue;
        ck_assert_uint_eq(json_array_size(hist), 1);
        uint64_t bits = (uint64_t)json_integer_value(json_array_get(bin, 0)) << 46;
        double low;
        memcpy(&low, &bits, sizeof low);
        ck_assert(low <= 1e7 && low >= 1e7 * (1 - 1.0 / 64));
        ck_assert_int_eq(json_integer_value(json_array_get(bin, 1)), 2);
    }
    json_decref(report);
}
END_TEST

START_TEST(a_run_of_one_process_has_no_bins_unless_they_are_asked_for)
{
    struct host *host = host_open("runlog", steps);
    host_fit(host, 2);
    host_close(host);
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "\"hist\""));
}
END_TEST

/* The sink has a thread of its own. */
static void wait_for(const char *text)
{
    for (int i = 0; i < 2000; i++) {
        if (host_has("run.jsonl") && strstr(host_file("run.jsonl"), text))
            return;
        usleep(10000);
    }
    ck_abort_msg("expected %s in:\n%s", text, host_file("run.jsonl"));
}

START_TEST(a_summary_is_replaced_at_the_end_of_each_epoch)
{
    struct host *host = host_open("runlog", summary);
    struct sw_profiler *sw = host_profiler(host);
    wait_for("\"type\":\"run\"");
    sw_begin(sw, SW_FIT);
    for (int epoch = 1; epoch <= 2; epoch++) {
        char text[64];
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        sw_begin(sw, SW_BATCH);
        host_wait(host, 1000);
        sw_end_batch(sw, 1);
        sw_end(sw, SW_TRAIN);
        sw_end(sw, SW_EPOCH);
        snprintf(text, sizeof text, "\"complete\":false,\"epochs\":%d", epoch);
        wait_for(text);
    }
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "\"epochs\":1"));
    sw_end(sw, SW_FIT);
    host_close(host);
}
END_TEST

/* What this process has written so far, or -1 if the kernel does not count it. */
static int64_t bytes_written(void)
{
    long long bytes = -1;
    char line[64];
    FILE *file = fopen("/proc/self/io", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "wchar: %lld", &bytes) == 1)
            break;
    if (file)
        fclose(file);
    return bytes;
}

START_TEST(a_summary_of_many_fits_is_not_written_again_for_each)
{
    enum { FITS = 300 };
    struct host *host = host_open("runlog", summary);
    int64_t before = bytes_written();
    for (int fit = 0; fit < FITS; fit++) {
        host_fit(host, 1);
        sw_flush(host_profiler(host), INT64_C(10000000000));
    }
    int64_t written = bytes_written() - before;
    host_close(host);
    const char *text = host_file("run.jsonl");
    int reports = 0;
    for (const char *at = text; (at = strstr(at, "\"type\":\"report\"")); at++)
        reports++;
    ck_assert_int_eq(reports, FITS);
    if (before < 0)
        puts("SKIP: runlog: the kernel does not count what a process writes");
    else
        ck_assert_int_lt(written, 20 * (int64_t)strlen(text));
}
END_TEST

/* Returns what all threads have of the heap. */
static int64_t memory_in_use(void)
{
#ifdef __GLIBC__
    char *text = NULL, *at;
    size_t size;
    long long bytes = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert_int_eq(malloc_info(0, file), 0);
    fclose(file);
    /* The sums are at the end. */
    for (at = text; (at = strstr(at, "<system type=\"current\" size=\"")); at++)
        sscanf(at, "<system type=\"current\" size=\"%lld", &bytes);
    free(text);
    return bytes;
#else
    puts("SKIP: runlog: the C library does not say what is allocated");
    return 0;
#endif
}

/* Each fit has one report, in their order. */
static void assert_reports_of(const char *text, int fits)
{
    int reports = 0;
    char last[64];
    for (const char *at = text; (at = strstr(at, "{\"type\":\"report\"")); at++) {
        snprintf(last, sizeof last, "\"fit\":%d,", ++reports);
        const char *fit = strstr(at, "\"fit\":");
        ck_assert_msg(fit && strncmp(fit, last, strlen(last)) == 0, "report %d: %.60s", reports,
                      at);
    }
    ck_assert_int_eq(reports, fits);
}

START_TEST(a_summary_of_many_fits_keeps_old_reports_in_the_file_only)
{
    enum { FEW = 1000, FITS = 2600 };
    struct host *host = host_open("runlog", summary);
    int64_t after_few = 0;
    for (int fit = 0; fit < FITS; fit++) {
        host_fit(host, 1);
        if (fit % 20 == 0)
            sw_flush(host_profiler(host), INT64_C(10000000000));
        after_few = fit == FEW ? memory_in_use() : after_few;
    }
    sw_flush(host_profiler(host), INT64_C(10000000000));
    int64_t grown = memory_in_use() - after_few;
    host_close(host);
    const char *text = host_file("run.jsonl");
    assert_reports_of(text, FITS);
    ck_assert_int_gt((int64_t)strlen(text), INT64_C(2) << 20);
    ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"finish\""));
    ck_assert(!host_has("run.jsonl.part"));
    ck_assert_msg(grown < 1 << 20, "%lld bytes more after %d fits", (long long)grown, FITS - FEW);
}
END_TEST

START_TEST(a_long_run_has_no_more_blocks_and_none_of_its_time_is_lost)
{
    struct host *host = host_open("runlog", summary);
    host_fit(host, 300);
    host_close(host);
    size_t index;
    json_t *steps_of, *line = line_of("blocks", 0);
    json_int_t sum = 0, batch = 0;
    ck_assert_int_eq((int)number_of(line, "width"), 4);
    ck_assert_int_eq((int)number_of(line, "count"), 75);
    json_array_foreach(json_object_get(line, "steps"), index, steps_of) sum +=
        json_integer_value(steps_of);
    json_array_foreach(json_object_get(json_object_get(line, "durations"), "batch"), index,
                       steps_of) batch += json_integer_value(steps_of);
    ck_assert_int_eq(sum, 300);
    ck_assert_int_eq(batch, 300 * INT64_C(90000000));
    json_decref(line);
}
END_TEST

START_TEST(blocks_follow_a_step_counter_that_is_set)
{
    static const int64_t number[] = {1000, 5, 900000};
    struct host *host = host_open("runlog", summary);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        sw_set_step(host_profiler(host), number[i]);
        host_fit(host, 2);
    }
    host_close(host);
    json_t *line = line_of("blocks", 0), *steps_of = json_object_get(line, "steps");
    ck_assert_int_eq((int)number_of(line, "width"), 8192);
    ck_assert_int_eq((int)number_of(line, "first"), 0);
    ck_assert_int_eq((int)json_array_size(steps_of), 900000 / 8192 + 1);
    ck_assert_int_eq(json_integer_value(json_array_get(steps_of, 0)), 4);
    ck_assert_int_eq(json_integer_value(json_array_get(steps_of, 900000 / 8192)), 2);
    json_decref(line);
}
END_TEST

/* Nothing is cut silently, and no two names become one. */
START_TEST(long_names_stay_different_and_whole_characters)
{
    char one[400], other[400], expected[512];
    memset(one, 'a', 243);
    snprintf(one + 243, sizeof one - 243, "\u20ac\u20ac\u20ac\u20ac one");
    snprintf(other, sizeof other, "%.255s two", one);
    struct host *host = host_open("runlog", "path: r.jsonl\n");
    host_metric(host, 0, one, 1);
    host_metric(host, 1, other, 2);
    host_metric(host, 2, one, 3);
    int action = sw_action(one);
    ck_assert_int_ne(action, sw_action(other));
    ck_assert_int_ne(sw_counter(one), sw_counter(other));
    host_close(host);

    /* 243 bytes, one character of three, and the checksum. */
    const char *cut = sw_action_name(action), *log = host_file("r.jsonl");
    ck_assert_uint_eq(strlen(cut), 243 + 3 + 9);
    snprintf(expected, sizeof expected, "\"name\":\"%s\",\"value\":1.0", cut);
    ck_assert_ptr_nonnull(strstr(log, expected));
    snprintf(expected, sizeof expected, "\"name\":\"%s\",\"value\":2.0", cut);
    ck_assert_ptr_null(strstr(log, expected));
    snprintf(expected, sizeof expected, "\"name\":\"%s\",\"value\":3.0", cut);
    ck_assert_ptr_nonnull(strstr(log, expected));
    const char *said = strstr(host_messages(host), "aaaaa...\" has 259 bytes: longer names than");
    ck_assert_msg(said && !strstr(said + 100, "longer names"), "%s", host_messages(host));
}
END_TEST

SUITE(runlog)
{
    tcase_add_test(tc, long_names_stay_different_and_whole_characters);
    tcase_add_test(tc, the_number_of_steps_that_are_expected_is_a_line_when_it_changes);
    tcase_add_test(tc, steps_and_marks_are_enough_to_make_the_report_again);
    tcase_add_test(tc, an_action_that_ran_twice_in_a_step_has_a_list);
    tcase_add_test(tc, what_ran_in_a_draw_is_with_its_step);
    tcase_add_test(tc, a_cancelled_batch_has_no_samples_and_keeps_what_ended_in_it);
    tcase_add_test(tc, regions_are_every_begin_end_and_cancel);
    tcase_add_test(tc, another_thread_has_its_number);
    tcase_add_loop_test(tc, a_pause_is_recorded_where_it_was, 0, 2);
    tcase_add_test(tc, metrics_are_the_results_alone);
    tcase_add_loop_test(tc, a_value_is_kept_whatever_it_is, 0, sizeof values / sizeof *values);
    tcase_add_test(tc, a_name_is_valid_json_whatever_it_is);
    tcase_add_test(tc, hyper_parameters_keep_their_type);
    tcase_add_test(tc, the_first_line_has_the_rules_by_which_the_report_is_made);
    tcase_add_test(tc, the_first_line_names_the_actions_that_wait_for_other_ranks);
    tcase_add_test(tc, the_first_line_is_silent_where_no_action_waits);
    tcase_add_test(tc, a_report_has_all_rows_and_columns_as_raw_numbers);
    tcase_add_test(tc, the_last_line_has_the_exit_status);
    tcase_add_test(tc, placeholders_in_the_path_distinguish_runs);
    tcase_add_test(tc, the_default_path_has_name_time_host_and_process);
    tcase_add_test(tc, an_older_file_is_replaced);
    tcase_add_test(tc, a_summary_has_the_run_its_blocks_of_steps_its_report_and_its_end);
    tcase_add_test(tc, a_row_has_its_durations_as_bins_of_nanoseconds);
    tcase_add_test(tc, a_run_of_one_process_has_no_bins_unless_they_are_asked_for);
    tcase_add_test(tc, a_summary_is_replaced_at_the_end_of_each_epoch);
    tcase_add_test(tc, a_summary_of_many_fits_is_not_written_again_for_each);
    tcase_add_test(tc, a_summary_of_many_fits_keeps_old_reports_in_the_file_only);
    tcase_add_test(tc, a_long_run_has_no_more_blocks_and_none_of_its_time_is_lost);
    tcase_add_test(tc, blocks_follow_a_step_counter_that_is_set);
}
