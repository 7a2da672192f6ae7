/* SPDX-License-Identifier: MIT */
/* Compressed run logs: every command reads them as it reads their text, in whatever state they are.
 */
#include "config.h"
#include "tests/support/host.h"
#include "tests/support/packed.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"
#include "tools/watch/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void shell(const char *line)
{
    ck_assert_msg(system(line) == 0, "%s", line);
}

static void append(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "ae");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Appends a frame of another program to a file. */
static void frame_add(const char *path, const char *text)
{
    size_t room = strlen(text) + 4096;
    unsigned char *out = malloc(room);
    ck_assert_ptr_nonnull(out);
    append(path, out, packed_frame(out, room, text, false, true));
    free(out);
}

/* Makes packed/run.jsonl, compressed, in several frames, and as-text/run.jsonl. */
static void log_record(int format, const char *detail, int steps)
{
    char options[128];
    packed_choose(format);
    snprintf(options, sizeof options, "path: packed/run.jsonl\ncompress: %s\ndetail: %s\n",
             packed_text("%N"), detail);
    struct host *host = host_open_with("runlog", options, "mode: simple\nrolling_average: 3\n");
    for (int done = 0; done < steps; done += 1000) {
        sw_log(host_profiler(host), "loss", 1.0 / (1 + done));
        host_fit(host, steps < 1000 ? steps : 1000);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(10000000000)), 0);
    }
    host_close(host);
    shell("mkdir as-text");
    file_write("as-text/run.jsonl", packed_read("packed/run.jsonl"));
    shell("cp as-text/run.jsonl other.jsonl");
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
    char *packed = printed(arguments, "packed", &status[0]);
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
    log_record(_i / 3, details[_i % 3], 2500);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_same(commands[i]);
}
END_TEST

START_TEST(a_compressed_summary_is_merged)
{
    log_record(_i, "summary", 5);
    assert_same("merge --json FOLDER");
    assert_same("report FOLDER/run.jsonl");
}
END_TEST

START_TEST(folders_have_logs_of_both_names)
{
    log_record(_i, "steps", 5);
    shell("mkdir both && cp as-text/run.jsonl both/a.jsonl");
    ck_assert_int_eq(rename("packed/run.jsonl", packed_text("both/b.jsonl%E")), 0);
    ck_assert_int_eq(stepwatch("runs both"), 0);
    assert_printed("a.jsonl");
    assert_printed(packed_text("b.jsonl%E"));
    ck_assert_int_eq(stepwatch("watch --once --json both"), 0);
    assert_printed("both/a.jsonl\"");
    assert_printed(packed_text("both/b.jsonl%E\""));
    shell("rm both/a.jsonl");
    ck_assert_int_eq(stepwatch("merge both"), 0);
}
END_TEST

START_TEST(the_list_of_runs_has_what_a_text_would_say)
{
    static const char *const details[] = {"steps", "regions", "metrics"};
    log_record(_i / 6, details[_i % 3], 2500);
    bool killed = _i % 6 >= 3;
    if (killed) {
        shell("head -c -300 as-text/run.jsonl >cut && mv cut as-text/run.jsonl");
        unlink("packed/run.jsonl");
        frame_add("packed/run.jsonl", host_file("as-text/run.jsonl"));
    }
    int status;
    char *packed = printed("runs --json FOLDER | grep -v size_bytes", "packed", &status);
    char *text = printed("runs --json FOLDER | grep -v size_bytes", "as-text", &status);
    ck_assert_ptr_nonnull(strstr(text, killed ? "\"killed\"" : "\"finished\""));
    ck_assert_str_eq(packed, text);
    free(packed);
    free(text);
}
END_TEST

/* ---- torn and damaged ------------------------------------------------------------------------ */

START_TEST(a_log_that_ends_within_a_frame_ends_as_a_text_does)
{
    char line[128];
    log_record(_i, "steps", 2500);
    for (int less = 1; less < 4000; less += 613) {
        snprintf(line, sizeof line, "head -c -%d packed/run.jsonl >cut.pack", less);
        shell(line);
        ck_assert_int_eq(stepwatch("report cut.pack"), 0);
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
    log_record(_i, "steps", 5000);
    byte_spoil("packed/run.jsonl", 4000, 64);
    ck_assert_int_eq(stepwatch("report packed/run.jsonl"), 0);
    assert_printed("damaged lines that were skipped");
    assert_not_printed("did not finish");
    ck_assert_int_eq(stepwatch("watch --once packed/run.jsonl"), 0);
    assert_printed("finished");
    ck_assert_int_eq(stepwatch("explain packed/run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("replay packed/run.jsonl"), 1);
}
END_TEST

START_TEST(a_log_that_was_cut_off_and_its_copy_can_be_read_in_a_row)
{
    log_record(_i, "steps", 3);
    shell(_i ? "head -c -7 packed/run.jsonl | cat - packed/run.jsonl >both.pack"
             : "head -c -12 packed/run.jsonl | cat - packed/run.jsonl >both.pack"); /* no end */
    ck_assert_int_eq(stepwatch("report both.pack"), 0);
    assert_not_printed("damaged");
    shell("head -c $(($(stat -c %s packed/run.jsonl) * 3 / 4)) packed/run.jsonl | "
          "cat - packed/run.jsonl >both.pack");
    ck_assert_int_eq(stepwatch("report both.pack"), 0);
    assert_printed("both.pack:");
    assert_printed("a part of the compressed log is damaged");
}
END_TEST

START_TEST(what_is_no_log_is_said_to_be_none)
{
    log_record(_i, "steps", 3);
    frame_add("other.pack", "no log\n");
    shell(_i ? "printf '\\050\\265\\057\\375 no frame' >no.pack; head -c 4 no.pack >short.pack"
             : "printf '\\037\\213 no frame' >no.pack; head -c 1 no.pack >short.pack");
    ck_assert_int_eq(stepwatch("report no.pack"), 1);
    assert_printed("no.pack:1: a part of the compressed log is damaged: is it a run log?");
    ck_assert_int_eq(stepwatch("report other.pack"), 1);
    assert_printed("other.pack:1: ");
    ck_assert_int_eq(stepwatch("report short.pack"), 1);
    assert_printed("is it a run log?");
    ck_assert_int_eq(stepwatch("runs no.pack"), 1);
    ck_assert_int_eq(stepwatch("report packed/run.jsonl"), 0);
}
END_TEST

/* A few bytes may stand for a line of any length. */
START_TEST(a_line_without_an_end_takes_no_memory_without_bound)
{
    log_record(_i, "steps", 3);
    enum { PART = 10000000 };
    char *part = malloc(PART + 1);
    ck_assert_ptr_nonnull(part);
    memset(part, 'x', PART);
    part[PART] = '\0';
    frame_add("bomb.pack", host_file("as-text/run.jsonl"));
    for (int i = 0; i < 30; i++)
        frame_add("bomb.pack", part);
    free(part);
    frame_add("bomb.pack", "\n");
    shell("tail -n 1 as-text/run.jsonl >last");
    frame_add("bomb.pack", host_file("last"));
    ck_assert_int_eq(stepwatch("report bomb.pack"), 0);
    assert_printed("the line is longer than 128 MiB; damaged lines that were skipped: 1");
    assert_not_printed("did not finish");
}
END_TEST

#ifndef HAVE_ZSTD
START_TEST(a_format_that_this_build_lacks_is_named)
{
    static const char *const readers[] = {"report", "explain", "runs", "watch --once", "merge"};
    char line[128];
    host_close(host_open("runlog", "path: /dev/null\n")); /* enters the scratch folder */
    shell("printf '\\050\\265\\057\\375 a frame' >run.jsonl.zst");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        snprintf(line, sizeof line, "%s run.jsonl.zst", readers[i]);
        ck_assert_int_eq(stepwatch(line), 1);
        assert_printed("run.jsonl.zst: cannot be read: it is compressed by zstd, and this "
                       "stepwatch was built without libzstd");
    }
    file_write("a.yaml", "logger_callback: [ runlog: { path: run.jsonl.zst } ]\n");
    ck_assert_int_eq(stepwatch("check a.yaml"), 1);
    assert_printed("sink runlog: compress: this sink was built without libzstd (libzstd-dev): "
                   "install it and build again, or choose gzip");
}
END_TEST
#endif

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

static void frame_begin(const char *text, bool mark)
{
    unsigned char out[1024];
    append("run.jsonl", out, packed_frame(out, sizeof out, text, mark, false));
}

static void block_add(const char *text)
{
    unsigned char out[1024];
    append("run.jsonl", out, packed_block(out, sizeof out, text));
}

static void follow_begin(int format)
{
    packed_choose(format);
    host_close(host_open("runlog", "path: /dev/null\n")); /* enters the scratch folder */
    ck_assert(follow_init(&follow, "run.jsonl"));
    follow.line = line_keep;
    follow.event = event_keep;
}

START_TEST(a_compressed_log_is_followed_while_it_grows)
{
    follow_begin(_i);
    frame_begin("{\"a\":1}\n", false);
    assert_new("{\"a\":1}|");
    block_add("{\"a\":");
    assert_new("");
    block_add("2}\n");
    assert_new("{\"a\":2}|");
    ck_assert_int_eq(truncate("run.jsonl", 0), 0);
    assert_new("(shorter)");
    frame_begin("{\"a\":3}\n", false);
    assert_new("{\"a\":3}|");
    follow_fini(&follow);
}
END_TEST

START_TEST(a_damaged_frame_is_told_once_and_the_next_is_followed)
{
    follow_begin(_i);
    frame_begin("{\"a\":1}\n{\"a\":", true);
    append("run.jsonl", "\xff\xff\xff\xff", 4);
    assert_new("{\"a\":1}|(damaged)");
    frame_begin("{\"b\":1}\n{\"b\":2}\n", true);
    assert_new("{\"b\":1}|{\"b\":2}|");
    follow_fini(&follow);
}
END_TEST

SUITE(compressed)
{
    int all = packed_formats;
#ifndef HAVE_ZSTD
    tcase_add_test(tc, a_format_that_this_build_lacks_is_named);
#endif
    tcase_add_loop_test(tc, every_command_reads_a_compressed_log, 0, 3 * all);
    tcase_add_loop_test(tc, a_compressed_summary_is_merged, 0, all);
    tcase_add_loop_test(tc, folders_have_logs_of_both_names, 0, all);
    tcase_add_loop_test(tc, the_list_of_runs_has_what_a_text_would_say, 0, 6 * all);
    tcase_add_loop_test(tc, a_log_that_ends_within_a_frame_ends_as_a_text_does, 0, all);
    tcase_add_loop_test(tc, a_damaged_frame_is_left_out_and_the_next_is_read, 0, all);
    tcase_add_loop_test(tc, a_log_that_was_cut_off_and_its_copy_can_be_read_in_a_row, 0, all);
    tcase_add_loop_test(tc, what_is_no_log_is_said_to_be_none, 0, all);
    tcase_add_loop_test(tc, a_line_without_an_end_takes_no_memory_without_bound, 0, all);
    tcase_add_loop_test(tc, a_compressed_log_is_followed_while_it_grows, 0, all);
    tcase_add_loop_test(tc, a_damaged_frame_is_told_once_and_the_next_is_followed, 0, all);
}
