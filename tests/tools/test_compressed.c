/* SPDX-License-Identifier: MIT */
/* Compressed run logs: every command reads them as it reads their text, in whatever state they are.
 */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"
#include "tools/watch/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static void shell(const char *line)
{
    ck_assert_msg(system(line) == 0, "%s", line);
}

/* Makes as-gzip/run.jsonl, compressed, in several frames, and as-text/run.jsonl. */
static void log_record(const char *detail, int steps)
{
    char options[128];
    snprintf(options, sizeof options, "path: as-gzip/run.jsonl\ncompress: gzip\ndetail: %s\n",
             detail);
    struct host *host = host_open_with("runlog", options, "mode: simple\nrolling_average: 3\n");
    for (int done = 0; done < steps; done += 1000) {
        sw_log(host_profiler(host), "loss", 1.0 / (1 + done));
        host_fit(host, steps < 1000 ? steps : 1000);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(10000000000)), 0);
    }
    host_close(host);
    shell("mkdir as-text && gzip -dc <as-gzip/run.jsonl >as-text/run.jsonl && "
          "cp as-text/run.jsonl other.jsonl");
}

/* What the command prints with FOLDER for the folder of the log. */
static char *printed(const char *arguments, const char *folder, int *status)
{
    char line[256] = "";
    const char *place = strstr(arguments, "FOLDER");
    snprintf(line, sizeof line, "%.*s%s%s", (int)(place - arguments), arguments, folder, place + 6);
    *status = stepwatch(line);
    char *text = strdup(command_output());
    for (char *at; (at = strstr(text, folder));)
        memmove(at, at + strlen(folder), strlen(at + strlen(folder)) + 1);
    return text;
}

static void assert_same(const char *arguments)
{
    int status[2];
    char *packed = printed(arguments, "as-gzip", &status[0]);
    char *text = printed(arguments, "as-text", &status[1]);
    ck_assert_msg(status[0] == status[1], "%s: %d, %d\n%s", arguments, status[0], status[1],
                  packed);
    size_t same = 0;
    while (packed[same] && packed[same] == text[same])
        same++;
    ck_assert_msg(packed[same] == text[same], "%s, from byte %zu on: %.200s\nexpected: %.200s",
                  arguments, same, packed + same, text + same);
    free(packed);
    free(text);
}

static const char *const commands[] = {
    "report FOLDER/run.jsonl",
    "report --json FOLDER/run.jsonl",
    "report --format html FOLDER/run.jsonl",
    "report - <FOLDER/run.jsonl",
    "explain FOLDER/run.jsonl",
    "compare FOLDER/run.jsonl other.jsonl",
    "replay --verify FOLDER/run.jsonl",
    "watch --once FOLDER/run.jsonl",
    "watch --once --json --tail FOLDER/run.jsonl",
    "merge FOLDER",
    "export -o out.json FOLDER/run.jsonl 2>&1 && sha256sum out.json",
    "export --format folded -o out.txt FOLDER/run.jsonl 2>&1 && sha256sum out.txt",
};

START_TEST(every_command_reads_a_compressed_log)
{
    static const char *const details[] = {"steps", "regions", "metrics"};
    log_record(details[_i], 2500);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_same(commands[i]);
}
END_TEST

START_TEST(a_compressed_summary_is_merged)
{
    log_record("summary", 5);
    assert_same("merge --json FOLDER");
    assert_same("report FOLDER/run.jsonl");
}
END_TEST

START_TEST(folders_have_logs_of_both_names)
{
    log_record("steps", 5);
    shell(
        "mkdir both && cp as-text/run.jsonl both/a.jsonl && mv as-gzip/run.jsonl both/b.jsonl.gz");
    ck_assert_int_eq(stepwatch("runs both"), 0);
    assert_printed("a.jsonl");
    assert_printed("b.jsonl.gz");
    ck_assert_int_eq(stepwatch("watch --once --json both"), 0);
    assert_printed("both/a.jsonl\"");
    assert_printed("both/b.jsonl.gz\"");
    shell("rm both/a.jsonl");
    ck_assert_int_eq(stepwatch("merge both"), 0);
}
END_TEST

START_TEST(the_list_of_runs_has_what_a_text_would_say)
{
    static const char *const details[] = {"steps", "regions", "metrics"};
    log_record(details[_i % 3], 2500);
    if (_i >= 3) { /* killed */
        shell("head -c -300 as-text/run.jsonl >cut && mv cut as-text/run.jsonl");
        shell("gzip <as-text/run.jsonl >as-gzip/run.jsonl");
    }
    int status;
    char *packed = printed("runs --json FOLDER | grep -v size_bytes", "as-gzip", &status);
    char *text = printed("runs --json FOLDER | grep -v size_bytes", "as-text", &status);
    ck_assert_ptr_nonnull(strstr(text, _i < 3 ? "\"finished\"" : "\"killed\""));
    ck_assert_str_eq(packed, text);
    free(packed);
    free(text);
}
END_TEST

/* ---- torn and damaged ------------------------------------------------------------------------ */

START_TEST(a_log_that_ends_within_a_frame_ends_as_a_text_does)
{
    char line[128];
    log_record("steps", 2500);
    for (int less = 1; less < 4000; less += 613) {
        snprintf(line, sizeof line, "head -c -%d as-gzip/run.jsonl >cut.gz", less);
        shell(line);
        ck_assert_int_eq(stepwatch("report cut.gz"), 0);
        assert_not_printed("damaged");
        if (less > 1000)
            assert_printed("the run did not finish; its log ends ");
    }
}
END_TEST

static void byte_spoil(const char *path, long at, size_t bytes)
{
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    while (bytes--)
        fputc(0x55, file);
    fclose(file);
}

START_TEST(a_damaged_frame_is_left_out_and_the_next_is_read)
{
    log_record("steps", 5000);
    byte_spoil("as-gzip/run.jsonl", 4000, 64);
    ck_assert_int_eq(stepwatch("report as-gzip/run.jsonl"), 0);
    assert_printed("damaged lines that were skipped");
    assert_not_printed("did not finish");
    ck_assert_int_eq(stepwatch("watch --once as-gzip/run.jsonl"), 0);
    assert_printed("finished");
    ck_assert_int_eq(stepwatch("explain as-gzip/run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("replay as-gzip/run.jsonl"), 1);
}
END_TEST

START_TEST(a_log_that_was_cut_off_and_its_copy_can_be_read_in_a_row)
{
    log_record("steps", 3);
    shell("head -c -12 as-gzip/run.jsonl | cat - as-gzip/run.jsonl >both.gz"); /* without the end */
    ck_assert_int_eq(stepwatch("report both.gz"), 0);
    assert_not_printed("damaged");
    shell("head -c 300 as-gzip/run.jsonl | cat - as-gzip/run.jsonl >both.gz");
    ck_assert_int_eq(stepwatch("report both.gz"), 0);
    assert_printed("both.gz:");
    assert_printed("a part of the compressed log is damaged");
}
END_TEST

START_TEST(what_is_no_log_is_said_to_be_none)
{
    log_record("steps", 3);
    shell("printf '\\037\\213 no gzip' >no.gz; printf 'no log\\n' | gzip >other.gz; "
          "printf '\\037' >short.gz");
    ck_assert_int_eq(stepwatch("report no.gz"), 1);
    assert_printed("no.gz:1: a part of the compressed log is damaged: is it a run log?");
    ck_assert_int_eq(stepwatch("report other.gz"), 1);
    assert_printed("other.gz:1: ");
    ck_assert_int_eq(stepwatch("report short.gz"), 1);
    assert_printed("is it a run log?");
    ck_assert_int_eq(stepwatch("runs no.gz"), 1);
    ck_assert_int_eq(stepwatch("report as-gzip/run.jsonl"), 0);
}
END_TEST

/* A few bytes may stand for a line of any length. */
START_TEST(a_line_without_an_end_takes_no_memory_without_bound)
{
    log_record("steps", 3);
    shell("{ cat as-text/run.jsonl; head -c 300000000 /dev/zero | tr '\\0' x; echo; "
          "tail -n 1 as-text/run.jsonl; } | gzip -1 >bomb.gz");
    ck_assert_int_eq(stepwatch("report bomb.gz"), 0);
    assert_printed("the line is longer than 128 MiB; damaged lines that were skipped: 1");
    assert_not_printed("did not finish");
}
END_TEST

/* ---- following ------------------------------------------------------------------------------- */

static char got[1 << 16];
static struct follow follow;

static void line_keep(void *arg, char *line, size_t size)
{
    (void)arg;
    size_t used = strlen(got);
    snprintf(got + used, sizeof got - used, "%.*s|", (int)size, line);
}

static void event_keep(void *arg, enum follow_event event)
{
    static const char *const names[] = {"(damaged)", "(new run)", "(shorter)"};
    (void)arg;
    strcat(got, names[event]);
}

static void assert_new(const char *expected)
{
    got[0] = '\0';
    while (follow_turn(&follow) > 0)
        continue;
    ck_assert_str_eq(got, expected);
}

static void append(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen("run.jsonl", "ae");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Adds text as a block of an open frame. */
static void add(z_stream *stream, const char *text)
{
    unsigned char out[1024];
    stream->next_in = (Bytef *)(uintptr_t)text;
    stream->avail_in = (uInt)strlen(text);
    stream->next_out = out;
    stream->avail_out = sizeof out;
    ck_assert_int_eq(deflate(stream, Z_SYNC_FLUSH), Z_OK);
    append(out, sizeof out - stream->avail_out);
}

START_TEST(a_compressed_log_is_followed_while_it_grows)
{
    z_stream stream = {0};
    host_close(host_open("runlog", "path: /dev/null\n")); /* enters the scratch folder */
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_FILTERED), Z_OK);
    ck_assert(follow_init(&follow, "run.jsonl"));
    follow.line = line_keep;
    follow.event = event_keep;
    add(&stream, "{\"a\":1}\n");
    assert_new("{\"a\":1}|");
    add(&stream, "{\"a\":");
    assert_new("");
    add(&stream, "2}\n");
    assert_new("{\"a\":2}|");
    ck_assert_int_eq(truncate("run.jsonl", 0), 0);
    assert_new("(shorter)");
    deflateReset(&stream);
    add(&stream, "{\"a\":3}\n");
    assert_new("{\"a\":3}|");
    deflateEnd(&stream);
    follow_fini(&follow);
}
END_TEST

START_TEST(a_damaged_frame_is_told_once_and_the_next_is_followed)
{
    z_stream stream = {0};
    gz_header header = {.os = 3, .extra = (Bytef *)(uintptr_t) "SW\0", .extra_len = 4};
    host_close(host_open("runlog", "path: /dev/null\n"));
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_FILTERED), Z_OK);
    deflateSetHeader(&stream, &header);
    ck_assert(follow_init(&follow, "run.jsonl"));
    follow.line = line_keep;
    follow.event = event_keep;
    add(&stream, "{\"a\":1}\n{\"a\":");
    append((const unsigned char *)"\xff\xff\xff\xff", 4);
    assert_new("{\"a\":1}|(damaged)");
    deflateReset(&stream);
    deflateSetHeader(&stream, &header);
    add(&stream, "{\"b\":1}\n{\"b\":2}\n");
    assert_new("{\"b\":1}|{\"b\":2}|");
    deflateEnd(&stream);
    follow_fini(&follow);
}
END_TEST

SUITE(compressed)
{
    tcase_add_loop_test(tc, every_command_reads_a_compressed_log, 0, 3);
    tcase_add_test(tc, a_compressed_summary_is_merged);
    tcase_add_test(tc, folders_have_logs_of_both_names);
    tcase_add_loop_test(tc, the_list_of_runs_has_what_a_text_would_say, 0, 6);
    tcase_add_test(tc, a_log_that_ends_within_a_frame_ends_as_a_text_does);
    tcase_add_test(tc, a_damaged_frame_is_left_out_and_the_next_is_read);
    tcase_add_test(tc, a_log_that_was_cut_off_and_its_copy_can_be_read_in_a_row);
    tcase_add_test(tc, what_is_no_log_is_said_to_be_none);
    tcase_add_test(tc, a_line_without_an_end_takes_no_memory_without_bound);
    tcase_add_test(tc, a_compressed_log_is_followed_while_it_grows);
    tcase_add_test(tc, a_damaged_frame_is_told_once_and_the_next_is_followed);
}
