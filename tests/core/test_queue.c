/* SPDX-License-Identifier: MIT */
/* What waits for a sink that has hung costs a bounded amount of memory, whatever it is. */
#include "tests/support/suite.h"

#include "core/delivery/queue.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 100000, ROOM = 1000000 };

static struct swi_pool pool;
static struct swi_queue queue;

static void begin(void)
{
    swi_pool_init(&pool);
}

static void open_queue(size_t capacity, enum sw_queue_policy policy)
{
    ck_assert_int_eq(swi_queue_init(&queue, capacity, policy), 0);
}

static void end(void)
{
    swi_queue_fini(&queue);
    swi_pool_fini(&pool);
}

/* A record that says it has so many bytes; step is its number. */
static struct swi_record *record_of(enum sw_record_type type, size_t bytes, int64_t step)
{
    struct swi_record *record = swi_record_new(&pool, type, 0);
    record->bytes = bytes;
    record->record.step = step;
    return record;
}

/* Leaves the record to the queue. */
static void give(struct swi_record *record)
{
    swi_queue_push_list(&queue, record, UINT32_MAX);
    swi_record_unref(record);
}

static void push(enum sw_record_type type, size_t bytes, int64_t step)
{
    give(record_of(type, bytes, step));
}

static void push_mark(enum sw_region_event event, int64_t step)
{
    struct swi_record *record = record_of(SW_RECORD_MARK, 1000, step);
    struct sw_region *region = (struct sw_region *)record->metric;
    *region = (struct sw_region){.event = event};
    record->record.regions.item = region;
    give(record);
}

static void push_pause(bool paused)
{
    struct swi_record *record = record_of(SW_RECORD_PAUSE, 1000, 0);
    struct sw_pause *pause = (struct sw_pause *)record->metric;
    *pause = (struct sw_pause){.paused = paused};
    record->record.pause = pause;
    give(record);
}

static int64_t dropped_of(enum sw_record_type type)
{
    int64_t dropped[SW_RECORD_TYPES];
    swi_queue_count(&queue, dropped);
    return dropped[type];
}

static size_t bytes(void)
{
    return queue.droppable.bytes + queue.certain.bytes;
}

/* Takes all that waits; the steps of those of a type. Returns how many. */
static size_t take(enum sw_record_type type, int64_t *step, size_t room)
{
    struct swi_record *records[256];
    struct swi_taken taken = {0};
    size_t count = 0;
    swi_queue_close(&queue);
    while (!taken.closing) {
        taken = swi_queue_take(&queue, records, 256);
        for (size_t i = 0; i < taken.count; i++) {
            if (records[i]->record.type == type && count < room)
                step[count++] = records[i]->record.step;
            swi_record_unref(records[i]);
        }
    }
    return count;
}

/* ---- what may be dropped --------------------------------------------------------------------- */

START_TEST(metrics_wait_up_to_their_bytes_whatever_their_number)
{
    open_queue(ROOM, SW_QUEUE_DROP_NEWEST);
    for (int i = 0; i < MANY; i++)
        push(SW_RECORD_METRICS, 1 << 20, i);
    ck_assert_uint_eq(bytes(), SWI_RING_BYTES);
    ck_assert_int_eq(dropped_of(SW_RECORD_METRICS), MANY - 16);
    int64_t step[32];
    ck_assert_uint_eq(take(SW_RECORD_METRICS, step, 32), 16);
    ck_assert_int_eq(step[0], 0);
    ck_assert_int_eq(step[15], 15);
}
END_TEST

START_TEST(where_the_newest_matter_the_oldest_make_room_by_bytes_too)
{
    open_queue(ROOM, SW_QUEUE_DROP_OLDEST);
    for (int i = 0; i < 64; i++)
        push(SW_RECORD_REGIONS, 1 << 20, i);
    push(SW_RECORD_REGIONS, 4 << 20, 64);
    int64_t step[32];
    ck_assert_uint_eq(bytes(), SWI_RING_BYTES);
    ck_assert_uint_eq(take(SW_RECORD_REGIONS, step, 32), 13);
    ck_assert_int_eq(step[0], 52);
    ck_assert_int_eq(step[12], 64);
}
END_TEST

START_TEST(a_record_that_is_larger_than_all_is_taken_where_nothing_waits)
{
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    push(SW_RECORD_METRICS, 2 * SWI_RING_BYTES, 7);
    push(SW_RECORD_METRICS, 1, 8);
    int64_t step[2];
    ck_assert_uint_eq(take(SW_RECORD_METRICS, step, 2), 1);
    ck_assert_int_eq(step[0], 7);
}
END_TEST

START_TEST(a_worker_takes_no_more_than_so_many_bytes_in_one_go)
{
    struct swi_record *records[256];
    open_queue(ROOM, SW_QUEUE_DROP_NEWEST);
    for (int i = 0; i < 16; i++)
        push(SW_RECORD_METRICS, 1 << 20, i);
    struct swi_taken taken = swi_queue_take(&queue, records, 256);
    size_t n = taken.count;
    ck_assert_uint_eq(n, SWI_TAKE_BYTES >> 20);
    ck_assert_uint_eq(taken.number, n);
    while (n)
        swi_record_unref(records[--n]);
}
END_TEST

/* Otherwise each of thousands of places would be used in turn, and with it the memory of all. */
START_TEST(an_empty_queue_uses_its_memory_from_the_start_again)
{
    struct swi_record *taken[4];
    open_queue(1000, SW_QUEUE_DROP_OLDEST);
    for (int i = 0; i < 100; i++) {
        push(SW_RECORD_METRICS, 1000, i);
        push(SW_RECORD_METRICS, 1000, i);
        ck_assert_uint_le(queue.droppable.head + queue.droppable.count, 2);
        ck_assert_uint_eq(swi_queue_take(&queue, taken, 4).count, 2);
        swi_record_unref(taken[0]);
        swi_record_unref(taken[1]);
    }
}
END_TEST

START_TEST(what_was_dropped_is_reported_between_what_came_before_and_after_it)
{
    struct swi_record *records[8];
    open_queue(2, SW_QUEUE_DROP_NEWEST);
    for (int i = 0; i < 5; i++)
        push(SW_RECORD_STEP, 1000, i);
    push(SW_RECORD_REPORT, 1000, 5);
    struct swi_taken taken = swi_queue_take(&queue, records, 8);
    ck_assert_uint_eq(taken.count, 3);
    ck_assert_uint_eq(taken.lost_before, 2);
    ck_assert_int_eq(taken.lost.steps, 3);
    for (size_t i = 0; i < taken.count; i++)
        swi_record_unref(records[i]);
    push(SW_RECORD_STEP, 1000, 6);
    taken = swi_queue_take(&queue, records, 8);
    ck_assert_uint_eq(taken.count, 1);
    ck_assert_int_eq(taken.lost.steps, 0);
    swi_record_unref(records[0]);
}
END_TEST

/* ---- all else -------------------------------------------------------------------------------- */

static const enum sw_record_type counted[] = {SW_RECORD_HPARAM, SW_RECORD_EPOCH};

START_TEST(what_comes_by_the_million_is_dropped_beyond_its_bytes_and_counted)
{
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    for (int i = 0; i < MANY; i++)
        push(counted[_i], 1000, i);
    ck_assert_uint_le(bytes(), SWI_RING_BYTES);
    ck_assert_int_eq(dropped_of(counted[_i]), MANY - (int)(SWI_RING_BYTES / 1000));
}
END_TEST

START_TEST(a_report_of_an_epoch_that_would_be_dropped_need_not_be_made)
{
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    ck_assert(!swi_queue_refuses_epoch(&queue));
    push(SW_RECORD_EPOCH, 1000, 1);
    ck_assert(!swi_queue_refuses_epoch(&queue));
    push(SW_RECORD_HPARAM, SWI_RING_BYTES - 1500, 0);
    ck_assert(swi_queue_refuses_epoch(&queue));
    swi_queue_count_epoch(&queue);
    ck_assert_int_eq(dropped_of(SW_RECORD_EPOCH), 1);
    int64_t step[2];
    ck_assert_uint_eq(take(SW_RECORD_EPOCH, step, 2), 1);
}
END_TEST

START_TEST(of_marks_a_begin_is_dropped_with_its_end_and_what_is_between)
{
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    push_mark(SW_REGION_BEGIN, 1);
    push(SW_RECORD_HPARAM, SWI_RING_BYTES - 1500, 0);
    for (int i = 0; i < MANY; i++) {
        push_mark(SW_REGION_BEGIN, 2);
        push_mark(SW_REGION_BEGIN, 3);
        push_mark(SW_REGION_END, 4);
        push_mark(SW_REGION_END, 5);
    }
    push_mark(SW_REGION_END, 6);
    ck_assert_int_eq(dropped_of(SW_RECORD_MARK), 4 * MANY);
    int64_t step[8];
    ck_assert_uint_eq(take(SW_RECORD_MARK, step, 8), 2);
    ck_assert_int_eq(step[0], 1);
    ck_assert_int_eq(step[1], 6);
}
END_TEST

START_TEST(where_there_is_room_again_the_end_of_what_was_dropped_does_not_arrive)
{
    struct swi_record *record;
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    push(SW_RECORD_HPARAM, SWI_RING_BYTES, 0);
    push_mark(SW_REGION_BEGIN, 1);
    push_pause(true);
    ck_assert_uint_eq(swi_queue_take(&queue, &record, 1).count, 1);
    swi_record_unref(record);
    push_mark(SW_REGION_CANCEL, 2);
    push_pause(false);
    ck_assert_uint_eq(bytes(), 0);
    push_mark(SW_REGION_BEGIN, 3);
    int64_t step[2];
    ck_assert_uint_eq(take(SW_RECORD_MARK, step, 2), 1);
    ck_assert_int_eq(step[0], 3);
}
END_TEST

START_TEST(of_reports_of_fits_the_newest_arrives)
{
    open_queue(8, SW_QUEUE_DROP_NEWEST);
    for (int i = 0; i < MANY; i++)
        push(SW_RECORD_REPORT, 10000, i);
    push(SW_RECORD_END, 1000, MANY);
    ck_assert_uint_le(bytes(), 2 * SWI_RING_BYTES + 1000);
    enum { KEPT = (int)(2 * SWI_RING_BYTES / 10000) };
    static int64_t step[KEPT + 8];
    ck_assert_int_eq(dropped_of(SW_RECORD_REPORT), MANY - KEPT);
    ck_assert_int_eq(dropped_of(SW_RECORD_END), 0);
    ck_assert_uint_eq(take(SW_RECORD_REPORT, step, KEPT + 8), KEPT);
    ck_assert_int_eq(step[KEPT - 1], MANY - 1);
}
END_TEST

SUITE(queue)
{
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, metrics_wait_up_to_their_bytes_whatever_their_number);
    tcase_add_test(tc, where_the_newest_matter_the_oldest_make_room_by_bytes_too);
    tcase_add_test(tc, a_record_that_is_larger_than_all_is_taken_where_nothing_waits);
    tcase_add_test(tc, an_empty_queue_uses_its_memory_from_the_start_again);
    tcase_add_test(tc, what_was_dropped_is_reported_between_what_came_before_and_after_it);
    tcase_add_test(tc, a_worker_takes_no_more_than_so_many_bytes_in_one_go);
    tcase_add_loop_test(tc, what_comes_by_the_million_is_dropped_beyond_its_bytes_and_counted, 0,
                        sizeof counted / sizeof *counted);
    tcase_add_test(tc, a_report_of_an_epoch_that_would_be_dropped_need_not_be_made);
    tcase_add_test(tc, of_marks_a_begin_is_dropped_with_its_end_and_what_is_between);
    tcase_add_test(tc, where_there_is_room_again_the_end_of_what_was_dropped_does_not_arrive);
    tcase_add_test(tc, of_reports_of_fits_the_newest_arrives);
}
