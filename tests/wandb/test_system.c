/* SPDX-License-Identifier: MIT */
/* test_system.c - what the machine does, by the names of wandb's System tab. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/df.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <unistd.h>

static void forget(void)
{
    setenv("WANDB_MODE", "offline", 1);
    unsetenv("WANDB_DIR");
    unsetenv("RANK");
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
}

/* The first sample of a run, "" for a missing value; -1 if there is no sample. */
static int sample(char names[64][48], double value[64])
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    int count = -1;
    int rc = swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err);
    while (rc >= 0 && count < 0 && (rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        if (record->what != SWI_RECORD_STATS)
            continue;
        ck_assert_int_gt(record->stats->timestamp->seconds, 1600000000);
        for (count = 0; count < 64 && (size_t)count < record->stats->n_item; count++) {
            snprintf(names[count], 48, "%s", record->stats->item[count]->key);
            value[count] = strtod(record->stats->item[count]->value_json, NULL);
        }
    }
    swi_wandb_reader_close(&reader);
    return count;
}

static void run(const char *options)
{
    forget();
    struct host *host = host_open("wandb", options);
    host_metric(host, 0, "loss", 1);
    sw_flush(host_profiler(host), 60000000000);
    host_close(host);
}

static double value_of(const char *name, char names[64][48], const double value[64], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return value[i];
    ck_abort_msg("no %s", name);
    return 0;
}

START_TEST(a_sample_has_the_names_that_wandb_shows)
{
    char names[64][48];
    double value[64];
    run("run_id: abc\n");
    int count = sample(names, value);
    ck_assert_int_gt(count, 8);
    ck_assert(value_of("memory_percent", names, value, count) > 0);
    ck_assert(value_of("memory_percent", names, value, count) <= 100);
    ck_assert(value_of("proc.memory.rssMB", names, value, count) > 0);
    ck_assert(value_of("proc.memory.percent", names, value, count) > 0);
    ck_assert(value_of("proc.memory.availableMB", names, value, count) > 0);
    ck_assert(value_of("proc.cpu.threads", names, value, count) >= 2);
    ck_assert_double_eq_tol(value_of("disk./.usagePercent", names, value, count), df_used_percent(),
                            1.5);
    ck_assert(value_of("disk./.usageGB", names, value, count) >= 0);
    /* Since the run's start, which is now. */
    ck_assert(value_of("network.sent", names, value, count) == 0);
    ck_assert(value_of("network.recv", names, value, count) == 0);
    ck_assert(value_of("network.tcpRetransmits", names, value, count) == 0);
}
END_TEST

/* Which disks there are is the machine's: each has both, and is one of the kernel's. */
START_TEST(a_disk_has_what_it_read_and_wrote)
{
    char names[64][48], key[64], device[48];
    double value[64];
    run("run_id: abc\n");
    int count = sample(names, value);
    for (int i = 0; i < count; i++) {
        if (sscanf(names[i], "disk.%47[^.].in", device) != 1 || !strstr(names[i], ".in"))
            continue;
        snprintf(key, sizeof key, "disk.%s.out", device);
        ck_assert(value[i] == 0);
        ck_assert(value_of(key, names, value, count) == 0);
        snprintf(key, sizeof key, "/sys/block/%s", device);
        ck_assert_int_eq(access(key, F_OK), 0);
    }
}
END_TEST

START_TEST(a_sample_is_not_taken_where_it_is_not_wanted)
{
    char names[64][48];
    double value[64];
    run("run_id: abc\nsystem: false\n");
    ck_assert_int_eq(sample(names, value), -1);
}
END_TEST

START_TEST(a_run_that_is_over_at_once_has_a_sample)
{
    char names[64][48];
    double value[64];
    forget();
    host_close(host_open("wandb", "run_id: abc\n"));
    ck_assert_int_gt(sample(names, value), 8);
}
END_TEST

/* Its client has no share of the processors for a run of a moment, either. */
START_TEST(a_sample_is_taken_once_in_15_seconds)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    int samples = 0;
    forget();
    struct host *host = host_open("wandb", "run_id: abc\n");
    for (int i = 0; i < 3; i++) {
        host_metric(host, i, "loss", 1);
        sw_flush(host_profiler(host), 60000000000);
    }
    host_close(host);
    ck_assert_int_eq(swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err), 0);
    while (swi_wandb_reader_next(&reader, &record, &err) == 1) {
        if (record->what != SWI_RECORD_STATS)
            continue;
        samples++;
        for (size_t i = 0; i < record->stats->n_item; i++)
            ck_assert_str_ne(record->stats->item[i]->key, "cpu");
    }
    swi_wandb_reader_close(&reader);
    ck_assert_int_eq(samples, 1);
}
END_TEST

SUITE(wandb_system)
{
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_sample_has_the_names_that_wandb_shows);
    tcase_add_test(tc, a_disk_has_what_it_read_and_wrote);
    tcase_add_test(tc, a_sample_is_not_taken_where_it_is_not_wanted);
    tcase_add_test(tc, a_run_that_is_over_at_once_has_a_sample);
    tcase_add_test(tc, a_sample_is_taken_once_in_15_seconds);
}
