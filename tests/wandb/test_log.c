/* SPDX-License-Identifier: MIT */
/* test_log.c - the framing of a .wandb file. That the real wandb reads it is sync.py's to show. */
#include "core/text/digest.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/file/reader.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

static char path[64];
static unsigned char file[ROOM];

static void begin(struct swi_wandb_log *log)
{
    struct sw_error err;
    snprintf(path, sizeof path, "/tmp/stepwatch-log-%d", (int)getpid());
    unlink(path);
    ck_assert_msg(swi_wandb_log_open(log, path, &err) == 0, "%s", sw_error_text(&err));
}

static size_t end(struct swi_wandb_log *log)
{
    struct sw_error err;
    ck_assert_int_eq(swi_wandb_log_close(log, &err), 0);
    FILE *stream = fopen(path, "rb");
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    unlink(path);
    return size;
}

START_TEST(crc_is_the_one_of_zlib)
{
    ck_assert_uint_eq(swi_crc32(0, "123456789", 9), 0xcbf43926);
    /* Wherever it is cut. */
    const char *text = "The quick brown fox jumps over the lazy dog";
    for (size_t cut = 0; cut <= strlen(text); cut++)
        ck_assert_uint_eq(swi_crc32(swi_crc32(0, text, cut), text + cut, strlen(text) - cut),
                          0x414fa339);
}
END_TEST

/* The definition: one bit at a time. */
static uint32_t crc_by_bit(const unsigned char *byte, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * size; i++) {
        crc ^= byte[i / 8] >> i % 8 & 1;
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

START_TEST(crc_is_the_same_for_each_length_and_place)
{
    unsigned char text[300];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
    for (size_t at = 0; at < 16; at += 5)
        for (size_t size = 0; at + size <= sizeof text; size++)
            ck_assert_uint_eq(swi_crc32(0, text + at, size), crc_by_bit(text + at, size));
}
END_TEST

START_TEST(a_small_file_is_what_wandb_writes)
{
    static const unsigned char run[] = {0x08, 0x01, 0x8a, 0x01, 0x0b, 0x0a, 0x03, 0x61,
                                        0x62, 0x63, 0x1a, 0x04, 0x64, 0x65, 0x6d, 0x6f};
    static const unsigned char expected[] = {
        0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00, 0xf4, 0x36, 0x3a, 0xb3, 0x10, 0x00, 0x01, 0x08,
        0x01, 0x8a, 0x01, 0x0b, 0x0a, 0x03, 0x61, 0x62, 0x63, 0x1a, 0x04, 0x64, 0x65, 0x6d, 0x6f};
    struct swi_wandb_log log;
    begin(&log);
    ck_assert(swi_wandb_log_add(&log, run, sizeof run));
    ck_assert_uint_eq(end(&log), sizeof expected);
    ck_assert_mem_eq(file, expected, sizeof expected);
}
END_TEST

/* Reads the record at *at, which must not be cut off; its size. */
static size_t read_back(size_t *at, unsigned char *record)
{
    size_t size = 0;
    bool first = true;
    for (int type = 0; type != 1 && type != 4;) {
        if (32768 - *at % 32768 < 7)
            *at += 32768 - *at % 32768;
        const unsigned char *head = file + *at;
        size_t n = head[4] | (size_t)head[5] << 8;
        uint32_t crc = swi_crc32(0, head + 6, n + 1);
        for (int i = 0; i < 4; i++)
            ck_assert_uint_eq(head[i], crc >> (8 * i) & 0xff);
        ck_assert_uint_le(*at % 32768 + 7 + n, 32768);
        type = head[6];
        ck_assert(first ? type == 1 || type == 2 : type == 3 || type == 4);
        first = false;
        memcpy(record + size, head + 7, n);
        size += n;
        *at += 7 + n;
    }
    return size;
}

/* Sizes around what is left of the first block: 32,768 less the file's head and the record's. */
static const size_t sizes[] = {0, 1, 32746, 32747, 32748, 32753, 32754, 32755, 70000, 200000};

START_TEST(a_record_of_any_size_comes_back)
{
    static unsigned char record[ROOM], found[ROOM];
    struct swi_wandb_log log;
    size_t size = sizes[_i], at = 7;
    for (size_t i = 0; i < size; i++)
        record[i] = (unsigned char)(i * 31 + 7);
    begin(&log);
    ck_assert(swi_wandb_log_add(&log, record, size));
    ck_assert(swi_wandb_log_add(&log, "next", 4));
    size_t total = end(&log);
    ck_assert_uint_eq(read_back(&at, found), size);
    ck_assert(memcmp(found, record, size) == 0);
    ck_assert_uint_eq(read_back(&at, found), 4);
    ck_assert_mem_eq(found, "next", 4);
    ck_assert_uint_eq(at, total);
}
END_TEST

START_TEST(what_has_no_room_is_left_out_as_a_whole)
{
    unsigned char *record = calloc(1, SWI_LOG_HELD_LONG);
    struct swi_wandb_log log;
    begin(&log);
    ck_assert(!swi_wandb_log_add(&log, record, SWI_LOG_HELD_LONG));
    ck_assert(swi_wandb_log_add(&log, "next", 4));
    ck_assert_uint_eq(end(&log), 7 + 7 + 4);
    free(record);
}
END_TEST

START_TEST(a_long_row_may_take_more_than_many_short_ones)
{
    unsigned char *record = calloc(1, SWI_LOG_HELD);
    struct swi_wandb_log log;
    struct stat status;
    struct sw_error err;
    begin(&log);
    ck_assert(swi_wandb_log_add(&log, record, SWI_LOG_HELD));
    ck_assert(!swi_wandb_log_add(&log, "next", 4));
    ck_assert_int_eq(swi_wandb_log_flush(&log, &err), 0);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_gt(status.st_size, SWI_LOG_HELD);
    end(&log);
    free(record);
}
END_TEST

START_TEST(room_for_a_burst_is_given_back)
{
    struct swi_wandb_log log;
    struct sw_error err;
    unsigned char record[1000] = {0};
    begin(&log);
    for (int i = 0; i < 3000; i++)
        ck_assert(swi_wandb_log_add(&log, record, sizeof record));
    ck_assert_uint_gt(log.capacity, 3000000);
    ck_assert_int_eq(swi_wandb_log_flush(&log, &err), 0);
    ck_assert_uint_eq(log.capacity, 0);
    ck_assert(swi_wandb_log_add(&log, "next", 4));
    size_t total = end(&log);
    ck_assert_uint_gt(total, 1000000);
}
END_TEST

START_TEST(a_full_disk_is_reported_and_memory_stays_bounded)
{
    struct swi_wandb_log log;
    struct sw_error err;
    unsigned char record[1000] = {0};
    int added = 0;
    begin(&log);
    ck_assert_int_ge(dup2(open("/dev/full", O_WRONLY), log.fd), 0);
    log.identity = swi_identity_of(log.fd);
    while (added < 10000 && swi_wandb_log_add(&log, record, sizeof record))
        added++;
    ck_assert_int_gt(added, 3000);
    ck_assert_int_lt(added, 10000);
    ck_assert_int_eq(swi_wandb_log_flush(&log, &err), SW_EIO);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "No space left"));
    ck_assert_int_eq(swi_wandb_log_close(&log, &err), SW_EIO);
    ck_assert_int_eq(log.records, added);
    unlink(path);
}
END_TEST

/* ---- a file that is being written ------------------------------------------------------------ */

static struct swi_wandb_reader reader;

/* How many records a reader finds that opens the file now. */
static int records_now(void)
{
    const struct swi_record_message *record;
    struct sw_error err;
    int count = 0, rc;
    ck_assert_int_eq(swi_wandb_reader_open(&reader, path, &err), 0);
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1)
        count++;
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    return count;
}

static void add(struct swi_wandb_log *log, const char *record)
{
    ck_assert(swi_wandb_log_add(log, record, strlen(record)));
}

static void flush(struct swi_wandb_log *log)
{
    struct sw_error err;
    ck_assert_msg(swi_wandb_log_flush(log, &err) == 0, "%s", sw_error_text(&err));
}

/* A copy has what the file would have after a kill: nobody holds a lock on it. */
static int records_after_a_kill(void)
{
    char command[256], original[sizeof path];
    memcpy(original, path, sizeof path);
    snprintf(command, sizeof command, "cp %s %s.copy", original, original);
    ck_assert_int_eq(system(command), 0);
    snprintf(path + strlen(path), sizeof path - strlen(path), ".copy");
    int count = records_now();
    unlink(path);
    memcpy(path, original, sizeof path);
    return count;
}

/* Records of an unknown kind: their numbers alone. */
static const char one[] = "\x08\x01", two[] = "\x08\x02", longer[] = "\x08\x80\x80\x80\x01";

START_TEST(a_draft_is_there_after_a_kill_and_replaced_by_what_follows)
{
    struct swi_wandb_log log;
    begin(&log);
    add(&log, one);
    swi_wandb_log_draft(&log, longer, sizeof longer - 1);
    flush(&log);
    ck_assert_int_eq(records_after_a_kill(), 2);
    add(&log, one);
    swi_wandb_log_draft(&log, longer, sizeof longer - 1);
    flush(&log);
    ck_assert_int_eq(records_after_a_kill(), 3);
    add(&log, two);
    flush(&log);
    ck_assert_int_eq(records_after_a_kill(), 3);
    ck_assert_uint_eq(end(&log), 7 + 3 * (7 + 2));
}
END_TEST

START_TEST(a_draft_that_was_not_flushed_is_not_a_record)
{
    struct swi_wandb_log log;
    begin(&log);
    swi_wandb_log_draft(&log, longer, sizeof longer - 1);
    swi_wandb_log_draft(&log, two, sizeof two - 1);
    add(&log, one);
    ck_assert_uint_eq(end(&log), 7 + 7 + 2);
}
END_TEST

START_TEST(a_reader_takes_nothing_that_may_still_change)
{
    struct swi_wandb_log log;
    begin(&log);
    ck_assert_int_eq(records_now(), 0);
    add(&log, one);
    swi_wandb_log_draft(&log, longer, sizeof longer - 1);
    flush(&log);
    ck_assert_int_eq(records_now(), 1);
    add(&log, two);
    flush(&log);
    ck_assert_int_eq(records_now(), 2);
    end(&log);
}
END_TEST

START_TEST(a_child_that_lives_on_does_not_keep_the_run_alive)
{
    struct swi_wandb_log log;
    struct sw_error err;
    begin(&log);
    pid_t child = fork();
    if (child == 0)
        pause();
    ck_assert(swi_wandb_log_is_live(path));
    ck_assert_int_eq(swi_wandb_log_close(&log, &err), 0);
    bool live = true;
    for (int i = 0; i < 3000 && live; i++) {
        live = swi_wandb_log_is_live(path);
        usleep(live ? 10000 : 0);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    unlink(path);
    ck_assert(!live);
}
END_TEST

SUITE(wandb_log)
{
    tcase_add_test(tc, crc_is_the_one_of_zlib);
    tcase_add_test(tc, crc_is_the_same_for_each_length_and_place);
    tcase_add_test(tc, a_small_file_is_what_wandb_writes);
    tcase_add_loop_test(tc, a_record_of_any_size_comes_back, 0, sizeof sizes / sizeof *sizes);
    tcase_add_test(tc, what_has_no_room_is_left_out_as_a_whole);
    tcase_add_test(tc, a_long_row_may_take_more_than_many_short_ones);
    tcase_add_test(tc, room_for_a_burst_is_given_back);
    tcase_add_test(tc, a_full_disk_is_reported_and_memory_stays_bounded);
    tcase_add_test(tc, a_draft_is_there_after_a_kill_and_replaced_by_what_follows);
    tcase_add_test(tc, a_draft_that_was_not_flushed_is_not_a_record);
    tcase_add_test(tc, a_reader_takes_nothing_that_may_still_change);
    tcase_add_test(tc, a_child_that_lives_on_does_not_keep_the_run_alive);
}
