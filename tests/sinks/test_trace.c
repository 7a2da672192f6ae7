/* SPDX-License-Identifier: MIT */
/* The sink trace: each format is read back, its limits hold, and each window has its file. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/support/timelines.h"

#include <stepwatch/sink.h>

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *format, *options;
} forms[] = {{"chrome", "path: out/t.json\n"},
             {"perfetto", "format: perfetto\npath: out/t.pftrace\n"},
             {"torch", "format: torch\nlogdir: out\n"},
             {"xplane", "format: xplane\nlogdir: out\n"}};
enum { FORMS = sizeof forms / sizeof *forms };

/* What a command prints, until the next one. */
static const char *printed(const char *command)
{
    static char text[4096];
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    pclose(pipe);
    return text;
}

/* The files of out/ and below, sorted, "" if there are none. */
static const char *listed(void)
{
    return printed("test ! -d out || find out -type f | sort");
}

static char *only_file(void)
{
    char *path = strdup(listed()), *newline = strchr(path, '\n');
    ck_assert_msg(newline && !newline[1], "expected one file, found:\n%s", path);
    *newline = '\0';
    return path;
}

static void only_read(struct totals *found, const char *format)
{
    char *path = only_file();
    timeline_read(found, format, path);
    free(path);
}

START_TEST(every_format_has_the_regions_of_the_run)
{
    struct totals found, expected = {0};
    struct host *host = host_open("trace", forms[_i].options);
    host_fit(host, 20);
    host_close(host);
    only_read(&found, forms[_i].format);

    for (int i = 0; i < 21; i++) {
        timeline_add(&expected, "loop", "draw", 10000000);
        timeline_add(&expected, "loop", "batch", 90000000);
    }
    timeline_add(&expected, "loop", "fit", 2100000000);
    timeline_add(&expected, "loop", "epoch", 2100000000);
    timeline_add(&expected, "loop", "train", 2000000000);
    timeline_add(&expected, "loop", "valid", 100000000);
    timeline_same(&expected, &found, forms[_i].format);
    ck_assert_int_eq(found.cut, 0);
    if (strcmp(forms[_i].format, "xplane") == 0)
        ck_assert_int_eq(found.steps, 21);
    if (strcmp(forms[_i].format, "torch") == 0)
        ck_assert_int_eq(found.steps, 20);
    timeline_free(&found);
    timeline_free(&expected);
}
END_TEST

/* Each batch has 7 tokens, 3 of them in forward, and the calls between two batches have none. */
static void tokens_count(struct sw_profiler *sw)
{
    int tokens = sw_counter("tokens");
    for (int i = 0; i < 2; i++) {
        sw_begin(sw, SW_BATCH);
        sw_count(sw, tokens, 4);
        sw_begin(sw, SW_FORWARD);
        sw_count(sw, tokens, 3);
        sw_end(sw, SW_FORWARD);
        sw_begin(sw, SW_LOSS);
        sw_end(sw, SW_LOSS);
        sw_end_batch(sw, 1);
        sw_count(sw, tokens, 50);
    }
}

START_TEST(a_region_has_what_it_used_of_a_counter)
{
    struct host *host = host_open_with("trace", "path: out/t.json\n", "mode: simple\n");
    tokens_count(host_profiler(host));
    host_close(host);
    const char *text = host_file("out/t.json");
    int forward = 0, batch = 0;
    for (const char *at = text; (at = strstr(at, "\"tokens\":3")); at++)
        forward++;
    for (const char *at = text; (at = strstr(at, "\"tokens\":7,\"step\"")); at++)
        batch++;
    ck_assert_msg(forward == 2 && batch == 2, "%s", text);
}
END_TEST

START_TEST(on_the_page_of_tensorboard_a_region_has_what_it_used_of_a_counter)
{
    struct totals found;
    struct host *host = host_open_with("trace", "format: xplane\nlogdir: out\n", "mode: simple\n");
    tokens_count(host_profiler(host));
    host_close(host);
    only_read(&found, "xplane");
    ck_assert_int_eq(found.used, 2 * (3 + 7));
    ck_assert_int_eq(timeline_calls(&found, "loop/forward"), 2);
    timeline_free(&found);
}
END_TEST

/* ---- windows --------------------------------------------------------------------------------- */

static struct host *windows_open(const char *options)
{
    return host_open_with("trace", options,
                          "mode: simple\nschedule: { wait: 2, warmup: 1, active: 2, repeat: 2 }\n");
}

START_TEST(each_window_has_a_file_with_its_steps)
{
    struct totals found;
    struct host *host = windows_open(forms[_i].options);
    host_fit(host, 20);
    host_close(host);
    char *list = strdup(listed());
    int files = 0;
    for (char *path = strtok(list, "\n"); path; path = strtok(NULL, "\n")) {
        timeline_read(&found, forms[_i].format, path);
        ck_assert_int_eq(timeline_calls(&found, "loop/draw"), 2);
        ck_assert_int_eq(timeline_calls(&found, "loop/batch"), 2);
        ck_assert_int_eq(timeline_calls(&found, "loop/train"), 1);
        ck_assert_int_eq(found.cut, 3); /* fit, epoch and train */
        timeline_free(&found);
        files++;
    }
    ck_assert_int_eq(files, 2);
    free(list);
}
END_TEST

START_TEST(the_name_of_a_window_has_its_first_step)
{
    struct host *host = windows_open("path: out/t.json\n");
    host_fit(host, 20);
    host_close(host);
    ck_assert_str_eq(listed(), "out/t_3.json\nout/t_8.json\n");
    ck_assert_ptr_nonnull(
        strstr(host_file("out/t_3.json"), "\"args\":{\"step\":3,\"samples\":64}"));
}
END_TEST

static void steps_run(struct sw_profiler *sw, int steps)
{
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
}

static void phase_run(struct sw_profiler *sw, int action, int steps)
{
    sw_begin(sw, action);
    steps_run(sw, steps);
    sw_end(sw, action);
}

/* Two epochs of 4 training steps and 2 of validation. */
static void two_epochs_run(struct sw_profiler *sw, bool trains)
{
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 2; epoch++) {
        sw_begin(sw, SW_EPOCH);
        if (trains)
            phase_run(sw, SW_TRAIN, 4);
        else
            steps_run(sw, 4);
        phase_run(sw, SW_VALID, 2);
        sw_end(sw, SW_EPOCH);
    }
    sw_end(sw, SW_FIT);
}

static void assert_labels(const char *labels)
{
    struct totals found;
    only_read(&found, "xplane");
    ck_assert_str_eq(found.labels, labels);
    timeline_free(&found);
}

/* _i: with train, or with an epoch alone. */
START_TEST(a_step_of_a_window_has_its_number_within_the_epoch)
{
    struct host *host =
        host_open_with("trace", "format: xplane\nlogdir: out\n",
                       "mode: simple\nschedule: { wait: 2, active: 4, repeat: 1 }\n");
    two_epochs_run(host_profiler(host), _i == 0);
    host_close(host);
    assert_labels("train 0.2 train 0.3 valid 0.0 valid 0.1 train 1.0 train 1.1 ");
}
END_TEST

START_TEST(a_window_that_begins_in_a_validation_has_its_number_and_then_those_of_the_training)
{
    struct host *host =
        host_open_with("trace", "format: xplane\nlogdir: out\n", "mode: simple\ncapture: {}\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_TRAIN);
    steps_run(sw, 3);
    sw_begin(sw, SW_VALID);
    steps_run(sw, 1);
    sw_capture(sw, 2);
    steps_run(sw, 1);
    sw_end(sw, SW_VALID);
    steps_run(sw, 2);
    sw_end(sw, SW_TRAIN);
    host_close(host);
    assert_labels("valid 0.1 train 0.3 train 0.4 ");
}
END_TEST

START_TEST(a_window_that_begins_between_two_epochs_counts_from_0)
{
    struct host *host =
        host_open_with("trace", "format: xplane\nlogdir: out\n", "mode: simple\ncapture: {}\n");
    struct sw_profiler *sw = host_profiler(host);
    phase_run(sw, SW_TRAIN, 3);
    sw_capture(sw, 1);
    phase_run(sw, SW_TRAIN, 2);
    host_close(host);
    assert_labels("train 0.0 ");
}
END_TEST

START_TEST(a_cancelled_batch_has_no_number_within_the_epoch)
{
    struct host *host =
        host_open_with("trace", "format: xplane\nlogdir: out\n",
                       "mode: simple\nschedule: { wait: 2, active: 1, repeat: 1 }\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_TRAIN);
    steps_run(sw, 1);
    sw_begin(sw, SW_BATCH);
    sw_cancel(sw, SW_BATCH);
    steps_run(sw, 2);
    sw_end(sw, SW_TRAIN);
    host_close(host);
    assert_labels("train 0.2 ");
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

START_TEST(at_max_events_the_first_are_kept_and_the_rest_is_counted)
{
    struct totals found;
    char options[128];
    snprintf(options, sizeof options, "%smax_events: 10\n", forms[_i].options);
    struct host *host = host_open("trace", options);
    host_fit(host, 20);
    host_close_rc(host, NULL);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(timeline_calls(&found, "loop/draw") + timeline_calls(&found, "loop/batch"), 7);
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    if (strcmp(forms[_i].format, "xplane") != 0 && strcmp(forms[_i].format, "torch") != 0)
        ck_assert_int_eq(found.limit, 1);
    ck_assert_ptr_nonnull(
        strstr(host_messages(host), "the limit of a file (max_events) was reached: 36 regions"));
    timeline_free(&found);
}
END_TEST

static off_t size_of(const char *path)
{
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_size;
}

START_TEST(a_file_is_no_larger_than_max_size)
{
    struct totals found;
    char options[128];
    snprintf(options, sizeof options, "%smax_size: 20kB\n", forms[_i].options);
    struct host *host = host_open("trace", options);
    host_fit(host, 1000);
    host_close_rc(host, NULL);
    char *path = only_file();
    ck_assert_int_le(size_of(path), 20000);
    ck_assert_int_ge(size_of(path), 12000);
    timeline_read(&found, forms[_i].format, path);
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    timeline_free(&found);
    free(path);
}
END_TEST

START_TEST(keep_last_leaves_four_files_of_the_end_each_complete)
{
    char options[128];
    int64_t size = 0;
    snprintf(options, sizeof options, "%smax_size: 40kB\nkeep: last\ncounters: false\n",
             forms[_i].options);
    struct host *host = host_open("trace", options);
    host_fit(host, 2000);
    host_close(host);
    char *list = strdup(listed());
    int files = 0;
    for (char *path = strtok(list, "\n"); path; path = strtok(NULL, "\n"), files++) {
        size += size_of(path);
        if (strcmp(forms[_i].format, "chrome") == 0) {
            /* Regions that go on in the next file have no end here. */
            const char *text = host_file(path);
            ck_assert_int_eq(strncmp(text, "[\n{", 3), 0);
            ck_assert_str_eq(text + strlen(text) - 4, "}\n]\n");
            ck_assert_ptr_nonnull(strstr(text, "\"ph\":\"B\",\"name\":\"fit\""));
        }
    }
    ck_assert_int_eq(files, 4);
    ck_assert_int_le(size, 45000);
    free(list);
}
END_TEST

/* A file has a quarter of them, and what was open when it began. */
START_TEST(keep_last_also_keeps_the_limit_of_regions)
{
    struct host *host =
        host_open("trace", "path: out/t.json\nmax_size: 0\nmax_events: 400\nkeep: last\n");
    host_fit(host, 2000);
    host_close(host);
    ck_assert_int_eq(system("test $(ls -A out | wc -l) = 4"), 0);
    ck_assert_int_eq(system("for f in out/*.json; do test $(grep -c '\"ph\":\"X\"' $f) -le 104 "
                            "|| exit 1; done"),
                     0);
    ck_assert_int_eq(system("test $(cat out/*.json | grep -c '\"ph\":\"X\"') -ge 290"), 0);
}
END_TEST

START_TEST(keep_last_leaves_four_compressed_files)
{
    struct host *host = host_open("trace", "path: out/t.json.gz\nmax_size: 40kB\nkeep: last\n");
    host_fit(host, 2000);
    host_close(host);
    ck_assert_int_eq(system("test $(ls -A out | wc -l) = 4 && gzip -t out/t.*.json.gz"), 0);
    ck_assert_int_eq(
        system("for f in out/*.gz; do gunzip <$f | tail -n 1 | grep -qx ] || exit 1; done"), 0);
}
END_TEST

/* ---- options --------------------------------------------------------------------------------- */

START_TEST(gzip_is_made_beside_the_file_and_replaces_it)
{
    struct totals found;
    struct host *host =
        host_open("trace", _i ? "path: out/t.json\ncompress: gzip\n" : "path: out/t.json.gz\n");
    host_fit(host, 20);
    host_close(host);
    ck_assert_str_eq(listed(), "out/t.json.gz\n");
    ck_assert_int_eq(system("gzip -t out/t.json.gz && gunzip out/t.json.gz"), 0);
    timeline_read(&found, "chrome", "out/t.json");
    ck_assert_int_eq(timeline_calls(&found, "loop/batch"), 21);
    timeline_free(&found);
}
END_TEST

/* A compressor writes much of a short file at its end. */
START_TEST(a_compressed_file_that_cannot_be_completed_is_reported)
{
    const struct rlimit small = {256, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    struct sw_error err;
    struct host *host = host_open("trace", "format: torch\npath: out/t.json.gz\n");
    signal(SIGXFSZ, SIG_IGN);
    host_fit(host, 20);
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = host_close_rc(host, &err);
    setrlimit(RLIMIT_FSIZE, &large);
    ck_assert_int_lt(rc, 0);
    ck_assert_msg(strstr(sw_error_text(&err), "File too large") != NULL, "%s", sw_error_text(&err));
    ck_assert_str_eq(listed(), "");
    sw_error_free(&err);
}
END_TEST

START_TEST(a_plain_and_a_compressed_file_that_fail_have_the_reason_of_the_first)
{
    const struct rlimit none = {0, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    struct sw_error err;
    struct host *host = host_open("trace", "path: out/t.json.gz\n");
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    host_fit(host, 100);
    int rc = host_close_rc(host, &err);
    setrlimit(RLIMIT_FSIZE, &large);
    ck_assert_int_lt(rc, 0);
    ck_assert_msg(strstr(sw_error_text(&err), "/out/t.json: cannot be written") != NULL, "%s",
                  sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

static void metrics_record(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_hparam_float(sw, "lr", 0.5);
    sw_begin(sw, SW_FIT);
    host_metric(host, 0, "train/loss", 2.5);
    host_metric(host, 1, "odd \"name\"", 0.0 / 0.0);
    sw_end(sw, SW_FIT);
}

START_TEST(metrics_are_counters_but_for_what_is_not_finite)
{
    struct host *host = host_open("trace", "path: out/t.json\n");
    metrics_record(host);
    host_close(host);
    const char *text = host_file("out/t.json");
    ck_assert_ptr_nonnull(strstr(text, "{\"ph\":\"C\",\"name\":\"train/loss\""));
    ck_assert_ptr_nonnull(strstr(text, "\"args\":{\"value\":2.5}}"));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"config lr\""));
    ck_assert_ptr_null(strstr(text, "odd"));
}
END_TEST

START_TEST(metrics_are_tracks_in_each_format_but_torch)
{
    struct totals found;
    bool has = strcmp(forms[_i].format, "torch") != 0;
    struct host *host = host_open("trace", forms[_i].options);
    metrics_record(host);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(found.counters, has ? 1 : 0);
    ck_assert_double_eq(found.values, has ? 2.5 : 0);
    timeline_free(&found);
}
END_TEST

START_TEST(without_counters_there_are_none)
{
    struct totals found;
    char options[128];
    snprintf(options, sizeof options, "%scounters: false\n", forms[_i].options);
    struct host *host = host_open("trace", options);
    metrics_record(host);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(found.counters, 0);
    timeline_free(&found);
}
END_TEST

static struct sw_profiler *profiler;

static void *other_thread(void *arg)
{
    int action = sw_action("decode");
    (void)arg;
    for (int i = 0; i < 5; i++) {
        sw_begin(profiler, action);
        sw_end(profiler, action);
    }
    return NULL;
}

static void threads_record(const char *options, struct totals *found)
{
    pthread_t thread;
    struct host *host = host_open("trace", options);
    profiler = host_profiler(host);
    sw_begin(profiler, SW_FIT);
    ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
    sw_end(profiler, SW_FIT);
    host_close(host);
    only_read(found, "chrome");
}

START_TEST(other_threads_have_rows_unless_they_are_left_out)
{
    struct totals found;
    threads_record("path: out/t.json\n", &found);
    ck_assert_int_eq(timeline_calls(&found, "thread 1/decode"), 5);
    timeline_free(&found);
    threads_record("path: out/t.json\nthreads: false\n", &found);
    ck_assert_int_eq(timeline_calls(&found, "thread 1/decode"), 0);
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    timeline_free(&found);
}
END_TEST

/* The sink with another thread's regions 0.6 ms late, as they seem to be where the clock was
 * corrected before their ticks were converted. */
static const struct sw_sink_plugin *plugin;

static int late_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct sw_region late[64];
    struct sw_record moved = *record;
    ck_assert_uint_le(record->regions.count, 64);
    for (size_t i = 0; i < record->regions.count; i++) {
        late[i] = *sw_record_region(record, i);
        late[i].time_ns += late[i].phase == SW_PHASE_THREADS ? 600000 : 0;
    }
    moved.regions.item = late;
    moved.regions.stride = sizeof *late;
    return plugin->record(state, &moved, err);
}

static void late_register(void)
{
    static struct sw_sink_plugin late;
    struct sw_error err;
    void *file = dlopen(BUILDDIR "/sinks/.libs/trace.so", RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(file != NULL, "%s", dlerror());
    plugin = dlsym(file, "sw_sink_plugin");
    late = *plugin;
    late.name = "late";
    late.record = late_record;
    ck_assert_int_eq(sw_sink_register(&late, NULL, &err), 0);
}

static void step_with_thread(struct host *host)
{
    pthread_t thread;
    sw_begin(profiler, SW_BATCH);
    host_wait(host, 1000000);
    ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
    sw_end_batch(profiler, 1);
}

START_TEST(a_window_ends_where_it_did_though_another_thread_seems_to_end_later)
{
    struct totals found, expected = {0};
    late_register();
    struct host *host = host_open_with(
        "late", forms[_i].options, "mode: simple\nschedule: { wait: 1, active: 1, repeat: 1 }\n");
    profiler = host_profiler(host);
    sw_begin(profiler, SW_FIT);
    for (int i = 0; i < 3; i++)
        step_with_thread(host);
    sw_end(profiler, SW_FIT);
    host_close(host);
    only_read(&found, forms[_i].format);
    timeline_add(&expected, "loop", "fit", 1000000);
    timeline_add(&expected, "loop", "batch", 1000000);
    for (int i = 0; i < 5; i++)
        timeline_add(&expected, "thread 1", "decode", 0);
    timeline_same(&expected, &found, forms[_i].format);
    timeline_free(&expected);
    timeline_free(&found);
}
END_TEST

START_TEST(names_of_any_bytes_leave_the_file_readable)
{
    struct totals found;
    char name[256];
    struct host *host = host_open("trace", forms[_i].options);
    memset(name, 'x', sizeof name - 1);
    name[255] = '\0';
    const char *const names[] = {"\"quote\" \\", "bad \xff\xc3", "\xf0\x9f\x98\x80", "a\x01\tb",
                                 name};
    sw_begin(host_profiler(host), SW_FIT);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sw_begin(host_profiler(host), sw_action(names[i]));
        sw_end(host_profiler(host), sw_action(names[i]));
    }
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(timeline_calls(&found, "loop/bad \xef\xbf\xbd\xef\xbf\xbd"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/a\xef\xbf\xbd\tb"), 1);
    ck_assert_uint_eq(found.count, 6);
    timeline_free(&found);
}
END_TEST

START_TEST(spans_and_notes_are_beside_the_regions)
{
    struct totals found;
    struct host *host = host_open("trace", forms[_i].options);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    int64_t one = sw_span_begin(sw, sw_action("prefetch"));
    int64_t other = sw_span_begin(sw, sw_action("prefetch"));
    host_wait(host, 1000);
    sw_span_end(sw, one);
    sw_note(sw, "checkpoint \"1\"");
    sw_span_end(sw, other);
    sw_end(sw, SW_FIT);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(found.spans, 2);
    ck_assert_int_eq(found.instants, 2); /* the run, and the note */
    timeline_free(&found);
}
END_TEST

START_TEST(a_span_that_began_in_a_region_has_an_arrow_to_the_one_in_which_it_ended)
{
    struct totals found;
    struct host *host = host_open("trace", forms[_i].options);
    struct sw_profiler *sw = host_profiler(host);
    int64_t early = sw_span_begin(sw, sw_action("before any region"));
    host_wait(host, 1000);
    sw_begin(sw, SW_FIT);
    host_wait(host, 1000);
    int64_t inside = sw_span_begin(sw, sw_action("prefetch"));
    host_wait(host, 1000);
    sw_span_end(sw, inside);
    sw_span_end(sw, early);
    int64_t late = sw_span_begin(sw, sw_action("until after all"));
    host_wait(host, 1000);
    sw_end(sw, SW_FIT);
    host_wait(host, 1000);
    sw_span_end(sw, late);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(found.spans, 3);
    ck_assert_int_eq(found.flows, 1);
    timeline_free(&found);
}
END_TEST

/* The window has steps 3 and 4. */
START_TEST(a_span_is_cut_where_its_window_is)
{
    struct totals found;
    struct host *host =
        host_open_with("trace", forms[_i].options,
                       "mode: simple\nschedule: { wait: 2, warmup: 1, active: 2, repeat: 1 }\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    int64_t before = sw_span_begin(sw, sw_action("before")), within = 0;
    for (int i = 0; i < 6; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, 1000);
        sw_next(sw, SW_BATCH);
        if (i == 4) {
            sw_span_end(sw, before);
            within = sw_span_begin(sw, sw_action("within"));
        }
        host_wait(host, 1000);
        sw_end_batch(sw, 64);
    }
    sw_span_end(sw, within);
    sw_end(sw, SW_FIT);
    host_close(host);
    only_read(&found, forms[_i].format);
    ck_assert_int_eq(found.spans, 2);
    ck_assert_int_eq(found.cut_spans, 2);
    ck_assert_int_eq(found.flows, 0);
    timeline_free(&found);
}
END_TEST

/* ---- ranks ----------------------------------------------------------------------------------- */

static void rank_run(const char *rank, const char *options)
{
    setenv("STEPWATCH_RANK", rank, 1);
    setenv("STEPWATCH_WORLD_SIZE", "2", 1);
    setenv("STEPWATCH_RUN", "job", 1);
    struct host *host = host_open("trace", options);
    host_fit(host, 2);
    sw_flush(host_profiler(host), INT64_C(5000000000));
    ck_assert(!host_has(".out.lock")); /* the other rank would have to use another folder */
    host_close(host);
}

START_TEST(ranks_share_a_session_of_the_profile_page_in_the_folder_of_a_path)
{
    rank_run("0", "format: xplane\npath: out\n");
    rank_run("1", "format: xplane\npath: out\n");
    ck_assert_str_eq(listed(), "out/plugins/profile/job_0/rank0.xplane.pb\n"
                               "out/plugins/profile/job_0/rank1.xplane.pb\n");
    for (int i = 0; i < 2; i++) {
        char host[64];
        snprintf(host, sizeof host, "tail -c 5 out/plugins/profile/job_0/rank%d.xplane.pb", i);
        ck_assert_str_eq(printed(host), i ? "rank1" : "rank0");
    }
}
END_TEST

START_TEST(ranks_share_the_folder_of_a_path_with_traces_of_torch)
{
    rank_run("0", "format: torch\npath: out\n");
    rank_run("1", "format: torch\npath: out\n");
    ck_assert_int_eq(system("test $(ls out/*_rank0.*.pt.trace.json | wc -l) = 1 && "
                            "test $(ls out/*_rank1.*.pt.trace.json | wc -l) = 1"),
                     0);
}
END_TEST

START_TEST(options_that_cannot_work_are_mistakes)
{
    static const char *const wrong[][2] = {
        {"format: xplane, keep: last", "keep: last needs format chrome or perfetto"},
        {"max_size: 0, keep: last", "keep: last needs a limit: set max_size or max_events"},
        {"format: xplane, compress: gzip", "TensorBoard reads no compressed file"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char yaml[256];
        struct sw_error err;
        snprintf(yaml, sizeof yaml, "logger_callback: [ trace: { %s } ]\n", wrong[i][0]);
        ck_assert_ptr_null(sw_open_text(yaml, &err));
        ck_assert_msg(strstr(sw_error_text(&err), wrong[i][1]) != NULL, "%s", sw_error_text(&err));
        sw_error_free(&err);
    }
}
END_TEST

/* ---- a file while it is written -------------------------------------------------------------- */

/* What a program that is killed leaves: whole lines, an array without its end. */
START_TEST(a_file_holds_whole_lines_while_the_program_runs)
{
    struct host *host = host_open("trace", "path: out/t.json\nflush: 0s\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 100; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 8);
    }
    for (int tries = 0; tries < 600; tries++) {
        usleep(50000);
        if (access("out/t.json", R_OK) == 0 && strstr(host_file("out/t.json"), "\"batch\""))
            break;
    }
    const char *text = host_file("out/t.json");
    ck_assert_int_eq(strncmp(text, "[\n{\"ph\":", 8), 0);
    ck_assert_ptr_nonnull(strstr(text, "{\"ph\":\"B\",\"name\":\"fit\""));
    ck_assert_ptr_nonnull(strstr(text, "\"batch\""));
    ck_assert_str_eq(text + strlen(text) - 3, "},\n");
    sw_end(sw, SW_FIT);
    host_close(host);
}
END_TEST

START_TEST(a_trace_of_the_whole_run_says_when_it_will_be_full)
{
    static const struct {
        const char *options;
        bool says;
    } cases[] = {
        {"", true}, {"max_size: 20MB\n", true}, {"max_size: 0\n", false}, {"keep: last\n", false}};
    struct host *host = host_open("trace", cases[_i].options);
    host_fit(host, 2);
    host_close(host);
    ck_assert_int_eq(strstr(host_messages(host), _i == 1 ? "until the file has 20 MB, "
                                                         : "until the file has 256 MB, ") != NULL,
                     cases[_i].says);
}
END_TEST

SUITE(trace)
{
    tcase_add_loop_test(tc, a_trace_of_the_whole_run_says_when_it_will_be_full, 0, 4);
    tcase_add_loop_test(tc, every_format_has_the_regions_of_the_run, 0, FORMS);
    tcase_add_test(tc, a_region_has_what_it_used_of_a_counter);
    tcase_add_test(tc, on_the_page_of_tensorboard_a_region_has_what_it_used_of_a_counter);
    tcase_add_loop_test(tc, each_window_has_a_file_with_its_steps, 0, FORMS);
    tcase_add_test(tc, the_name_of_a_window_has_its_first_step);
    tcase_add_loop_test(tc, a_step_of_a_window_has_its_number_within_the_epoch, 0, 2);
    tcase_add_test(
        tc, a_window_that_begins_in_a_validation_has_its_number_and_then_those_of_the_training);
    tcase_add_test(tc, a_window_that_begins_between_two_epochs_counts_from_0);
    tcase_add_test(tc, a_cancelled_batch_has_no_number_within_the_epoch);
    tcase_add_loop_test(tc, at_max_events_the_first_are_kept_and_the_rest_is_counted, 0, FORMS);
    tcase_add_loop_test(tc, a_file_is_no_larger_than_max_size, 0, FORMS);
    tcase_add_loop_test(tc, keep_last_leaves_four_files_of_the_end_each_complete, 0, 2);
    tcase_add_loop_test(tc, gzip_is_made_beside_the_file_and_replaces_it, 0, 2);
    tcase_add_test(tc, a_compressed_file_that_cannot_be_completed_is_reported);
    tcase_add_test(tc, a_plain_and_a_compressed_file_that_fail_have_the_reason_of_the_first);
    tcase_add_test(tc, keep_last_also_keeps_the_limit_of_regions);
    tcase_add_test(tc, keep_last_leaves_four_compressed_files);
    tcase_add_test(tc, metrics_are_counters_but_for_what_is_not_finite);
    tcase_add_loop_test(tc, metrics_are_tracks_in_each_format_but_torch, 0, FORMS);
    tcase_add_loop_test(tc, without_counters_there_are_none, 0, FORMS);
    tcase_add_test(tc, other_threads_have_rows_unless_they_are_left_out);
    tcase_add_loop_test(tc, a_window_ends_where_it_did_though_another_thread_seems_to_end_later, 0,
                        FORMS);
    tcase_add_loop_test(tc, names_of_any_bytes_leave_the_file_readable, 0, FORMS);
    tcase_add_loop_test(tc, spans_and_notes_are_beside_the_regions, 0, 2);
    tcase_add_loop_test(tc, a_span_that_began_in_a_region_has_an_arrow_to_the_one_in_which_it_ended,
                        0, 2);
    tcase_add_loop_test(tc, a_span_is_cut_where_its_window_is, 0, 2);
    tcase_add_test(tc, ranks_share_a_session_of_the_profile_page_in_the_folder_of_a_path);
    tcase_add_test(tc, ranks_share_the_folder_of_a_path_with_traces_of_torch);
    tcase_add_test(tc, options_that_cannot_work_are_mistakes);
    tcase_add_test(tc, a_file_holds_whole_lines_while_the_program_runs);
}
