/* SPDX-License-Identifier: MIT */
/* test_small_disk.c - a real file system that becomes full, and gets room again, or may not be
 * written at all. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"
#include "tests/tensorboard/small_disk.h"

#include <stepwatch/stepwatch.h>
#include <stepwatch/tensorboard.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DISK = 256 << 10 };

static struct sw_error err;

static bool mount_disk(void)
{
    ck_assert_int_eq(mkdir(in_scratch("disk"), 0700), 0);
    return small_disk_mount(in_scratch("disk"), DISK);
}

static void clean(void)
{
    small_disk_unmount(in_scratch("disk"));
    scratch_remove();
}

static void error_has(const char *text)
{
    ck_assert_msg(strstr(sw_error_text(&err), text) != NULL, "%s", sw_error_text(&err));
}

/* ---- the library ----------------------------------------------------------------------------- */

static void write_scalars(struct sw_tb *tb, int from, int to)
{
    for (int i = from; i < to; i++)
        sw_tb_scalar(tb, "loss/train", i, i);
}

/* The run holds the steps 0, 1, 2 and so on; returns how many. */
static size_t steps_in(const char *run)
{
    struct events *events = events_of_run(run);
    size_t points = values_of(events, "loss/train");
    for (size_t i = 0; i < points; i++)
        ck_assert_int_eq(events->event[events->count - points + i]->step, (int64_t)i);
    events_free(events);
    return points;
}

START_TEST(what_a_full_file_system_has_lost_is_counted_exactly)
{
    char expected[128];
    if (!mount_disk())
        return;
    struct sw_tb *tb = sw_tb_open(in_scratch("disk/run"), NULL, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
    write_scalars(tb, 0, 100000);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EIO);
    size_t kept = steps_in(in_scratch("disk/run"));
    ck_assert_uint_gt(kept, DISK / 2 / 50);
    snprintf(expected, sizeof expected, ": No space left on device; %zu of 100001 records are lost",
             100000 - kept);
    error_has(expected);
}
END_TEST

START_TEST(room_on_a_full_file_system_is_used_when_it_comes)
{
    if (!mount_disk())
        return;
    struct sw_tb *tb = sw_tb_open(in_scratch("disk/run"), NULL, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
    small_disk_fill(in_scratch("disk/filler"));
    write_scalars(tb, 0, 1000);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EIO);
    error_has(": No space left on device");
    unlink(in_scratch("disk/filler"));
    write_scalars(tb, 1000, 2000);
    ck_assert_msg(sw_tb_close(tb, &err) == 0, "%s", sw_error_text(&err));
    ck_assert_uint_eq(steps_in(in_scratch("disk/run")), 2000);
}
END_TEST

START_TEST(a_full_file_system_takes_no_new_run)
{
    if (!mount_disk())
        return;
    small_disk_fill(in_scratch("disk/filler"));
    ck_assert_ptr_null(sw_tb_open(in_scratch("disk/run"), NULL, &err));
    ck_assert_int_eq(err.code, SW_EFULL);
    error_has(": No space left on device");
    ck_assert_int_eq(rmdir(in_scratch("disk/run")), 0); /* no part of a file is in it */
}
END_TEST

START_TEST(a_file_system_that_may_not_be_written_is_reported)
{
    if (!mount_disk())
        return;
    ck_assert_int_eq(mkdir(in_scratch("disk/run"), 0700), 0);
    small_disk_protect(in_scratch("disk"));
    ck_assert_ptr_null(sw_tb_open(in_scratch("disk/run"), NULL, &err));
    error_has("cannot create the event file ");
    error_has(": Read-only file system");
    ck_assert_ptr_null(sw_tb_open(in_scratch("disk/other"), NULL, &err));
    error_has("cannot create the directory ");
    error_has(": Read-only file system");
}
END_TEST

/* ---- the sink -------------------------------------------------------------------------------- */

static atomic_bool said_full, said_over;

static void listen(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level;
    if (strstr(text, "cannot write to ") && strstr(text, ": No space left on device"))
        said_full = true;
    if (strcmp(text, "sink tensorboard: the event file can be written again") == 0)
        said_over = true;
}

static struct sw_profiler *open_loop(void)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "{profiler: {show_report: false}, logger_callback: [{tensorboard: {logdir: \"%s\", "
             "run: run, flush: 0s}}]}",
             in_scratch("disk"));
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, listen, NULL);
    return sw;
}

/* Trains until it is said, for a minute at most; returns the number of steps done. */
static int train_until(struct sw_profiler *sw, const atomic_bool *said, int step)
{
    for (int end = step + 6000; step < end && !*said; step++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss/train", step);
        sw_end_batch(sw, 1);
        usleep(10000);
    }
    ck_assert(*said);
    return step;
}

static void wait_for_event_file(void)
{
    size_t count = 0;
    for (int i = 0; i < 6000 && count == 0; i++) {
        usleep(10000);
        event_files(in_scratch("disk"), &count);
    }
    ck_assert_uint_eq(count, 1);
}

/* Within the namespace nobody is known but who began this: plugins that root has built belong to no
 * user there, and are refused. */
static bool plugins_are_ours(void)
{
    struct stat status;
    ck_assert_int_eq(stat(BUILDDIR "/sinks/.libs/tensorboard.so", &status), 0);
    if (status.st_uid == getuid())
        return true;
    printf("SKIP: test of the sink on a small file system: another user has built it\n");
    fflush(stdout);
    return false;
}

START_TEST(the_sink_says_that_the_disk_is_full_and_that_it_is_over)
{
    if (!mount_disk() || !plugins_are_ours())
        return;
    struct sw_profiler *sw = open_loop();
    wait_for_event_file();
    small_disk_fill(in_scratch("disk/filler"));
    /* The last page of the file has room for some more. */
    int steps = train_until(sw, &said_full, 0);
    unlink(in_scratch("disk/filler"));
    steps = train_until(sw, &said_over, steps);
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    struct events *events = events_of_run(in_scratch("disk/run"));
    ck_assert_uint_eq(values_of(events, "loss/train"), (size_t)steps);
    events_free(events);
}
END_TEST

SUITE(tensorboard_small_disk)
{
    tcase_add_checked_fixture(tc, NULL, clean);
    tcase_add_test(tc, what_a_full_file_system_has_lost_is_counted_exactly);
    tcase_add_test(tc, room_on_a_full_file_system_is_used_when_it_comes);
    tcase_add_test(tc, a_full_file_system_takes_no_new_run);
    tcase_add_test(tc, a_file_system_that_may_not_be_written_is_reported);
    tcase_add_test(tc, the_sink_says_that_the_disk_is_full_and_that_it_is_over);
}
