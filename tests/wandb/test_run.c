/* SPDX-License-Identifier: MIT */
/* test_run.c - what a run's file says: what the run is by each setting, rows with rolling figures
 * at their steps, and the summary of a fit, key by key. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nothing of whoever runs the tests. */
static void forget(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("NETRC", "/nonexistent", 1);
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_RUN_ID", "abc", 1);
}

/* Calls take for each record of a file, in order. */
static void records_take(const char *path,
                         void (*take)(const struct swi_record_message *record, void *arg),
                         void *arg)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    int rc;
    ck_assert_msg(swi_wandb_reader_open(&reader, path, &err) == 0, "%s", sw_error_text(&err));
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1)
        take(record, arg);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Each with the option that comes before it, and how a settings file calls it. */
static const struct {
    const char *variable, *option, *file;
} settings[] = {
    {"WANDB_ENTITY", "entity", "entity"},      {"WANDB_PROJECT", "project", "project"},
    {"WANDB_RUN_GROUP", "group", "run_group"}, {"WANDB_JOB_TYPE", "job_type", "run_job_type"},
    {"WANDB_NAME", "name", "run_name"},        {"WANDB_NOTES", "notes", "run_notes"},
    {"WANDB_TAGS", "tags", "run_tags"}};

enum { SETTINGS = sizeof settings / sizeof *settings };

static int runs_seen;

static void run_is(const struct swi_record_message *record, void *arg)
{
    const char *expected = arg;
    if (record->what != SWI_RECORD_RUN)
        return;
    const struct swi_run_message *run = record->run;
    const char *const found[SETTINGS] = {run->entity,
                                         run->project,
                                         run->run_group,
                                         run->job_type,
                                         run->display_name,
                                         run->notes,
                                         run->n_tags ? run->tags[0] : ""};
    for (size_t i = 0; i < SETTINGS; i++) {
        char value[64];
        snprintf(value, sizeof value, "%s-%s", expected, settings[i].option);
        ck_assert_msg(strcmp(found[i], value) == 0, "%s: \"%s\", expected \"%s\"",
                      settings[i].option, found[i], value);
    }
    ck_assert_str_eq(run->run_id, "abc");
    runs_seen++;
}

/* Each run is in a folder of its own. */
static void run_make(const char *options, const char *expected)
{
    char path[128];
    host_close(host_open("wandb", options));
    snprintf(path, sizeof path, "%s/wandb/latest-run/run-abc.wandb", expected);
    records_take(path, run_is, (void *)(uintptr_t)expected);
}

static void file_write(void)
{
    char path[1024];
    ck_assert_ptr_nonnull(getcwd(path, sizeof path));
    setenv("WANDB_CONFIG_DIR", path, 1);
    FILE *file = fopen("settings", "w");
    fputs("[default]\n", file);
    for (size_t i = 0; i < SETTINGS; i++)
        fprintf(file, "%s = file-%s\n", settings[i].file, settings[i].option);
    fclose(file);
}

static void environment_write(void)
{
    char value[64];
    setenv("WANDB_DIR", "environment", 1);
    for (size_t i = 0; i < SETTINGS; i++) {
        snprintf(value, sizeof value, "environment-%s", settings[i].option);
        setenv(settings[i].variable, value, 1);
    }
}

/* The SDK of wandb expands it, too. */
START_TEST(a_folder_may_be_below_the_home_folder)
{
    static const struct {
        const char *variable, *options;
    } cases[] = {{"", "dir: ~/below\n"}, {"~/below", ""}};
    forget();
    scratch_enter();
    setenv("HOME", scratch_path("home"), 1);
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_DIR", cases[_i].variable, 1);
    host_close(host_open("wandb", cases[_i].options));
    ck_assert_int_eq(access(scratch_path("home/below/wandb/latest-run"), F_OK), 0);
    ck_assert_int_ne(access("~", F_OK), 0);
}
END_TEST

START_TEST(a_folder_that_is_a_url_is_refused)
{
    struct sw_error err = {0};
    forget();
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_DIR", "s3://bucket/runs", 1);
    struct host *host = host_open("wandb", "");
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), "WANDB_DIR: \"s3://bucket/runs\" is a URL") != NULL,
                  "%s", sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

START_TEST(the_name_of_a_run_comes_from_options_then_environment_then_files)
{
    char options[1024] = "dir: option\ntags: [option-tags]\n";
    forget();
    for (size_t i = 0; i < SETTINGS; i++)
        unsetenv(settings[i].variable);
    setenv("WANDB_MODE", "disabled", 1);
    host_close(host_open("wandb", "")); /* enters the scratch folder */
    setenv("WANDB_MODE", "dryrun", 1);  /* the old name of offline */
    file_write();
    run_make("dir: file\n", "file");
    environment_write();
    run_make("", "environment");
    for (size_t i = 0; i + 1 < SETTINGS; i++)
        snprintf(options + strlen(options), sizeof options - strlen(options), "%s: option-%s\n",
                 settings[i].option, settings[i].option);
    run_make(options, "option");

    ck_assert_int_eq(runs_seen, 3);
}
END_TEST

/* ---- a fit ----------------------------------------------------------------------------------- */

/* The keys of the summary that a fit in mode simple has, in the order of its report. */
static const char *const keys[] = {"fit/duration",
                                   "fit/epoch_duration",
                                   "fit/train_throughput",
                                   "fit/train_duration",
                                   "fit/valid_throughput",
                                   "fit/valid_duration",
                                   "train/step_throughput",
                                   "train/step_duration",
                                   "train/draw_throughput",
                                   "train/draw_duration",
                                   "train/batch_throughput",
                                   "train/batch_duration",
                                   "train/forward_throughput",
                                   "train/forward_duration",
                                   "train/loss_throughput",
                                   "train/loss_duration",
                                   "train/backward_throughput",
                                   "train/backward_duration",
                                   "train/opt_step_throughput",
                                   "train/opt_step_duration",
                                   "train/zero_grad_duration",
                                   "valid/step_throughput",
                                   "valid/step_duration",
                                   "valid/draw_throughput",
                                   "valid/draw_duration",
                                   "valid/batch_throughput",
                                   "valid/batch_duration",
                                   "valid/predict_throughput",
                                   "valid/predict_duration",
                                   "valid/loss_throughput",
                                   "valid/loss_duration"};

/* Those of mode throughput: the step, draw and batch alone. */
static bool is_of_throughput(const char *key)
{
    return strncmp(key, "fit/", 4) == 0 || strstr(key, "/step_") || strstr(key, "/draw_") ||
           strstr(key, "/batch_");
}

static const char *const train_parts[] = {"step", "draw",     "batch",    "forward",
                                          "loss", "backward", "opt_step", "zero_grad"};

struct seen {
    bool simple;
    int rows, rolling; /* rows of the history, and those with rolling figures */
    size_t keys;       /* of the summary, in order so far */
    double overall[2]; /* samples per second of train and valid */
};

static bool has(const struct swi_history_message *row, const char *prefix, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    for (size_t i = 0; i < row->n_item; i++)
        if (strcmp(row->item[i]->nested_key[0], key) == 0)
            return true;
    return false;
}

/* Of 34 steps with a window of 10 and the first left out: 11, 21 and 31, counted from 0. */
static void row_check(const struct swi_history_message *row, struct seen *seen)
{
    bool is_due = row->step->num == 11 || row->step->num == 21 || row->step->num == 31;
    for (size_t i = 0; i < sizeof train_parts / sizeof *train_parts; i++) {
        bool expected = is_due && (seen->simple || i < 3);
        ck_assert_int_eq(has(row, "throughput/", train_parts[i]), expected);
        ck_assert_int_eq(has(row, "time_ms/", train_parts[i]), expected);
    }
    ck_assert(has(row, "", "_step") && has(row, "", "_runtime") && has(row, "", "_timestamp"));
    seen->rows++;
    seen->rolling += is_due;
}

static const char *next_key(const struct seen *seen, size_t *at)
{
    while (*at < sizeof keys / sizeof *keys && !seen->simple && !is_of_throughput(keys[*at]))
        ++*at;
    return *at < sizeof keys / sizeof *keys ? keys[*at] : NULL;
}

static bool is_of_report(const char *key)
{
    size_t size = strlen(key);
    return (size > 9 && strcmp(key + size - 9, "_duration") == 0) ||
           (size > 11 && strcmp(key + size - 11, "_throughput") == 0) ||
           strcmp(key, "fit/duration") == 0;
}

static void overall_check(const char *key, const char *json, struct seen *seen)
{
    if (strcmp(key, "train/overall_samples_per_s") == 0)
        seen->overall[0] = strtod(json, NULL);
    if (strcmp(key, "valid/overall_samples_per_s") == 0)
        seen->overall[1] = strtod(json, NULL);
}

static void summary_check(const struct swi_items_message *summary, struct seen *seen)
{
    size_t at = 0;
    seen->keys = 0;
    for (size_t i = 0; i < summary->n_update; i++) {
        const char *key = summary->update[i]->nested_key[0];
        overall_check(key, summary->update[i]->value_json, seen);
        if (!is_of_report(key))
            continue;
        const char *expected = next_key(seen, &at);
        ck_assert_msg(expected && strcmp(key, expected) == 0, "%s, expected %s", key,
                      expected ? expected : "no more");
        at++;
        seen->keys++;
    }
}

static void look(const struct swi_record_message *record, void *arg)
{
    if (record->what == SWI_RECORD_HISTORY)
        row_check(record->history, arg);
    if (record->what == SWI_RECORD_SUMMARY)
        summary_check(record->summary, arg);
}

static void part(struct host *host, int action)
{
    sw_begin(host_profiler(host), action);
    host_wait(host, 1000000);
    sw_end(host_profiler(host), action);
}

static void train_step(struct host *host)
{
    part(host, SW_DRAW);
    sw_begin(host_profiler(host), SW_BATCH);
    part(host, SW_FORWARD);
    part(host, SW_LOSS);
    part(host, SW_BACKWARD);
    part(host, SW_OPT_STEP);
    part(host, SW_ZERO_GRAD);
    sw_log(host_profiler(host), "train/loss", 1);
    sw_end_batch(host_profiler(host), 64);
}

static void valid_step(struct host *host)
{
    part(host, SW_DRAW);
    sw_begin(host_profiler(host), SW_BATCH);
    part(host, SW_PREDICT);
    part(host, SW_LOSS);
    sw_end_batch(host_profiler(host), 64);
}

static void fit(struct host *host)
{
    SW_SCOPE(host_profiler(host), SW_FIT);
    SW_SCOPE(host_profiler(host), SW_EPOCH);
    sw_begin(host_profiler(host), SW_TRAIN);
    for (int i = 0; i < 34; i++)
        train_step(host);
    sw_end(host_profiler(host), SW_TRAIN);
    sw_begin(host_profiler(host), SW_VALID);
    for (int i = 0; i < 3; i++)
        valid_step(host);
    sw_end(host_profiler(host), SW_VALID);
}

static struct seen fit_seen(const char *mode)
{
    struct seen seen = {.simple = strncmp(mode, "mode: simple\n", 13) == 0};
    forget();
    struct host *host = host_open_with("wandb", "system: false\n", mode);
    fit(host);
    host_close(host);
    records_take("wandb/latest-run/run-abc.wandb", look, &seen);
    return seen;
}

/* 34 batches in 34 x 6 ms, and 3 in 3 x 3 ms. */
START_TEST(the_summary_has_the_overall_rates_where_there_is_accounting)
{
    struct seen seen = fit_seen(_i ? "mode: simple\n" : "mode: simple\naccounting: false\n");
    ck_assert_double_eq_tol(seen.overall[0], _i ? 64 / 0.006 : 0, 1);
    ck_assert_double_eq_tol(seen.overall[1], _i ? 64 / 0.003 : 0, 1);
}
END_TEST

START_TEST(a_fit_in_mode_simple_has_31_keys_and_8_rolling_figures)
{
    struct seen seen = fit_seen("mode: simple\n");
    ck_assert_int_eq(seen.rows, 35);
    ck_assert_int_eq(seen.rolling, 3);
    ck_assert_uint_eq(seen.keys, 31);
}
END_TEST

START_TEST(a_fit_in_mode_throughput_has_18_keys_and_3_rolling_figures)
{
    struct seen seen = fit_seen("mode: throughput\n");
    ck_assert_int_eq(seen.rows, 35);
    ck_assert_int_eq(seen.rolling, 3);
    ck_assert_uint_eq(seen.keys, 18);
}
END_TEST

/* ---- findings -------------------------------------------------------------------------------- */

static void findings_look(const struct swi_record_message *record, void *arg)
{
    const struct swi_items_message *summary = record->summary;
    if (record->what != SWI_RECORD_SUMMARY)
        return;
    for (size_t i = 0; i < summary->n_update; i++)
        if (strcmp(summary->update[i]->nested_key[0], "stepwatch/findings") == 0)
            snprintf(arg, 1024, "%s", summary->update[i]->value_json);
}

/* Draw is 1 of 6 ms of each step. */
START_TEST(the_summary_has_the_findings_as_a_list_of_sentences)
{
    char json[1024] = "";
    fit_seen(_i ? "mode: simple\n" : "mode: simple\naccounting: false\n");
    records_take("wandb/latest-run/run-abc.wandb", findings_look, json);
    if (!_i) {
        ck_assert_str_eq(json, "");
        return;
    }
    static const char begin[] =
        "[\"input-bound: Training waits for data: draw takes 17 % of a step. If draw took no time, "
        "the loop would do 12,800 samples/s instead of 10,667 (+20 %).";
    ck_assert_msg(strncmp(json, begin, strlen(begin)) == 0, "%s", json);
}
END_TEST

/* ---- alerts ---------------------------------------------------------------------------------- */

static void alert_look(const struct swi_record_message *record, void *arg)
{
    char *text = arg;
    if (record->what == SWI_RECORD_ALERT)
        snprintf(text + strlen(text), 256, "%s|%s|%s|%d\n", record->alert->title,
                 record->alert->text, record->alert->level, (int)record->alert->wait_duration);
}

START_TEST(alerts_are_records_of_their_level)
{
    char text[1024] = "";
    forget();
    struct host *host = host_open("wandb", "system: false\n");
    sw_alert(host_profiler(host), SW_NOTE, "saved", NULL);
    sw_alert(host_profiler(host), SW_WARNING, "diverges", "loss 9");
    sw_alert(host_profiler(host), SW_ERROR, "failed", "at \xff");
    host_close(host);
    records_take("wandb/latest-run/run-abc.wandb", alert_look, text);
    ck_assert_str_eq(text, "saved||INFO|60000\n"
                           "diverges|loss 9|WARN|60000\n"
                           "failed|at \\xff|ERROR|60000\n");
}
END_TEST

SUITE(wandb_run)
{
    tcase_add_loop_test(tc, the_summary_has_the_findings_as_a_list_of_sentences, 0, 2);
    tcase_add_test(tc, alerts_are_records_of_their_level);
    tcase_add_loop_test(tc, a_folder_may_be_below_the_home_folder, 0, 2);
    tcase_add_test(tc, a_folder_that_is_a_url_is_refused);
    tcase_add_test(tc, the_name_of_a_run_comes_from_options_then_environment_then_files);
    tcase_add_loop_test(tc, the_summary_has_the_overall_rates_where_there_is_accounting, 0, 2);
    tcase_add_test(tc, a_fit_in_mode_simple_has_31_keys_and_8_rolling_figures);
    tcase_add_test(tc, a_fit_in_mode_throughput_has_18_keys_and_3_rolling_figures);
}
