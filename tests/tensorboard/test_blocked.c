/* SPDX-License-Identifier: MIT */
/* test_blocked.c - a disk that never answers holds up neither the loop nor the end of the program.
 */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs the loop on such a disk; keeps its last line, and what it said on stderr. */
static void run_blocked(const char *yaml, int steps, char *last, char *said, size_t size)
{
    char command[4096];
    setenv("LD_PRELOAD", BUILDDIR "/tests/tensorboard/.libs/blocked.so", 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    snprintf(command, sizeof command,
             "timeout 60 " BUILDDIR "/tests/tensorboard/loop '%s' %d 0 2>%s | tail -n 1", yaml,
             steps, in_scratch("said"));
    FILE *program = popen(command, "r");
    unsetenv("LD_PRELOAD");
    ck_assert_ptr_nonnull(program);
    ck_assert_ptr_nonnull(fgets(last, (int)size, program));
    pclose(program);
    size_t n;
    uint8_t *bytes = file_bytes(in_scratch("said"), &n);
    snprintf(said, size, "%.*s", (int)n, (const char *)bytes);
    free(bytes);
}

START_TEST(neither_the_loop_nor_the_end_waits_for_the_disk)
{
    char yaml[1024], last[1024], said[1024];
    double loop_s, close_s;
    int rc;
    snprintf(yaml, sizeof yaml,
             "{profiler: {mode: simple, show_report: false, close_timeout: 1s}, logger_callback: "
             "[{tensorboard: {logdir: \"%s\"}}]}",
             scratch());
    run_blocked(yaml, 20000, last, said, sizeof last);
    ck_assert_int_eq(sscanf(last, "loop %lf s, close %lf s, %d", &loop_s, &close_s, &rc), 3);
    /* 20,000 steps take 0.1 s; a loop that waited would never come to an end. */
    ck_assert_double_lt(loop_s, 10);
    ck_assert_double_lt(close_s, 5);
    ck_assert_int_eq(rc, -6); /* SW_ETIME */
    ck_assert_msg(strstr(said, "tensorboard") != NULL, "%s", said);
    size_t count;
    event_files(scratch(), &count);
    ck_assert_uint_le(count, 1);
    scratch_remove();
}
END_TEST

SUITE(tensorboard_blocked)
{
    tcase_add_test(tc, neither_the_loop_nor_the_end_waits_for_the_disk);
}
