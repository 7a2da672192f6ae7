/* SPDX-License-Identifier: MIT */
/* test_uploader.c - the file that the sink loads for a run that is uploaded, and for no other: from
 * its own folder, when nobody else can have put it there. Without it there is a file all the same.
 */
#include "config.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char messages[4096];

static void keep(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    strncat(messages, text, sizeof messages - strlen(messages) - 1);
    strncat(messages, "\n", sizeof messages - strlen(messages) - 1);
}

/* A service that nobody has, and a key for it. */
static void environment(void)
{
    unsetenv("WANDB_MODE");
    unsetenv("WANDB_DIR");
    unsetenv("RANK");
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("WANDB_BASE_URL", "http://127.0.0.1:1", 1);
    setenv("WANDB_API_KEY", "SECRET0123456789SECRET0123456789SECRET01", 1);
    setenv("no_proxy", "*", 1);
}

/* A run by the sink of that folder. */
static void run(const char *folder, const char *mode)
{
    char yaml[1024];
    struct sw_error err = {0};
    *messages = '\0';
    snprintf(yaml, sizeof yaml,
             "profiler: {show_report: false, close_timeout: 1s}\n"
             "plugin_path: [ %s ]\n"
             "logger_callback:\n"
             "  - wandb: { mode: %s, project: demo, system: false }\n",
             folder, mode);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep, NULL);
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}

static bool is_loaded(const char *file)
{
    char line[4352];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, file) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static size_t files(const char *pattern)
{
    glob_t found;
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

#ifdef HAVE_UPLOAD
START_TEST(only_a_run_that_is_uploaded_loads_it)
{
    scratch_enter();
    environment();
    run(BUILDDIR "/sinks/.libs", "offline");
    ck_assert(is_loaded("/sinks/.libs/wandb.so") && !is_loaded("wandb-upload.so"));
    unsetenv("WANDB_API_KEY");
    run(BUILDDIR "/sinks/.libs", "environment");
    ck_assert(!is_loaded("wandb-upload.so"));
    environment();
    run(BUILDDIR "/sinks/.libs", "online");
    ck_assert(is_loaded("/sinks/.libs/wandb-upload.so"));
}
END_TEST
#endif

/* ---- what is not loaded ---------------------------------------------------------------------- */

static void nothing(void)
{
}

static void a_text(void)
{
    scratch_write("sinks/wandb-upload.so", "no library", 10);
}

static void copied(void)
{
    scratch_copy(BUILDDIR "/sinks/.libs/wandb-upload.so", "sinks/wandb-upload.so");
}

static void a_link(void)
{
    ck_assert_int_eq(symlink(BUILDDIR "/sinks/.libs/wandb-upload.so", "sinks/wandb-upload.so"), 0);
}

static void a_folder(void)
{
    ck_assert_int_eq(mkdir("sinks/wandb-upload.so", 0755), 0);
}

static void a_fifo(void)
{
    ck_assert_int_eq(mkfifo("sinks/wandb-upload.so", 0644), 0);
}

static void of_everybody(void)
{
    copied();
    ck_assert_int_eq(chmod("sinks/wandb-upload.so", 0666), 0);
}

static void of_the_group(void)
{
    copied();
    ck_assert_int_eq(chmod("sinks/wandb-upload.so", 0664), 0);
}

/* What the module exports begins with it; a sanitizer's build may have other texts that look like
 * that. */
static void of_another_release(void)
{
    size_t size, found = 0;
    copied();
    char *content = scratch_read("sinks/wandb-upload.so", &size), version[32] = "";
    memcpy(version, sw_version(), strlen(sw_version()));
    for (char *at = content; (at = memmem(at, size - (size_t)(at - content), version, 32)); found++)
        memcpy(at, "0.0.0", 5);
    ck_assert_uint_ge(found, 1);
    scratch_write("sinks/wandb-upload.so", content, size);
    free(content);
}

static const struct {
    void (*made)(void);
    const char *said;
} cases[] = {
    {nothing,
     "wandb-upload.so does not exist: this stepwatch was built without the libraries it needs, "
     "or it is not installed completely; the run is only written to a file\n"},
    {a_text, "wandb-upload.so cannot be loaded: "},
    {a_link, "wandb-upload.so cannot be opened: it is a symbolic link"},
    {a_folder, "wandb-upload.so is not loaded: it is not a regular file"},
    {a_fifo, "wandb-upload.so is not loaded: it is not a regular file"},
    {of_everybody, "it can be written by somebody who cannot write the sink's own file"},
    {of_the_group, "it can be written by somebody who cannot write the sink's own file"},
    {of_another_release, "wandb-upload.so belongs to stepwatch 0.0.0, but the sink to "},
};

START_TEST(without_it_the_run_is_a_file_and_both_are_reported)
{
    scratch_enter();
    environment();
    ck_assert_int_eq(mkdir("sinks", 0755), 0);
    scratch_copy(BUILDDIR "/sinks/.libs/wandb.so", "sinks/wandb.so");
    cases[_i].made();
    run(scratch_path("sinks"), "online");
    const char *said = strstr(messages, cases[_i].said);
    ck_assert_msg(said != NULL, "%s", messages);
    ck_assert_msg(!strstr(said + 1, cases[_i].said), "it is said twice: %s", messages);
    ck_assert_msg(strstr(messages, "upload the run with: stepwatch sync /"), "%s", messages);
    ck_assert(!is_loaded("sinks/wandb-upload.so") ||
              strstr(cases[_i].said, " belongs to stepwatch "));
    ck_assert_uint_eq(files("wandb/offline-run-*/run-*.wandb"), 1);
}
END_TEST

SUITE(wandb_uploader)
{
#ifdef HAVE_UPLOAD
    tcase_add_test(tc, only_a_run_that_is_uploaded_loads_it);
    tcase_add_loop_test(tc, without_it_the_run_is_a_file_and_both_are_reported, 0,
                        (int)(sizeof cases / sizeof *cases));
#else
    tcase_add_loop_test(tc, without_it_the_run_is_a_file_and_both_are_reported, 0, 1);
#endif
}
