/* SPDX-License-Identifier: MIT */
/* test_summary.c - the summary is the last value of each metric of the history: in the file of a
 * program that is killed at any time, and at the service at every moment. */
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/values/fields.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* ---- a program that is killed ---------------------------------------------------------------- */

static const char yaml[] = "profiler: {show_report: false}\n"
                           "logger_callback:\n"
                           "  - wandb: {mode: %s, run_id: abc, system: false, interval: 100ms}\n";

/* One value in each step, one in some of them, one that comes once. */
static void program(const char *mode)
{
    char text[256];
    struct sw_error err;
    snprintf(text, sizeof text, yaml, mode);
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!sw)
        _exit(99);
    sw_set_messages(sw, NULL, NULL);
    for (int i = 0;; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        if (i % 7 == 0)
            sw_log(sw, "seldom", i);
        if (i == 3)
            sw_log(sw, "once", 1.5);
        sw_end_batch(sw, 1);
        pause_us(500);
    }
}

static pid_t start(const char *mode)
{
    pid_t child = fork();
    if (child == 0)
        program(mode);
    return child;
}

static void killed(pid_t child)
{
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

/* ---- in the file ----------------------------------------------------------------------------- */

static const char *name_of(const struct swi_item_message *item)
{
    return item->n_nested_key ? item->nested_key[0] : item->key;
}

static void item_take(struct swi_fields *row, const struct swi_item_message *item)
{
    struct swi_text *json = swi_fields_set(row, name_of(item));
    ck_assert_ptr_nonnull(json);
    swi_wandb_item_json(json, item);
}

static int file_read(const char *path, struct swi_fields *last, struct swi_fields *summary)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    int rows = 0, rc = swi_wandb_reader_open(&reader, path, &err);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        if (record->what == SWI_RECORD_HISTORY) {
            for (size_t i = 0; i < record->history->n_item; i++)
                item_take(last, record->history->item[i]);
            rows++;
        }
        if (record->what == SWI_RECORD_SUMMARY)
            for (size_t i = 0; i < record->summary->n_update; i++)
                item_take(summary, record->summary->update[i]);
    }
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    return rows;
}

static void is_same(const struct swi_fields *last, const struct swi_fields *summary)
{
    for (size_t i = 0; i < last->count; i++) {
        const struct swi_text *value = swi_fields_get(summary, last->item[i].key);
        ck_assert_msg(value != NULL, "%s is not in the summary", last->item[i].key);
        ck_assert_msg(strcmp(value->data, last->item[i].json.data) == 0,
                      "%s is %s in the summary, and %s in the last row", last->item[i].key,
                      value->data, last->item[i].json.data);
    }
}

static int trials(void)
{
    const char *text = getenv("STEPWATCH_TRIALS");
    return text ? atoi(text) : 3;
}

/* Also by wandb sync, which takes the summary from its records alone. */
START_TEST(a_killed_program_leaves_the_summary_of_its_rows)
{
    unsigned seed = (unsigned)time(NULL) + (unsigned)_i;
    struct swi_fields last = {0}, summary = {0};
    scratch_enter();
    unsetenv("WANDB_DIR");
    unsetenv("RANK");
    pid_t child = start("offline");
    pause_us(1100000 + rand_r(&seed) % 1000000);
    killed(child);
    int rows = file_read("wandb/latest-run/run-abc.wandb", &last, &summary);
    ck_assert_int_gt(rows, 0);
    is_same(&last, &summary);
    swi_fields_free(&last);
    swi_fields_free(&summary);
}
END_TEST

/* ---- at the service -------------------------------------------------------------------------- */

static json_t *lines_of(json_t *state, const char *file)
{
    return json_object_get(json_object_get(service_run(state), "lines"), file);
}

static json_t *summary_of(json_t *state)
{
    const char *text = json_string_value(json_array_get(lines_of(state, "wandb-summary.json"), 0));
    return text ? json_loads(text, 0, NULL) : NULL;
}

static void moment_check(json_t *state)
{
    json_t *last = json_object(), *summary = summary_of(state), *value, *line;
    const char *name;
    size_t i;
    json_array_foreach(lines_of(state, "wandb-history.jsonl"), i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        json_object_update(last, row);
        json_decref(row);
    }
    json_object_foreach(last, name, value)
        ck_assert_msg(json_equal(value, json_object_get(summary, name)), "%s differs", name);
    json_decref(last);
    json_decref(summary);
}

static bool has_rows(json_t *state, void *arg)
{
    return json_array_size(lines_of(state, "wandb-history.jsonl")) >= *(size_t *)arg;
}

SERVICE_TEST(at_every_moment_the_summary_is_that_of_the_rows_that_are_there, "--no-bodies")
{
    pid_t child = start("online");
    for (size_t rows = 1; rows < 2000; rows += 400) {
        service_wait_until(service, has_rows, &rows);
        json_auto_t *state = service_state(service);
        moment_check(state);
    }
    killed(child);
    ck_assert_int_eq(sw_wandb_sync("wandb/latest-run", NULL, NULL, NULL), 0);
    json_auto_t *state = service_state(service);
    moment_check(state);
}

/* A post that is full ends between two rows of the file. */
SERVICE_TEST(a_post_that_is_full_has_the_summary_of_its_rows, "--no-bodies")
{
    struct host *host = online_open("interval: 600s\n", "100s");
    for (int i = 0; i < 14000; i++)
        host_metric(host, i, "loss", i);
    for (size_t rows = 1; rows < 12000; rows += 4000) {
        service_wait_until(service, has_rows, &rows);
        json_auto_t *state = service_state(service);
        moment_check(state);
    }
    host_close(host);
}

SUITE(wandb_summary)
{
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_killed_program_leaves_the_summary_of_its_rows, 0, trials());
    tcase_add_test(tc, at_every_moment_the_summary_is_that_of_the_rows_that_are_there);
    tcase_add_test(tc, a_post_that_is_full_has_the_summary_of_its_rows);
}
