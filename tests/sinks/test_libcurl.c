/* SPDX-License-Identifier: MIT */
/* test_libcurl.c - the library that a sink loads for a run that is uploaded, and for no other.
 * Without it the run is written all the same. */
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

/* A service that nobody has, and a key for it. */
static void environment(void)
{
    unsetenv("WANDB_MODE");
    unsetenv("WANDB_DIR");
    unsetenv("RANK");
    unsetenv("MLFLOW_RUN_ID");
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("WANDB_BASE_URL", "http://127.0.0.1:1", 1);
    setenv("WANDB_API_KEY", "SECRET0123456789SECRET0123456789SECRET01", 1);
    setenv("no_proxy", "*", 1);
}

static const struct {
    const char *offline, *online; /* the sink and its options */
    const char *file;             /* what it writes in any case */
    const char *instead;          /* the end of the message */
} sinks[] = {
#ifdef HAVE_SEND
    {"wandb: {mode: offline, project: demo, system: false}",
     "wandb: {mode: online, project: demo, system: false}", "wandb/offline-run-*/run-*.wandb",
     "; the run is only written to a file\n"},
#endif
    {"mlflow: {mode: offline, system: false}",
     "mlflow: {tracking_uri: 'http://127.0.0.1:1', system: false}",
     "runs/mlflow/run-*/journal.jsonl", "; the run is only written to its journal\n"},
    {"prometheus: {path: run.prom}", "prometheus: {path: run.prom, push: 'http://127.0.0.1:1'}",
     "run.prom", "; nothing is pushed\n"},
};

static const char *yaml(const char *sink)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "profiler: {show_report: false, close_timeout: 1s}\n"
             "plugin_path: [ %s ]\n"
             "logger_callback:\n"
             "  - %s\n",
             BUILDDIR "/sinks/.libs", sink);
    return text;
}

static void run(const char *sink)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open_text(yaml(sink), &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_log(sw, "loss", 1);
    int rc = sw_close(sw, &err);
    ck_assert_msg(rc == 0 || rc == SW_ETIME, "%s", sw_error_text(&err)); /* nobody answers */
    sw_error_free(&err);
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

START_TEST(only_a_run_that_is_uploaded_loads_it)
{
    scratch_enter();
    environment();
    run(sinks[_i].offline);
    ck_assert(!is_loaded("libcurl") && !is_loaded("libssl"));
    run(sinks[_i].online);
    ck_assert(is_loaded("libcurl"));
}
END_TEST

/* How often a text is in another. */
static int times(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

static size_t files(const char *pattern)
{
    glob_t found;
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

/* The loader finds texts under both names of the library. */
START_TEST(without_it_the_run_is_written_and_that_is_reported_once)
{
    size_t size;
    scratch_enter();
    environment();
    ck_assert_int_eq(mkdir("lib", 0755), 0);
    scratch_write("lib/libcurl.so.4", "no library", 10);
    scratch_write("lib/libcurl-gnutls.so.4", "no library", 10);
    const char *text = yaml(sinks[_i].online);
    scratch_write("stepwatch.yaml", text, strlen(text));
    setenv("LD_LIBRARY_PATH", "lib", 1);
    ck_assert_int_eq(system(BUILDDIR "/tests/tools/loop steps 0 >said.txt 2>&1"), 0);
    char *said = scratch_read("said.txt", &size);
    ck_assert_msg(times(said, "libcurl cannot be loaded: ") == 1, "%s", said);
    ck_assert_msg(strstr(said, "libcurl.so.4: ") && times(said, sinks[_i].instead) == 1, "%s",
                  said);
    ck_assert_uint_eq(files(sinks[_i].file), 1);
    free(said);
}
END_TEST

SUITE(libcurl)
{
    tcase_add_loop_test(tc, only_a_run_that_is_uploaded_loads_it, 0,
                        (int)(sizeof sinks / sizeof *sinks));
    tcase_add_loop_test(tc, without_it_the_run_is_written_and_that_is_reported_once, 0,
                        (int)(sizeof sinks / sizeof *sinks));
}
