/* SPDX-License-Identifier: MIT */
/* test_addresses.c - no user or password of an address gets into a run, whatever the program, its
 * configuration or its surroundings put into one. */
#include "core/text/address_user.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const cases[][2] = {
    {"", ""},
    {"a text", "a text"},
    {"https://host/path", "https://host/path"},
    {"https://user@host", "https://host"},
    {"https://user:pass@host/path", "https://host/path"},
    {"https://user:p@ss@host/path", "https://host/path"},
    {"https://user:pa/ss@host/path", "https://host/path"},
    {"https://user:pa?ss#@host/path", "https://host/path"},
    {"HTTP://user@host", "HTTP://host"},
    {"s3+odd.scheme-1://user@host", "s3+odd.scheme-1://host"},
    {"postgresql://user:pass@/data", "postgresql:///data"},
    {"see https://a:b@c/d and ftp://e@f.", "see https://c/d and ftp://f."},
    {"<https://a@b>, \"https://c@d\"", "<https://b>, \"https://d\""},
    {"https://host/@scope/x", "https://host/@scope/x"},
    {"https://host:8080/@scope/x", "https://host:8080/@scope/x"},
    {"https://[::1]/@scope/x", "https://[::1]/@scope/x"},
    {"https://user@[::1]:80/x", "https://[::1]:80/x"},
    {"https://host me@host", "https://host me@host"},
    {"git@host:path", "git@host:path"},
    {"file:///home/a@b", "file:///home/a@b"},
    {"://user@", "://"},
};

START_TEST(the_user_of_each_address_with_a_scheme_goes)
{
    char *clean = swi_address_clean_copy(cases[_i][0]);
    ck_assert_str_eq(clean, cases[_i][1]);
    free(clean);
}
END_TEST

/* ---- in a run -------------------------------------------------------------------------------- */

#define SECRET "SECRETTOKEN"
#define ADDRESS "HTTPS://me:" SECRET "@host.example/x.git"

static char leak[4096];

static bool has_secret(const char *path)
{
    static char text[1 << 22];
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    ck_assert_uint_lt(size, sizeof text);
    return memmem(text, size, SECRET, strlen(SECRET));
}

static int file_look(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)place;
    if (type == FTW_F && strncmp(path, "./.git/", 7) != 0 && has_secret(path))
        snprintf(leak, sizeof leak, "%s", path);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file != NULL, "%s", path);
    fputs(text, file);
    fclose(file);
}

/* In quotes, as git writes an address with a # or a ;. */
static void repository_make(void)
{
    ck_assert_int_eq(mkdir(".git", 0700), 0);
    put(".git/HEAD", "ref: refs/heads/main\n");
    put(".git/config", "[remote \"origin\"]\n\turl = \"" ADDRESS "\"\n");
}

static const struct {
    const char *sink, *options;
} sinks[] = {
    {"runlog", "path: run.jsonl\n"},
    {"sqlite", "layout: stepwatch\ndatabase: run.db\n"},
    {"sqlite", "layout: trackio\n"},
    {"mlflow", "mode: offline\nexperiment: " ADDRESS "\nrun_name: " ADDRESS "\nnotes: " ADDRESS
               "\ntags: {repository: \"" ADDRESS "\"}\n"},
    {"wandb", "mode: offline\ngroup: " ADDRESS "\njob_type: " ADDRESS "\nname: " ADDRESS
              "\nnotes: " ADDRESS "\ntags: [\"" ADDRESS "\"]\n"},
    {"tensorboard", ""},
    {"trace", ""},
    {"prometheus", "path: run.prom\n"},
    {"table", "path: table.txt\n"},
    {"csv", "path: table.csv\n"},
    {"markdown", "path: table.md\n"},
};

START_TEST(no_file_and_no_message_of_a_run_has_it)
{
    setenv("HOME", "/nonexistent", 1);
    setenv("WANDB_PROGRAM", ADDRESS, 1);
    setenv("WANDB_GIT_REMOTE_URL", ADDRESS, 1);
    setenv("WANDB_TAGS", ADDRESS, 1);
    setenv("MLFLOW_EXPERIMENT_NAME", ADDRESS, 1);
    host_name(ADDRESS);
    host_close(host_open("table", "path: first.txt\n")); /* enters the scratch folder */
    repository_make();
    struct host *host = host_open(sinks[_i].sink, sinks[_i].options);
    sw_hparam_string(host_profiler(host), "repository", ADDRESS);
    sw_alert(host_profiler(host), SW_WARNING, "cannot reach " ADDRESS, "at " ADDRESS);
    host_fit(host, 2);
    ck_assert_msg(!strstr(host_messages(host), SECRET), "%s", host_messages(host));
    host_close(host);
    ck_assert_int_eq(nftw(".", file_look, 16, FTW_PHYS), 0);
    ck_assert_msg(!*leak, "%s has it", leak);
}
END_TEST

START_TEST(a_mistake_in_a_configuration_does_not_repeat_it)
{
    SW_ERROR_SCOPE(err);
    ck_assert_ptr_null(sw_open_text("profiler: simple\n" ADDRESS ": [1]\nlogger_callback: [table: "
                                    "{path: " ADDRESS ", colour: " ADDRESS "}]\n",
                                    &err));
    ck_assert_msg(!strstr(sw_error_text(&err), SECRET), "%s", sw_error_text(&err));
}
END_TEST

SUITE(addresses)
{
    tcase_add_loop_test(tc, the_user_of_each_address_with_a_scheme_goes, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_loop_test(tc, no_file_and_no_message_of_a_run_has_it, 0,
                        sizeof sinks / sizeof *sinks);
    tcase_add_test(tc, a_mistake_in_a_configuration_does_not_repeat_it);
}
