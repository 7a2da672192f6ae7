/* SPDX-License-Identifier: MIT */
/* test_threads.c - writers and threads. What is wrong here shows under the thread sanitizer. */
#include "sinks/tensorboard/writer/crc32c.h"
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/tensorboard.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROWS = 2000 };

static struct sw_tb *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Runs it on all threads at once; each is given its number. */
static void on_threads(void *(*run)(void *))
{
    pthread_t thread[THREADS];
    static int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* Rows of tag "rows" in all files of the run. */
static size_t rows(size_t files)
{
    size_t count, sum = 0;
    char **file = event_files(in_scratch("run"), &count);
    ck_assert_uint_eq(count, files);
    for (size_t i = 0; i < count; i++) {
        struct events *events = events_read(file[i]);
        ck_assert(!events->torn);
        sum += values_of(events, "rows");
        events_free(events);
    }
    return sum;
}

static void *write_one_of_its_own(void *arg)
{
    static const double weight[] = {1, 2, 3};
    const int *number = arg;
    char dir[256];
    snprintf(dir, sizeof dir, "%s/run", scratch());
    struct sw_tb *tb = sw_tb_open(dir, NULL, NULL);
    for (int i = 0; i < ROWS; i++)
        sw_tb_scalar(tb, "rows", i, *number);
    sw_tb_histogram_values(tb, "weights", 0, weight, 3);
    sw_tb_text(tb, "notes", 0, "one of many");
    sw_tb_close(tb, NULL);
    return NULL;
}

START_TEST(threads_with_a_writer_each_need_no_lock)
{
    scratch();
    on_threads(write_one_of_its_own);
    ck_assert_uint_eq(rows(THREADS), THREADS * ROWS);
}
END_TEST

static void *write_in_turn(void *arg)
{
    const int *number = arg;
    for (int i = 0; i < ROWS; i++) {
        pthread_mutex_lock(&lock);
        sw_tb_scalar(shared, "rows", i, *number);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

START_TEST(threads_may_take_turns_at_one_writer)
{
    struct sw_error err;
    shared = sw_tb_open(in_scratch("run"), NULL, &err);
    ck_assert_msg(shared != NULL, "%s", sw_error_text(&err));
    on_threads(write_in_turn);
    ck_assert_msg(sw_tb_close(shared, &err) == 0, "%s", sw_error_text(&err));
    ck_assert_uint_eq(rows(1), THREADS * ROWS);
}
END_TEST

static uint32_t found[THREADS];

static void *checksum(void *arg)
{
    const int *number = arg;
    found[*number] = swi_crc32c_table((const uint8_t *)"123456789", 9);
    return NULL;
}

START_TEST(the_table_of_checksums_is_made_once_whoever_comes_first)
{
    on_threads(checksum);
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(found[i], 0xe3069283);
}
END_TEST

SUITE(tensorboard_threads)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, threads_with_a_writer_each_need_no_lock);
    tcase_add_test(tc, threads_may_take_turns_at_one_writer);
    tcase_add_test(tc, the_table_of_checksums_is_made_once_whoever_comes_first);
}
