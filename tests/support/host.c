/* SPDX-License-Identifier: MIT */
#include "tests/support/host.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 32 };

struct host {
    struct sw_profiler *sw;
    int64_t now;
    int stdout_before;
    pthread_mutex_t lock; /* of messages, which the sink's thread adds to */
    char messages[8192], shown[8192];
};

/* ---- the scratch folder ---------------------------------------------------------------------- */

static char scratch[64];
static char *texts[FILES_MAX]; /* what host_file() gave */

static void scratch_remove(void)
{
    char command[128];
    for (int i = 0; i < FILES_MAX; i++)
        free(texts[i]);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (chdir("/") != 0 || system(command) != 0)
        perror(scratch);
}

static void scratch_enter(void)
{
    if (*scratch)
        return;
    snprintf(scratch, sizeof scratch, "/tmp/stepwatch-check-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    ck_assert_int_eq(chdir(scratch), 0);
    atexit(scratch_remove);
}

static char *text_read(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "there is no file %s", path);
    char *text = calloc(1, 8 << 20);
    size_t size = fread(text, 1, (8 << 20) - 1, file);
    ck_assert_msg(!ferror(file) && size < (8 << 20) - 1, "%s cannot be read", path);
    fclose(file);
    return text;
}

const char *host_file(const char *path)
{
    static int next;
    int i = next++ % FILES_MAX;
    free(texts[i]);
    texts[i] = text_read(path);
    return texts[i];
}

bool host_has(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- standard output ------------------------------------------------------------------------- */

static int stdout_catch(void)
{
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    int file = open("stdout.txt", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert(before >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    close(file);
    return before;
}

static void stdout_restore(int before)
{
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
}

const char *host_stdout(void)
{
    return host_file("stdout.txt");
}

/* ---- the configuration ----------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* Each line of `lines`, so many blanks further in. */
static void append_lines(char *text, size_t size, const char *lines, int blanks)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        append(text, size, "%*s%.*s\n", blanks, "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static const char *run_name = "test";

void host_name(const char *name)
{
    run_name = name;
}

static const char *run_monitor = "";

void host_monitor(const char *name)
{
    run_monitor = name;
}

static void yaml_make(char *yaml, size_t size, const char *sink, const char *options,
                      const char *profiler)
{
    *yaml = '\0';
    append(yaml, size, "name: \"%s\"\n", run_name);
    if (*run_monitor)
        append(yaml, size, "monitors: [%s]\n", run_monitor);
    append(yaml, size, "profiler:\n  show_report: false\n  signals: false\n");
    /* Unless the test is about it, a busy machine may take longer than a user waits. */
    if (!strstr(profiler, "close_timeout"))
        append(yaml, size, "  close_timeout: 60s\n");
    append_lines(yaml, size, profiler, 2);
    append(yaml, size, "plugin_path: [ \"%s/sinks/.libs\" ]\nlogger_callback:\n  - %s%s\n",
           BUILDDIR, sink, *options ? ":" : "");
    append_lines(yaml, size, options, 6);
}

/* ---- open and close -------------------------------------------------------------------------- */

static int64_t clock_read(void *arg)
{
    const struct host *host = arg;
    return host->now;
}

static void message_keep(void *arg, enum sw_level level, const char *text)
{
    static const char *const name[] = {"note", "warning", "error"};
    struct host *host = arg;
    pthread_mutex_lock(&host->lock);
    append(host->messages, sizeof host->messages, "%s: %s\n", name[level], text);
    pthread_mutex_unlock(&host->lock);
}

struct host *host_open_with(const char *sink, const char *options, const char *profiler)
{
    struct sw_error err = {0};
    char yaml[4096];
    struct host *host = calloc(1, sizeof *host);
    pthread_mutex_init(&host->lock, NULL);
    scratch_enter();
    host->stdout_before = stdout_catch();
    yaml_make(yaml, sizeof yaml, sink, options, profiler);
    host->sw = sw_open_text(yaml, &err);
    if (!host->sw)
        stdout_restore(host->stdout_before);
    ck_assert_msg(host->sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(host->sw, message_keep, host);
    sw_set_clock(host->sw, clock_read, host);
    return host;
}

struct host *host_open_log(const char *detail, const char *profiler)
{
    char options[64];
    snprintf(options, sizeof options, "path: run.jsonl\ndetail: %s\n", detail);
    return host_open_with("runlog", options, profiler);
}

struct host *host_open(const char *sink, const char *options)
{
    return host_open_with(sink, options, "");
}

struct sw_profiler *host_profiler(struct host *host)
{
    return host->sw;
}

int host_close_rc(struct host *host, struct sw_error *err)
{
    static struct host *closed;
    int rc = sw_close(host->sw, err);
    stdout_restore(host->stdout_before);
    free(closed);
    closed = host;
    return rc;
}

void host_close(struct host *host)
{
    struct sw_error err = {0};
    int rc = host_close_rc(host, &err);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
}

const char *host_messages(struct host *host)
{
    pthread_mutex_lock(&host->lock);
    memcpy(host->shown, host->messages, sizeof host->shown);
    pthread_mutex_unlock(&host->lock);
    return host->shown;
}

/* ---- a loop ---------------------------------------------------------------------------------- */

void host_wait(struct host *host, int64_t ns)
{
    host->now += ns;
}

void host_metric(struct host *host, int64_t step, const char *name, double value)
{
    sw_set_step(host->sw, step);
    sw_begin(host->sw, SW_BATCH);
    sw_log(host->sw, name, value);
    sw_end_batch(host->sw, 0);
}

void host_metrics(struct host *host, int names, double first)
{
    char name[20];
    for (int i = 0; i < names; i++) {
        snprintf(name, sizeof name, "m%d", i);
        sw_log(host->sw, name, first + i);
    }
}

static void step(struct host *host, int shorter)
{
    sw_begin(host->sw, SW_DRAW);
    host_wait(host, 10000000 / shorter);
    sw_next(host->sw, SW_BATCH);
    host_wait(host, 90000000 / shorter);
    sw_end_batch(host->sw, 64);
}

void host_fit_of(struct host *host, int steps, int shorter)
{
    SW_SCOPE(host->sw, SW_FIT);
    SW_SCOPE(host->sw, SW_EPOCH);
    sw_begin(host->sw, SW_TRAIN);
    for (int i = 0; i < steps; i++)
        step(host, shorter);
    sw_end(host->sw, SW_TRAIN);
    sw_begin(host->sw, SW_VALID);
    step(host, shorter);
    sw_end(host->sw, SW_VALID);
}

void host_fit(struct host *host, int steps)
{
    host_fit_of(host, steps, 1);
}
