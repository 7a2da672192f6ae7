/* SPDX-License-Identifier: MIT */
/* Samples of monitors on wandb's System tab: by the keys and units of the real client. */
#include "sinks/wandb/wandb_sink.h"
#include "tests/support/golden.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* A record of the members of an object. */
static struct sw_record record_of(const json_t *object, struct sw_metric *metric, int64_t time_ns)
{
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        ck_assert_uint_lt(count, MOST);
        metric[count++] = (struct sw_metric){name, json_number_value(value), SW_BY_MONITOR};
    }
    return (struct sw_record){.size = sizeof(struct sw_record),
                              .type = SW_RECORD_METRICS,
                              .time_ns = time_ns,
                              .metrics = {count, sizeof *metric, metric}};
}

static void add(struct swi_fields *row, struct swi_sample_sums *sums, const json_t *object,
                int64_t time_ns)
{
    struct sw_metric metric[MOST];
    struct sw_record record = record_of(object, metric, time_ns);
    swi_fields_clear(row);
    swi_wandb_system_row(row, sums, &record, 4);
}

static void assert_row(const struct swi_fields *row, const json_t *expected)
{
    ck_assert_uint_eq(row->count, json_object_size(expected));
    for (size_t i = 0; i < row->count; i++) {
        const json_t *wanted = json_object_get(expected, row->item[i].key);
        ck_assert_msg(wanted != NULL, "%s is not a key of the client's", row->item[i].key);
        double got = strtod(row->item[i].json.data, NULL), want = json_number_value(wanted);
        ck_assert_msg(fabs(got - want) <= 1e-9 * fabs(want), "%s is %.17g, expected %.17g",
                      row->item[i].key, got, want);
    }
}

START_TEST(gpus_have_exactly_the_keys_of_the_real_client)
{
    json_t *golden = golden_json("resources/nvml/expected.json");
    struct swi_fields row = {0};
    struct swi_sample_sums sums = {0};
    add(&row, &sums, json_object_get(golden, "stepwatch"), 5);
    assert_row(&row, json_object_get(golden, "wandb"));
    swi_fields_free(&row);
    swi_sample_sums_free(&sums);
    json_decref(golden);
}
END_TEST

START_TEST(the_machine_has_its_keys_and_units)
{
    json_t *first = json_pack(
        "{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "process/cpus_used", 2.0,
        "process/cpu_percent", 80.0, "process/rss_bytes", 3145728.0, "process/rss_percent", 7.0,
        "process/threads", 9.0, "system/memory_percent", 50.0, "system/memory_available_bytes",
        1048576.0, "system/filesystem///used_bytes", 2147483648.0,
        "system/filesystem///used_percent", 12.5, "system/temperature/k10temp/Tctl", 46.0);
    json_t *second = json_pack("{s:f,s:f,s:f}", "system/disk/sda/read_bytes_per_s", 1048576.0,
                               "system/network/sent_bytes_per_s", 100.0, "room/celsius", 21.5);
    json_t *keys = json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "cpu", 50.0, "proc.memory.rssMB",
                             3.0, "proc.memory.percent", 7.0, "proc.cpu.threads", 9.0,
                             "memory_percent", 50.0, "proc.memory.availableMB", 1.0,
                             "disk./.usageGB", 2.0, "disk./.usagePercent", 12.5);
    json_t *since_start =
        json_pack("{s:f,s:f,s:f}", "disk.sda.in", 4.0, "network.sent", 400.0, "room.celsius", 21.5);
    struct swi_fields row = {0};
    struct swi_sample_sums sums = {0};
    add(&row, &sums, first, 0);
    assert_row(&row, keys);
    add(&row, &sums, second, 2000000000);
    add(&row, &sums, second, 4000000000); /* since the start: 2 s and 2 s */
    assert_row(&row, since_start);
    swi_fields_free(&row);
    swi_sample_sums_free(&sums);
    json_decref(first);
    json_decref(second);
    json_decref(keys);
    json_decref(since_start);
}
END_TEST

/* A GPU may be sampled each second, and the machine each 15 s. */
START_TEST(a_rate_is_summed_over_the_time_of_its_own_monitor)
{
    json_t *machine = json_pack("{s:f}", "system/network/sent_bytes_per_s", 100.0);
    json_t *gpu = json_pack("{s:f}", "gpu/0/power_watts", 50.0);
    json_t *sent = json_pack("{s:f}", "network.sent", 3000.0);
    struct swi_fields row = {0};
    struct swi_sample_sums sums = {0};
    for (int64_t second = 0; second <= 30; second++)
        add(&row, &sums, second && second % 15 == 0 ? machine : gpu, second * 1000000000);
    assert_row(&row, sent);
    swi_fields_free(&row);
    swi_sample_sums_free(&sums);
    json_decref(machine);
    json_decref(gpu);
    json_decref(sent);
}
END_TEST

/* What the sink itself asks for. */
START_TEST(sums_are_taken_as_they_are)
{
    json_t *first = json_pack("{s:f,s:f}", "system/disk/sda/read_bytes", 0.0,
                              "system/network/tcp_retransmits", 0.0);
    json_t *second = json_pack("{s:f,s:f}", "system/disk/sda/read_bytes", 3145728.0,
                               "system/network/tcp_retransmits", 7.0);
    json_t *keys = json_pack("{s:f,s:f}", "disk.sda.in", 3.0, "network.tcpRetransmits", 7.0);
    struct swi_fields row = {0};
    struct swi_sample_sums sums = {0};
    add(&row, &sums, first, 1000000000);
    add(&row, &sums, second, 16000000000);
    assert_row(&row, keys);
    swi_fields_free(&row);
    swi_sample_sums_free(&sums);
    json_decref(first);
    json_decref(second);
    json_decref(keys);
}
END_TEST

SUITE(wandb_monitored)
{
    tcase_add_test(tc, a_rate_is_summed_over_the_time_of_its_own_monitor);
    tcase_add_test(tc, sums_are_taken_as_they_are);
    tcase_add_test(tc, gpus_have_exactly_the_keys_of_the_real_client);
    tcase_add_test(tc, the_machine_has_its_keys_and_units);
}
