/* SPDX-License-Identifier: MIT */
/* The option compress of the sink runlog: the same lines, in frames of gzip or zstd. */
#include "sinks/runlog/log_output.h"
#include "tests/support/host.h"
#include "tests/support/packed.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *packed; /* options */

/* Each test is made with each format. */
static const char *log_path(int format)
{
    packed_choose(format);
    packed = packed_text("path: run.jsonl%E\ncompress: %N\n");
    return packed_text("run.jsonl%E");
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

static void flush(struct host *host)
{
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(10000000000)), 0);
}

/* The lines but the first, which has the time of the run. */
static char *after_first(const char *text)
{
    const char *newline = strchr(text, '\n');
    ck_assert_ptr_nonnull(newline);
    return strdup(newline + 1);
}

START_TEST(a_compressed_log_has_the_same_lines)
{
    static const char *const details[] = {"steps", "regions", "metrics"};
    char options[128];
    char *text[2];
    packed_choose(_i / 3);
    for (int i = 0; i < 2; i++) {
        snprintf(options, sizeof options,
                 "path: r.%d\ndetail: %s\ncompress: %s\nown_metrics: true\n", i, details[_i % 3],
                 i ? packed_text("%N") : "none");
        struct host *host = host_open_with("runlog", options, "rolling_average: 3\n");
        host_fit(host, 20);
        host_close(host);
        text[i] = after_first(i ? packed_read("r.1") : host_file("r.0"));
    }
    ck_assert_uint_gt(strlen(text[0]), 1000);
    for (int i = 0; i < 2; i++) /* what measuring took is another in each run */
        *strstr(text[i], "{\"type\":\"report\"") = '\0';
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}
END_TEST

START_TEST(what_was_flushed_can_be_read_before_the_frame_ends)
{
    const char *path = log_path(_i);
    struct host *host = host_open("runlog", packed);
    host_metric(host, 0, "loss", 0.5);
    flush(host);
    ck_assert_uint_eq(count(packed_read(path), "\"value\":0.5}\n"), 1);
    host_metric(host, 1, "loss", 0.25);
    flush(host);
    ck_assert_uint_eq(count(packed_read(path), "\"value\":0.25}\n"), 1);
    sw_alert(host_profiler(host), SW_WARNING, "a title", "a text");
    host_close(host);
    ck_assert_ptr_nonnull(strstr(packed_read(path), "{\"type\":\"finish\""));
}
END_TEST

/* As a header of gzip begins that has an extra field, or a frame that readers of zstd skip, and
 * nothing else. */
static size_t frames_of(const char *path, int format, long *last)
{
    static const char mark[] = "SW\0\0";
    size_t found = 0;
    static char bytes[8 << 20];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (const char *at = bytes; (at = memmem(at, (size_t)(bytes + size - at), mark, 4)); at++) {
        *last = at - bytes - (format ? 8 : 12);
        ck_assert_int_ge(*last, 0);
        ck_assert_int_eq(memcmp(bytes + *last, format ? "\x50\x2a\x4d\x18" : "\x1f\x8b\x08\x04", 4),
                         0);
        found++;
    }
    return found;
}

START_TEST(a_reader_can_begin_at_each_frame)
{
    const char *path = log_path(_i);
    long last = 0;
    char line[64];
    struct host *host = host_open("runlog", packed);
    for (int step = 0; step < 8000; step++) {
        host_metric(host, step, "loss", step);
        if (step % 1000 == 0)
            flush(host);
    }
    host_close(host);
    ck_assert_uint_ge(frames_of(path, _i, &last), 4);
    snprintf(line, sizeof line, "tail -c +%ld %s >tail", last + 1, path);
    ck_assert_int_eq(system(line), 0);
    char *tail = strdup(packed_read("tail"));
    const char *all = packed_read(path);
    ck_assert_int_eq(strncmp(tail, "{\"type\":", 8), 0);
    ck_assert_str_eq(all + strlen(all) - strlen(tail), tail);
    free(tail);
    ck_assert_uint_eq(count(all, "\"name\":\"loss\""), 8000);
}
END_TEST

START_TEST(a_step_takes_a_tenth_of_its_text)
{
    const char *path = log_path(_i);
    struct stat st;
    struct host *host = host_open("runlog", packed);
    for (int step = 0; step < 20; step++) {
        host_fit(host, 50);
        flush(host);
    }
    host_close(host);
    ck_assert_int_eq(stat(path, &st), 0);
    size_t text = strlen(packed_read(path));
    ck_assert_msg((size_t)st.st_size * 10 < text, "%zu bytes of %zu", (size_t)st.st_size, text);
}
END_TEST

START_TEST(the_profilers_own_metrics_are_left_out_where_a_replay_computes_them)
{
    static const struct {
        const char *options;
        bool has_own;
    } logs[] = {{"compress: %N\n", false},
                {"compress: %N\nown_metrics: true\n", true},
                {"compress: %N\ndetail: metrics\n", true},
                {"compress: %N\ndetail: regions\n", true},
                {"compress: %N\ndetail: regions\nown_metrics: false\n", false},
                {"compress: none\n", true},
                {"own_metrics: false\n", false}};
    char options[128];
    packed_choose(_i / 7);
    snprintf(options, sizeof options, "path: run.jsonl\n%s", packed_text(logs[_i % 7].options));
    struct host *host = host_open_with("runlog", options, "rolling_average: 3\n");
    sw_log(host_profiler(host), "loss", 1);
    host_fit(host, 10);
    host_close(host);
    const char *text = packed_read("run.jsonl");
    ck_assert_uint_eq(count(text, "\"name\":\"loss\""), 1);
    ck_assert_int_eq(strstr(text, "\"name\":\"throughput/step\"") != NULL, logs[_i % 7].has_own);
}
END_TEST

START_TEST(a_log_that_is_cut_off_while_it_is_written_begins_again)
{
    const char *path = log_path(_i);
    struct host *host = host_open("runlog", packed);
    sw_begin(host_profiler(host), SW_FIT);
    host_metric(host, 0, "loss", 1);
    flush(host);
    host_metric(host, 1, "loss", 2);
    flush(host);
    for (int step = 2; step < 4; step++) {
        ck_assert_int_eq(truncate(path, 0), 0);
        host_metric(host, step, "loss", 3);
        flush(host);
    }
    host_close(host);
    const char *text = packed_read(path);
    ck_assert_int_eq(strncmp(text, "{\"type\":\"run\"", 13), 0);
    ck_assert_ptr_nonnull(strstr(text, "\"again\":true}\n{\"type\":\"begin\""));
    ck_assert_uint_eq(count(text, "\"name\":\"loss\""), 1);
    ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"finish\""));
}
END_TEST

START_TEST(the_path_is_as_asked_for_and_the_default_one_gets_an_ending)
{
    char expected[64];
    packed_choose(_i);
    host_close(host_open("runlog", packed_text("path: a.jsonl\ncompress: %N\n")));
    ck_assert_ptr_nonnull(strstr(packed_read("a.jsonl"), "{\"type\":\"finish\""));
    ck_assert(!host_has(packed_text("a.jsonl%E")));
    host_close(host_open("runlog", packed_text("path: b.jsonl%E\n")));
    ck_assert_int_eq(*host_file(packed_text("b.jsonl%E")), _i ? 0x50 : 0x1f);
    host_close(host_open("runlog", packed_text("compress: %N\n")));
    ck_assert_int_eq(system("ls runs >list.txt"), 0);
    snprintf(expected, sizeof expected, "-%d.jsonl%s\n", (int)getpid(), packed_text("%E"));
    ck_assert_ptr_nonnull(strstr(host_file("list.txt"), expected));
}
END_TEST

START_TEST(the_option_counts_more_than_the_ending)
{
    packed_choose(_i);
    host_close(host_open(
        "runlog", packed_text(_i ? "path: a.gz\ncompress: %N\n" : "path: a.zst\ncompress: %N\n")));
    ck_assert_int_eq(*host_file(_i ? "a.gz" : "a.zst"), _i ? 0x50 : 0x1f);
}
END_TEST

START_TEST(the_default_path_of_a_rank_gets_it_too)
{
    char expected[64];
    packed_choose(_i);
    setenv("RANK", "2", 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("LOCAL_RANK", "2", 1);
    setenv("MASTER_ADDR", "x", 1);
    host_close(host_open("runlog", packed_text("compress: %N\n")));
    ck_assert_int_eq(system("ls runs >list.txt"), 0);
    snprintf(expected, sizeof expected, "-%d.2.jsonl%s\n", (int)getpid(), packed_text("%E"));
    ck_assert_ptr_nonnull(strstr(host_file("list.txt"), expected));
}
END_TEST

START_TEST(what_is_beside_a_log_is_so_without_its_ending)
{
    static const unsigned char pixels[8 * 8] = {0};
    log_path(_i);
    struct host *host = host_open("runlog", packed);
    sw_log_image(host_profiler(host), "picture", SW_U8, pixels, 8, 8, 1, NULL);
    host_close(host);
    ck_assert(host_has("run.jsonl.files"));
    ck_assert(!host_has(packed_text("run.jsonl%E.files")));
}
END_TEST

/* Old reports are in the file only: they are read from it when it is made again. */
START_TEST(a_summary_has_the_last_report_of_each_fit_in_frames)
{
    enum { FITS = 1500 };
    char expected[64];
    long last;
    const char *path = log_path(_i);
    struct host *host = host_open("runlog", packed_text("path: run.jsonl%E\ndetail: summary\n"));
    for (int fit = 0; fit < FITS; fit++) {
        host_fit(host, 1);
        if (fit % 20 == 0)
            flush(host);
    }
    host_close(host);
    ck_assert_uint_gt(frames_of(path, _i, &last), 1);
    const char *text = packed_read(path), *at = strstr(text, "{\"type\":\"report\"");
    ck_assert_int_eq(strncmp(strchr(text, '\n') + 1, "{\"type\":\"blocks\"", 16), 0);
    ck_assert_uint_gt(strlen(text), 1 << 20);
    for (int fit = 1; fit <= FITS; fit++, at = strstr(at + 1, "{\"type\":\"report\"")) {
        snprintf(expected, sizeof expected, "\"fit\":%d,", fit);
        ck_assert_ptr_nonnull(at);
        ck_assert_int_eq(strncmp(strstr(at, "\"fit\":"), expected, strlen(expected)), 0);
    }
    ck_assert_ptr_null(at);
    ck_assert_uint_eq(count(text, "{\"type\":\"finish\""), 1);
}
END_TEST

/* A full disk: what was compressed and not written is taken back. */
START_TEST(lines_that_could_not_be_written_spoil_no_frame)
{
    const char *path = log_path(_i);
    char line[64];
    struct swi_text expected = {0}, out = {0};
    struct swi_log_frame *frame = swi_log_frame_new(_i ? &swi_zstd_codec : &swi_gzip_codec);
    ck_assert_ptr_nonnull(frame);
    for (int i = 0; i < 3000; i++) {
        size_t before = out.size, size = (size_t)snprintf(line, sizeof line, "line %d\n", i * i);
        bool ends = i % 1000 == 900;
        ck_assert(swi_log_frame_add(frame, line, size, ends, &out));
        if (i % 7 < 4) {
            swi_log_frame_keep(frame);
            swi_text_add(&expected, line, size);
        } else {
            ck_assert(swi_log_frame_undo(frame));
            out.size = before;
        }
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(out.data, 1, out.size, file), out.size);
    fclose(file);
    ck_assert_uint_eq(strlen(packed_read(path)), expected.size);
    ck_assert_int_eq(memcmp(packed_read(path), expected.data, expected.size), 0);
    ck_assert_int_eq(unlink(path), 0);
    swi_log_frame_free(frame);
    swi_text_free(&expected);
    swi_text_free(&out);
}
END_TEST

SUITE(compressed_log)
{
    int all = packed_formats;
    tcase_add_loop_test(tc, a_compressed_log_has_the_same_lines, 0, 3 * all);
    tcase_add_loop_test(tc, what_was_flushed_can_be_read_before_the_frame_ends, 0, all);
    tcase_add_loop_test(tc, a_reader_can_begin_at_each_frame, 0, all);
    tcase_add_loop_test(tc, a_step_takes_a_tenth_of_its_text, 0, all);
    tcase_add_loop_test(tc, the_profilers_own_metrics_are_left_out_where_a_replay_computes_them, 0,
                        7 * all);
    tcase_add_loop_test(tc, a_log_that_is_cut_off_while_it_is_written_begins_again, 0, all);
    tcase_add_loop_test(tc, the_path_is_as_asked_for_and_the_default_one_gets_an_ending, 0, all);
    tcase_add_loop_test(tc, the_option_counts_more_than_the_ending, 0, all);
    tcase_add_loop_test(tc, the_default_path_of_a_rank_gets_it_too, 0, all);
    tcase_add_loop_test(tc, what_is_beside_a_log_is_so_without_its_ending, 0, all);
    tcase_add_loop_test(tc, a_summary_has_the_last_report_of_each_fit_in_frames, 0, all);
    tcase_add_loop_test(tc, lines_that_could_not_be_written_spoil_no_frame, 0, all);
}
