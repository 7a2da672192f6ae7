/* SPDX-License-Identifier: MIT */
/* test_sink.c - where the sink puts a run, what it says, and what it looks up. What is in the file
 * is sync.py's to show. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing of whoever runs the tests. */
static void forget(void)
{
    static const char *const names[] = {
        "WANDB_MODE",          "WANDB_PROJECT",  "WANDB_ENTITY",
        "WANDB_RUN_ID",        "WANDB_NAME",     "WANDB_DIR",
        "WANDB_TAGS",          "WANDB_API_KEY",  "WANDB_RESUME",
        "WANDB_RUN_GROUP",     "WANDB_BASE_URL", "RANK",
        "PMIX_RANK",           "PMI_RANK",       "OMPI_COMM_WORLD_RANK",
        "SLURM_PROCID",        "SLURM_JOB_ID",   "TORCHELASTIC_RUN_ID",
        "PMIX_NAMESPACE",      "WORLD_SIZE",     "PMI_SIZE",
        "OMPI_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("NETRC", "/nonexistent", 1);
}

static void rank_set(const char *rank, const char *size)
{
    setenv("RANK", rank, 1);
    setenv("WORLD_SIZE", size, 1);
}

/* Whether the run's file holds a text. */
static bool in_file(const char *text)
{
    glob_t found;
    char bytes[65536];
    ck_assert_int_eq(glob("wandb/offline-run-*/run-*.wandb", 0, NULL, &found), 0);
    ck_assert_uint_eq(found.gl_pathc, 1);
    FILE *file = fopen(found.gl_pathv[0], "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    globfree(&found);
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

static bool said(struct host *host, const char *text)
{
    return strstr(host_messages(host), text) != NULL;
}

START_TEST(a_run_has_its_folder_its_link_and_a_word_how_to_upload_it)
{
    forget();
    struct host *host = host_open("wandb", "run_id: abc\ndir: .\n");
    struct stat status;
    char link[256] = "";
    host_metric(host, 0, "train/loss", 2.5);
    sw_flush(host_profiler(host), 5000000000);
    ck_assert_int_gt(readlink("wandb/latest-run", link, sizeof link - 1), 0);
    ck_assert_ptr_nonnull(strstr(link, "offline-run-"));
    ck_assert_str_eq(link + strlen(link) - 4, "-abc");
    ck_assert_int_eq(stat("wandb/latest-run/files", &status), 0);
    ck_assert(host_has("wandb/latest-run/run-abc.wandb"));
    ck_assert_msg(said(host, "offline run abc in /"), "%s", host_messages(host));
    ck_assert_msg(!said(host, "/./"), "%s", host_messages(host)); /* that comes from the option */
    host_close(host);
    ck_assert(in_file("train/loss"));
}
END_TEST

/* What actions use of a counter is in the history, as the mean of the last steps. */
START_TEST(a_run_has_what_actions_used_of_counters)
{
    forget();
    struct host *host =
        host_open_with("wandb", "run_id: abc\ndir: .\n", "mode: simple\nrolling_average: 2\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 6; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_count(sw, sw_counter("tokens"), 100);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 1);
    }
    host_close(host);
    ck_assert(in_file("counters/forward/tokens"));
}
END_TEST

START_TEST(a_row_of_several_steps_has_their_mean_between_their_limits)
{
    forget();
    struct host *host = host_open("wandb", "run_id: abc\ndir: .\nevery: 10\n");
    sw_define(
        host_profiler(host), "loss",
        &(struct sw_rule){.size = sizeof(struct sw_rule), .keep = SW_KEEP_MIN | SW_KEEP_MEAN});
    for (int step = 0; step < 20; step++)
        host_metric(host, step, "loss", step);
    host_close(host);
    ck_assert(in_file("loss/min") && in_file("loss/max") && in_file("loss/count"));
    ck_assert(in_file("14.5"));
    ck_assert(in_file("{\"min\":0.0,\"mean\":9.5}")); /* the summary is of all values */
}
END_TEST

START_TEST(texts_between_points_do_not_make_steps_go_back)
{
    forget();
    struct host *host = host_open("wandb", "run_id: abc\ndir: .\nevery: 10\n");
    for (int step = 0; step < 100; step++) {
        sw_log_text(host_profiler(host), "text", "a text");
        host_metric(host, step, step % 7 ? "often" : "loss", step);
    }
    host_close(host);
    ck_assert_msg(!said(host, "went back"), "%s", host_messages(host));
}
END_TEST

START_TEST(a_full_run_gets_no_rows_of_steps)
{
    forget();
    struct stat status;
    struct host *host = host_open("wandb", "run_id: abc\ndir: .\nmax_size: 50kB\n"
                                           "when_full: stop\nsystem: false\n");
    for (int step = 0; step < 5000; step++) {
        host_metric(host, step, "loss", step);
        if (step % 500 == 0)
            sw_flush(host_profiler(host), 5000000000);
    }
    host_close(host);
    ck_assert_int_eq(stat("wandb/latest-run/run-abc.wandb", &status), 0);
    ck_assert_int_gt(status.st_size, 25000);
    ck_assert_int_lt(status.st_size, 100000);
    ck_assert(said(host, "max_size is reached at step "));
}
END_TEST

/* The real wandb sync fails at a file without a run, with all others of the same command. */
START_TEST(a_run_that_has_just_begun_is_in_its_file)
{
    forget();
    struct host *host = host_open("wandb", "run_id: abc\n");
    for (int i = 0; i < 6000 && !host_has("wandb/latest-run/files/wandb-metadata.json"); i++)
        usleep(5000);
    ck_assert(in_file("abc"));
    host_close(host);
}
END_TEST

START_TEST(the_option_comes_before_the_environment_before_the_files)
{
    forget();
    struct host *host = host_open("wandb", "mode: disabled\n");
    host_close(host); /* enters the scratch folder */
    ck_assert_int_eq(mkdir(".wandb", 0700), 0);
    FILE *file = fopen(".wandb/settings", "w");
    fputs("[other]\nentity = wrong\n[default]\nentity = from-file\nproject = file-p\n", file);
    fclose(file);
    setenv("WANDB_PROJECT", "from-env", 1);
    setenv("WANDB_NAME", "env-name", 1);
    host = host_open("wandb", "name: from-option\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(in_file("from-file"));
    ck_assert(in_file("from-env"));
    ck_assert(in_file("from-option"));
    ck_assert(!in_file("env-name") && !in_file("wrong") && !in_file("file-p"));
}
END_TEST

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

/* The service would refuse the whole run. Of letters, each counts once, whatever its bytes. */
static const struct {
    const char *options, *mistake;
} limits[] = {
    {"tags: [ok, " SIXTY "12345]",
     "1:50: sink wandb: tags: the tag \"" TEN TEN "...\" has 65 char"},
    {"tags: ['', ok]", "1:50: sink wandb: tags: the tag \"\" has 0 characters"},
    {"group: " SIXTY SIXTY "123456789", "sink wandb: group: has 129 characters: the service takes"},
    {"name: " SIXTY SIXTY "123456789", "sink wandb: name: has 129 characters"},
    {"job_type: " SIXTY SIXTY "123456789", "sink wandb: job_type: has 129 characters"},
    {"tags: [" SIXTY "1234, \u00fc" SIXTY "123], name: " SIXTY SIXTY "12345678", NULL},
};

START_TEST(what_the_service_refuses_is_a_mistake_of_the_configuration)
{
    char text[600];
    SW_ERROR_SCOPE(err);
    forget();
    scratch_enter();
    snprintf(text, sizeof text, "logger_callback: [{wandb: {mode: offline, %s}}]\n",
             limits[_i].options);
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!limits[_i].mistake)
        ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    else
        ck_assert_msg(!sw && strstr(sw_error_text(&err), limits[_i].mistake), "%s",
                      sw_error_text(&err));
    sw_close(sw, NULL);
}
END_TEST

START_TEST(what_the_service_refuses_of_the_environment_is_left_out)
{
    forget();
    setenv("WANDB_TAGS", "good," SIXTY "12345", 1);
    setenv("WANDB_RUN_GROUP", SIXTY SIXTY "group9999", 1);
    setenv("WANDB_JOB_TYPE", SIXTY SIXTY "kind99999", 1);
    setenv("WANDB_NAME", SIXTY SIXTY "name99999", 1);
    struct host *host = host_open("wandb", "mode: offline\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(in_file("good"));
    ck_assert(!in_file("12345") && !in_file("group9999") && !in_file("kind99999"));
    ck_assert(!in_file("name99999"));
    const char *said = host_messages(host);
    ck_assert_ptr_nonnull(strstr(said, "the group of the environment is left out: it has 129"));
    ck_assert_ptr_nonnull(strstr(said, "the name of the environment is left out"));
    ck_assert_ptr_nonnull(strstr(said, "a tag of the environment is left out: the tag \"" TEN TEN));
}
END_TEST

/* The name that the configuration has for the run, that of the environment, and what is written. */
static const struct {
    const char *configured, *environment, *name;
} named[] = {{NULL, NULL, ""},
             {NULL, "other", "other"},
             {"baseline", NULL, "baseline"},
             {"baseline", "other", "other"}};

START_TEST(a_run_that_nobody_named_is_named_by_the_service)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    forget();
    if (named[_i].environment)
        setenv("WANDB_NAME", named[_i].environment, 1);
    host_name(named[_i].configured ? named[_i].configured : program_invocation_short_name);
    host_close(host_open("wandb", "mode: offline\nrun_id: abc\n"));
    ck_assert_int_eq(swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err), 0);
    do
        ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    while (record->what != SWI_RECORD_RUN);
    ck_assert_str_eq(record->run->display_name, named[_i].name);
    swi_wandb_reader_close(&reader);
}
END_TEST

START_TEST(the_key_is_in_no_file)
{
    forget();
    setenv("WANDB_API_KEY", "SECRET0123456789SECRET0123456789SECRET01", 1);
    struct host *host = host_open("wandb", "mode: offline\nrun_id: abc\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(!in_file("SECRET"));
    ck_assert_int_ne(system("grep -rq SECRET wandb"), 0);
}
END_TEST

START_TEST(disabled_makes_nothing)
{
    forget();
    setenv("WANDB_MODE", "disabled", 1);
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(!host_has("wandb"));
}
END_TEST

/* How often it was said. */
static size_t times_said(struct host *host, const char *text)
{
    size_t count = 0;
    for (const char *at = host_messages(host); (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

START_TEST(only_the_first_rank_makes_a_run)
{
    forget();
    rank_set("2", "4");
    setenv("WANDB_MODE", "online", 1);
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(!host_has("wandb"));
    ck_assert_str_eq(host_messages(host),
                     ""); /* only the first process says that there is no key */
}
END_TEST

START_TEST(the_second_rank_says_that_the_first_one_makes_the_run)
{
    forget();
    rank_set("1", "4");
    struct host *host = host_open("wandb", "mode: offline\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(!host_has("wandb"));
    ck_assert_uint_eq(times_said(host, "rank 0 makes the run"), 1);
}
END_TEST

/* As after `export RANK=2 WORLD_SIZE=4` in the shell that calls mpirun. */
START_TEST(where_it_is_not_certain_which_rank_is_the_first_each_makes_a_run_of_its_own)
{
    char path[256];
    forget();
    rank_set("2", "4");
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    struct host *host = host_open("wandb", "mode: offline\nrun_id: abc\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    snprintf(path, sizeof path, "wandb/latest-run/run-abc-1-%d.wandb", (int)getpid());
    ck_assert(host_has(path));
}
END_TEST

START_TEST(a_process_whose_rank_is_not_a_number_makes_a_run)
{
    forget();
    rank_set("-1", "4");
    setenv("PMI_RANK", "x", 1);
    setenv("PMI_SIZE", "4", 1);
    struct host *host = host_open("wandb", "mode: offline\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(in_file("loss"));
    ck_assert_uint_eq(times_said(host, "warning"), 0); /* sw_open() has said it */
}
END_TEST

/* What identifies the ranks of a job: a launcher's variable, and values that are not the name of a
 * job. */
static const struct {
    const char *name, *value, *group;
} jobs[] = {{"SLURM_JOB_ID", "4711", "4711"},
            {"TORCHELASTIC_RUN_ID", "9f3c-job", "9f3c-job"},
            {"PMIX_NAMESPACE", "prterun-7@1", "prterun-7@1"},
            {"TORCHELASTIC_RUN_ID", "none", NULL},
            {"WANDB_RUN_GROUP", "mine", "mine"}};

START_TEST(with_ranks_all_each_rank_has_an_id_of_its_own_in_the_jobs_group)
{
    forget();
    rank_set("1", "4");
    setenv(jobs[_i].name, jobs[_i].value, 1);
    struct host *host = host_open("wandb", "mode: offline\nranks: all\nrun_id: abc\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(host_has("wandb/latest-run/run-abc-1.wandb"));
    ck_assert(in_file("rank1"));
    ck_assert(in_file(jobs[_i].group ? jobs[_i].group : "rank1"));
    ck_assert_uint_eq(times_said(host, "warning"), jobs[_i].group ? 0 : 1);
    ck_assert_int_eq(said(host, "set group or WANDB_RUN_GROUP"), !jobs[_i].group);
}
END_TEST

/* Of the YAML or of the environment, and what is said about it. */
static const struct {
    const char *option, *name, *value, *word;
} wrong[] = {
    {"mode: offline\nproject: team/digits\n", NULL, NULL,
     "without a project: name it with stepwatch sync --project NAME"},
    {"mode: offline\nrun_id: a/b\n", NULL, NULL, "under another id"},
    {"mode: offline\n", "WANDB_ENTITY", "\xff", "WANDB_ENTITY: is not valid UTF-8"},
    {"", "WANDB_MODE", "ofline", "expected online, offline or disabled"},
    {"", "WANDB_MODE", "shared", "rank 0 makes the run (ranks: first), or each rank"},
    {"", "WANDB_HTTP_TIMEOUT", "soon", "like 30 or 2.5"},
    {"base_url: api.wandb.ai\n", NULL, NULL, "expected http://HOST"},
    {"ca_file: nowhere.pem\n", NULL, NULL, "nowhere.pem: cannot be read"},
    {"", "WANDB_RESUME", "yes", "expected allow, must, never or auto"},
};

START_TEST(a_wrong_setting_costs_the_upload_and_no_row)
{
    forget();
    setenv("WANDB_API_KEY", "SECRET0123456789SECRET0123456789SECRET01", 1);
    if (wrong[_i].name)
        setenv(wrong[_i].name, wrong[_i].value, 1);
    struct host *host = host_open("wandb", wrong[_i].option);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert(in_file("loss"));
    ck_assert_msg(said(host, wrong[_i].word), "%s", host_messages(host));
    ck_assert_msg(said(host, "the run is only written to a file"), "%s", host_messages(host));
    ck_assert_uint_eq(times_said(host, "warning"), 1);
}
END_TEST

START_TEST(a_wrong_setting_is_found_before_the_run)
{
    static const char yaml[] = "logger_callback:\n"
                               "  - wandb: {base_url: api.wandb.ai, ca_file: nowhere.pem}\n"
                               "  - wandb: {mode: offline, ca_file: nowhere.pem}\n"
                               "  - wandb: {mode: offline, project: team/net, run_id: 'a:b'}\n";
    char *text = NULL;
    forget();
    scratch_enter();
    scratch_write("checked.yaml", yaml, strlen(yaml));
    ck_assert_int_eq(sw_config_check("checked.yaml", &text, NULL), 4);
    ck_assert_msg(strstr(text, "checked.yaml:2:23: sink wandb: base_url: ") == text, "%s", text);
    ck_assert_msg(strstr(text, "checked.yaml:4:37: sink wandb: project: project \"team/net\": '/' "
                               "is not allowed"),
                  "%s", text);
    ck_assert_msg(strstr(text, "checked.yaml:4:55: sink wandb: run_id: run id \"a:b\": ':' is not"),
                  "%s", text);
    ck_assert_msg(strstr(text,
                         "checked.yaml:2:46: sink wandb: ca_file: nowhere.pem cannot be read: "
                         "No such file or directory"),
                  "%s", text);
    free(text);
}
END_TEST

START_TEST(without_a_key_it_is_a_file_all_the_same_and_says_how_to_change_that)
{
    forget();
    setenv("WANDB_MODE", "online", 1);
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "loss", 1);
    sw_flush(host_profiler(host), 5000000000);
    ck_assert_msg(said(host, "no API key for https://"), "%s", host_messages(host));
    ck_assert_msg(said(host, "/authorize into WANDB_API_KEY"), "%s", host_messages(host));
    ck_assert_msg(said(host, "offline run"), "%s", host_messages(host));
    host_close(host);
    ck_assert_msg(said(host, "upload the run with: stepwatch sync /"), "%s", host_messages(host));
    ck_assert(in_file("loss"));
}
END_TEST

START_TEST(an_invalid_key_is_reported_and_not_shown)
{
    forget();
    setenv("WANDB_API_KEY", "too-short", 1);
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_msg(said(host, "WANDB_API_KEY: is not an API key"), "%s", host_messages(host));
    ck_assert_msg(!said(host, "too-short"), "%s", host_messages(host));
    ck_assert(in_file("loss"));
}
END_TEST

START_TEST(an_address_without_tls_is_warned_of)
{
    forget();
    setenv("WANDB_API_KEY", "SECRET0123456789SECRET0123456789SECRET01", 1);
    struct host *host =
        host_open_with("wandb", "base_url: http://h.invalid\n", "close_timeout: 2s\n");
    struct sw_error err;
    host_close_rc(host, &err);
    ck_assert_uint_eq(times_said(host, "anyone on the network can read"), 1);
}
END_TEST

START_TEST(steps_that_go_back_go_on_in_the_file)
{
    forget();
    struct host *host = host_open("wandb", "");
    host_metric(host, 10, "loss", 1);
    host_metric(host, 11, "loss", 1);
    host_metric(host, 5, "loss", 1);
    sw_flush(host_profiler(host), 5000000000);
    ck_assert_msg(said(host, "the step went back to 5"), "%s", host_messages(host));
    ck_assert_msg(said(host, "continue from step 12"), "%s", host_messages(host));
    host_close(host);
}
END_TEST

START_TEST(a_report_is_tables_and_lines)
{
    forget();
    struct host *host = host_open("wandb", "");
    host_fit(host, 20);
    host_close(host);
    ck_assert(in_file("profile_report") && in_file("profile_results"));
    ck_assert(in_file("train/draw_throughput") && in_file("fit/duration"));
    ck_assert_ptr_nonnull(
        strstr(host_file("wandb/latest-run/files/output.log"), "Profiling Results:"));
    ck_assert_int_eq(system("test $(ls wandb/latest-run/files/media/table | wc -l) = 3"), 0);
}
END_TEST

SUITE(wandb_sink)
{
    tcase_add_test(tc, a_run_has_its_folder_its_link_and_a_word_how_to_upload_it);
    tcase_add_test(tc, a_run_has_what_actions_used_of_counters);
    tcase_add_test(tc, a_row_of_several_steps_has_their_mean_between_their_limits);
    tcase_add_test(tc, texts_between_points_do_not_make_steps_go_back);
    tcase_add_test(tc, a_full_run_gets_no_rows_of_steps);
    tcase_add_test(tc, a_run_that_has_just_begun_is_in_its_file);
    tcase_add_loop_test(tc, what_the_service_refuses_is_a_mistake_of_the_configuration, 0,
                        sizeof limits / sizeof *limits);
    tcase_add_test(tc, what_the_service_refuses_of_the_environment_is_left_out);
    tcase_add_test(tc, the_option_comes_before_the_environment_before_the_files);
    tcase_add_loop_test(tc, a_run_that_nobody_named_is_named_by_the_service, 0,
                        sizeof named / sizeof *named);
    tcase_add_test(tc, the_key_is_in_no_file);
    tcase_add_test(tc, disabled_makes_nothing);
    tcase_add_test(tc, only_the_first_rank_makes_a_run);
    tcase_add_test(tc, the_second_rank_says_that_the_first_one_makes_the_run);
    tcase_add_test(tc, where_it_is_not_certain_which_rank_is_the_first_each_makes_a_run_of_its_own);
    tcase_add_test(tc, a_process_whose_rank_is_not_a_number_makes_a_run);
    tcase_add_loop_test(tc, with_ranks_all_each_rank_has_an_id_of_its_own_in_the_jobs_group, 0,
                        sizeof jobs / sizeof *jobs);
    tcase_add_loop_test(tc, a_wrong_setting_costs_the_upload_and_no_row, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, a_wrong_setting_is_found_before_the_run);
    tcase_add_test(tc, without_a_key_it_is_a_file_all_the_same_and_says_how_to_change_that);
    tcase_add_test(tc, an_invalid_key_is_reported_and_not_shown);
    tcase_add_test(tc, an_address_without_tls_is_warned_of);
    tcase_add_test(tc, steps_that_go_back_go_on_in_the_file);
    tcase_add_test(tc, a_report_is_tables_and_lines);
}
