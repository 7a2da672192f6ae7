/* SPDX-License-Identifier: MIT */
/* test_disk.c - a disk that is full, broken or never answers: the loop goes on, the end comes in
 * time, what was lost is said, and what could be written can be read. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How it ended: the program's last line. */
static struct {
    double loop_s, close_s;
    int rc;
    char said[8192]; /* on stderr */
} end;

static void environment(const char *disk)
{
    setenv("DISK", disk, 1);
    setenv("LD_PRELOAD", BUILDDIR "/tests/tensorboard/.libs/disk.so", 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
}

/* Runs the loop after a line of shell. */
static void run_loop(const char *before, int steps)
{
    char command[4096], last[256];
    snprintf(command, sizeof command,
             "%s timeout 60 " BUILDDIR "/tests/tensorboard/loop '{profiler: {mode: simple, "
             "show_report: false, close_timeout: 2s}, logger_callback: [{tensorboard: {logdir: "
             "\"%s\", run: a}}]}' %d 0 2>%s | tail -n 1",
             before, scratch(), steps, in_scratch("said"));
    FILE *program = popen(command, "r");
    unsetenv("LD_PRELOAD");
    ck_assert_ptr_nonnull(program);
    ck_assert_ptr_nonnull(fgets(last, sizeof last, program));
    pclose(program);
    ck_assert_int_eq(
        sscanf(last, "loop %lf s, close %lf s, %d", &end.loop_s, &end.close_s, &end.rc), 3);
    size_t n;
    uint8_t *bytes = file_bytes(in_scratch("said"), &n);
    snprintf(end.said, sizeof end.said, "%.*s", (int)n, (const char *)bytes);
    free(bytes);
    /* 20,000 steps take 0.1 s; a loop that waited would not end. */
    ck_assert_double_lt(end.loop_s, 20);
    ck_assert_double_lt(end.close_s, 10);
}

static void said(const char *text)
{
    ck_assert_msg(strstr(end.said, text) != NULL, "%s", end.said);
}

/* The points of the file begin at step 0 and leave none out. */
static void some_of_it_can_be_read(void)
{
    struct events *events = events_of_run(in_scratch("a"));
    size_t points = values_of(events, "train/loss");
    ck_assert_uint_gt(points, 3);
    for (size_t i = 0; i < points; i++) {
        const struct swi_tb_event_message *event;
        ck_assert_ptr_nonnull(value_of(events, "train/loss", i, &event));
        ck_assert_int_eq(event->step, (int64_t)i);
    }
    events_free(events);
}

START_TEST(neither_the_loop_nor_the_end_waits_for_a_disk_that_never_answers)
{
    environment("blocked");
    run_loop("", 20000);
    ck_assert_int_eq(end.rc, -6); /* SW_ETIME */
    said("tensorboard");
}
END_TEST

START_TEST(a_full_disk_is_reported_with_what_was_lost)
{
    run_loop("ulimit -f 8;", 20000);
    ck_assert_int_eq(end.rc, -5); /* SW_ESINK */
    said("sink tensorboard: cannot write to ");
    said(": File too large");
    said("records are lost");
    some_of_it_can_be_read();
}
END_TEST

START_TEST(a_broken_disk_is_reported_with_what_was_lost)
{
    environment("eio");
    run_loop("", 20000);
    ck_assert_int_eq(end.rc, -5);
    said("sink tensorboard: cannot write to ");
    said(": Input/output error");
    said("records are lost");
    some_of_it_can_be_read();
}
END_TEST

SUITE(tensorboard_disk)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, neither_the_loop_nor_the_end_waits_for_a_disk_that_never_answers);
    tcase_add_test(tc, a_full_disk_is_reported_with_what_was_lost);
    tcase_add_test(tc, a_broken_disk_is_reported_with_what_was_lost);
}
