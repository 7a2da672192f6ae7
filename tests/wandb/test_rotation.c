/* SPDX-License-Identifier: MIT */
/* test_rotation.c - the file of the sink wandb with when_full: rotate, and what its upload stores.
 */
#include "sinks/wandb/file/reader.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SIZE = 60000, ROUND = 100 };
static const char rotate[] =
    "interval: 100ms\nthin_after: 0\nmax_size: 60kB\nwhen_full: rotate\nconsole: \"off\"\n";
static const char file[] = "wandb/latest-run/run-abc.wandb";
#define SECONDS(n) (n * INT64_C(1000000000))

static void losses(struct host *host, int64_t first, int64_t end)
{
    for (int64_t step = first; step < end; step++)
        host_metric(host, step, "loss", (double)step);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int64_t size_of_file(void)
{
    struct stat st;
    return stat(file, &st) == 0 ? (int64_t)st.st_size : -1;
}

/* Returns how many records of a kind the file has, which must be whole. Their numbers ascend. */
static int records_of(enum swi_record_what what)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err = {0};
    int count = 0, rc;
    int64_t number = 0;
    ck_assert_int_eq(swi_wandb_reader_open(&reader, file, &err), 0);
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        ck_assert_int_ge(record->num, number);
        number = record->num;
        count += record->what == what;
    }
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    return count;
}

static int losses_in_file(void)
{
    bool ended;
    return online_rows_in_file(&ended);
}

/* ---- the service ----------------------------------------------------------------------------- */

/* The losses at the service, in the order of its rows. */
struct at_service {
    int count;
    int64_t first, last;
    bool ascend;
};

static struct at_service losses_of(json_t *state)
{
    struct at_service at = {.ascend = true, .last = -1};
    json_t *lines =
        json_object_get(json_object_get(service_run(state), "lines"), "wandb-history.jsonl");
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        const json_t *loss = json_object_get(row, "loss");
        if (loss) {
            int64_t value = (int64_t)json_number_value(loss);
            at.first = at.count++ ? at.first : value;
            at.ascend = at.ascend && value > at.last;
            at.last = value;
        }
        json_decref(row);
    }
    return at;
}

static bool has_loss(json_t *state, void *arg)
{
    return service_run(state) && losses_of(state).last >= *(int64_t *)arg;
}

static void sync_well(void)
{
    struct sw_error err = {0};
    int rc = sw_wandb_sync("wandb/latest-run", NULL, NULL, &err);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
}

static double config_of(json_t *state, const char *name)
{
    json_t *value = json_object_get(json_object_get(service_run(state), "config"), name);
    return json_number_value(json_object_get(value, "value"));
}

static double summary_of(json_t *state, const char *name)
{
    json_t *files = json_object_get(service_run(state), "files");
    json_t *text = json_object_get(json_object_get(files, "wandb-summary.json"), "text");
    json_t *summary = json_loads(json_string_value(text) ? json_string_value(text) : "", 0, NULL);
    double value = json_number_value(json_object_get(summary, name));
    json_decref(summary);
    return value;
}

/* ---- tests ----------------------------------------------------------------------------------- */

SERVICE_TEST(the_file_has_the_newest_rows_and_all_results, "")
{
    char options[400];
    snprintf(options, sizeof options, "mode: offline\nrun_id: abc\nsystem: false\n%s", rotate);
    struct host *host = host_open("wandb", options);
    sw_hparam_float(host_profiler(host), "lr", 0.5);
    sw_log(host_profiler(host), "early", 7);
    for (int64_t step = 0; step < 4000; step += ROUND) {
        losses(host, step, step + ROUND);
        ck_assert_int_lt(size_of_file(), MAX_SIZE);
    }
    host_close(host);
    ck_assert_int_lt(losses_in_file(), 1000);
    ck_assert_int_eq(records_of(SWI_RECORD_HEADER), 1);
    ck_assert_int_eq(records_of(SWI_RECORD_RUN), 1);
    ck_assert_int_eq(records_of(SWI_RECORD_EXIT), 1);
    sync_well();
    json_auto_t *state = service_state(service);
    struct at_service at = losses_of(state);
    ck_assert_int_eq(at.count, losses_in_file());
    ck_assert_int_eq(at.last, 3999);
    ck_assert_int_eq(at.first, 4000 - at.count);
    ck_assert_double_eq(config_of(state, "lr"), 0.5);
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 0);
    ck_assert_double_eq(summary_of(state, "early"), 7);
    ck_assert_double_eq(summary_of(state, "loss"), 3999);
}

SERVICE_TEST(an_upload_that_keeps_up_loses_nothing, "")
{
    enum { ALL = 1500 };
    struct host *host = online_open(rotate, "60s");
    for (int64_t step = 0; step < ALL; step += ROUND) {
        losses(host, step, step + ROUND);
        /* The newest row may still get values. */
        service_wait_until(service, has_loss, &(int64_t){step + ROUND - 2});
        ck_assert_int_lt(size_of_file(), MAX_SIZE);
    }
    host_close(host);
    ck_assert_int_lt(losses_in_file(), ALL / 2 + 200);
    json_auto_t *state = service_state(service);
    struct at_service at = losses_of(state);
    ck_assert_int_eq(at.count, ALL);
    ck_assert(at.ascend);
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    ck_assert_ptr_null(strstr(host_messages(host), "were removed"));
    ck_assert(host_has("wandb/latest-run/run-abc.wandb.synced"));
}

/* Trains for ever. */
static void program(const char *mode)
{
    char yaml[600];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: throughput, show_report: false}\n"
             "logger_callback:\n"
             "  - wandb: {mode: %s, run_id: abc, project: demo, system: false, interval: 100ms, "
             "thin_after: 0, max_size: 60kB, when_full: rotate, console: \"off\"}\n",
             mode);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    sw_set_messages(sw, NULL, NULL);
    for (int i = 0;; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 1);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

/* Kills it when its file has been replaced, wherever it is then. */
static void program_run_and_kill(const char *mode)
{
    struct stat st;
    ino_t first = 0;
    scratch_enter();
    pid_t child = fork();
    if (child == 0)
        program(mode);
    bool replaced = false;
    for (int i = 0; i < 6000 && !replaced; i++) {
        usleep(10000);
        bool there = stat(file, &st) == 0;
        replaced = there && first && st.st_ino != first && st.st_size > MAX_SIZE / 3;
        first = there && !first ? st.st_ino : first;
    }
    ck_assert(replaced);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

SERVICE_TEST(a_run_that_is_killed_is_uploaded_with_its_newest_rows, "")
{
    program_run_and_kill("offline");
    ck_assert_int_lt(size_of_file(), MAX_SIZE);
    sync_well();
    json_auto_t *state = service_state(service);
    struct at_service at = losses_of(state);
    ck_assert_int_gt(at.count, 0);
    ck_assert_int_eq(at.count, losses_in_file());
    ck_assert_int_eq(at.last - at.first + 1, at.count);
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 1);
}

/* Whatever was removed meanwhile. */
SERVICE_TEST(the_rest_of_a_killed_run_is_added_and_nothing_comes_twice, "")
{
    program_run_and_kill("online");
    json_auto_t *before = service_state(service);
    int had = service_run(before) ? losses_of(before).count : 0;
    sync_well();
    json_auto_t *state = service_state(service);
    struct at_service at = losses_of(state);
    ck_assert_int_ge(at.count, had);
    ck_assert_int_ge(at.count, losses_in_file());
    ck_assert_int_le(at.count, at.last + 1);
    ck_assert(at.ascend);
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    sync_well();
    json_auto_t *again = service_state(service);
    ck_assert_int_eq(losses_of(again).count, at.count);
}

SERVICE_TEST(a_file_that_cannot_be_replaced_grows_and_is_said, "")
{
    char options[400];
    snprintf(options, sizeof options, "mode: offline\nrun_id: abc\nsystem: false\n%s", rotate);
    struct host *host = host_open("wandb", options);
    losses(host, 0, ROUND);
    ck_assert_int_eq(mkdir("wandb/latest-run/.part-run", 0700), 0);
    losses(host, ROUND, 1000);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "the oldest rows cannot be removed"));
    ck_assert_int_ge(losses_in_file(), 999);
    ck_assert_int_eq(rmdir("wandb/latest-run/.part-run"), 0);
    for (int64_t step = 1000; step < 2000; step += ROUND)
        losses(host, step, step + ROUND);
    host_close(host);
    ck_assert_int_lt(losses_in_file(), 1000);
    ck_assert_int_eq(records_of(SWI_RECORD_EXIT), 1);
}

SUITE(wandb_rotation)
{
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_file_has_the_newest_rows_and_all_results);
    tcase_add_test(tc, an_upload_that_keeps_up_loses_nothing);
    tcase_add_test(tc, a_run_that_is_killed_is_uploaded_with_its_newest_rows);
    tcase_add_test(tc, the_rest_of_a_killed_run_is_added_and_nothing_comes_twice);
    tcase_add_test(tc, a_file_that_cannot_be_replaced_grows_and_is_said);
}
