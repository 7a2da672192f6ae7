/* SPDX-License-Identifier: MIT */
/* test_secrets.c - wherever the key comes from, it is in nothing that a program with all sinks
 * leaves: no file of any sink, no line that is printed, no request but for its one header. */
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder that is not the program's, for the files that do hold the key. */
static char home[512];

static void put(const char *name, const char *format, const char *host)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, format, host, online_key);
    fclose(file);
    ck_assert_int_eq(chmod(path, 0600), 0);
}

static void home_make(struct service *service)
{
    snprintf(home, sizeof home, "%s/home", service_folder(service));
    ck_assert_int_eq(mkdir(home, 0700), 0);
    unsetenv("WANDB_API_KEY");
    setenv("HOME", home, 1);
}

enum { ENVIRONMENT, NETRC, SETTINGS, KEY_FILE, SOURCES };

static void key_put(struct service *service, int source)
{
    const char *host = service_url(service) + strlen("http://");
    home_make(service);
    if (source == ENVIRONMENT)
        setenv("WANDB_API_KEY", online_key, 1);
    if (source == NETRC)
        put(".netrc", "machine %s login user password %s\n", host);
    if (source == SETTINGS)
        put("settings", "# %s\n[default]\napi_key = %s\n", host);
    if (source == KEY_FILE)
        put("key", "%.0s%s\n", host);
    if (source == SETTINGS)
        setenv("WANDB_CONFIG_DIR", home, 1);
}

static const char yaml[] = "profiler: {close_timeout: 100s}\n"
                           "logger_callback:\n"
                           "  - table\n"
                           "  - markdown: {path: report.md}\n"
                           "  - csv: {path: report.csv, columns: all}\n"
                           "  - runlog: {path: run.jsonl}\n"
                           "  - wandb: {mode: online, run_id: abc, interval: 100ms%s%s%s}\n";

/* In a process of its own, for all that it prints. */
static void train(int source)
{
    char text[1024];
    bool file = source == KEY_FILE;
    snprintf(text, sizeof text, yaml, file ? ", key_file: " : "", file ? home : "",
             file ? "/key" : "");
    if (!freopen("out.txt", "w", stdout) || !freopen("err.txt", "w", stderr))
        _exit(2);
    struct sw_profiler *sw = sw_open_text(text, NULL);
    sw_hparam_string(sw, "optimizer", "Adam");
    for (int i = 0; i < 20; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "train/loss", i);
        sw_end_batch(sw, 1);
    }
    sw_close(sw, NULL);
    fflush(NULL);
    _exit(sw ? 0 : 3);
}

static void assert_key_is_kept(int source, const char *arguments, bool arrives)
{
    struct service *service = online_begin(arguments);
    int status;
    if (!service)
        return;
    scratch_enter();
    key_put(service, source);
    pid_t child = fork();
    if (child == 0)
        train(source);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    json_t *state = service_state(service);
    ck_assert_int_eq(service_run(state) != NULL, arrives);
    json_decref(state);
    ck_assert_int_gt(service_count(service, "any"), 0); /* there was a key */
    online_key_is_kept(service, "");
    service_close(service);
}

START_TEST(a_key_from_anywhere_is_in_nothing_that_is_left)
{
    assert_key_is_kept(_i, "--storage other", true);
}
END_TEST

/* Messages of the service are shown to the user, and the service knows the key. */
START_TEST(nor_is_one_that_was_refused)
{
    assert_key_is_kept(_i, "--key 1111111111111111111111111111111111111111", false);
}
END_TEST

SUITE(wandb_secrets)
{
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, a_key_from_anywhere_is_in_nothing_that_is_left, 0, SOURCES);
    tcase_add_loop_test(tc, nor_is_one_that_was_refused, 0, SOURCES);
}
