/* SPDX-License-Identifier: MIT */
/* test_memory.c - the memory that there is: the machine's, or what its control groups leave. */
#include "monitors/common/machine_counts.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char machine[] =
    "MemTotal:        8388608 kB\nMemFree:  1 kB\nMemAvailable:    2097152 kB\n";

static void put(const char *path, const char *text)
{
    char command[256];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path);
    ck_assert_int_eq(system(command), 0);
    scratch_write(path, text, strlen(text));
}

/* A machine of 8 GiB, of which 2 are available, and the group of the process. */
static void machine_make(const char *group)
{
    scratch_enter();
    put("proc/meminfo", machine);
    put("proc/self/cgroup", group);
}

static void group_put(const char *group, const char *limit, const char *used, const char *droppable)
{
    char path[128], text[128];
    snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.max", group);
    put(path, limit);
    snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.current", group);
    put(path, used);
    snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.stat", group);
    snprintf(text, sizeof text, "anon 5\ninactive_file %s\nactive_file 7\n", droppable);
    put(path, text);
}

/* In MiB. */
static struct swi_memory_left memory_found(void)
{
    struct swi_memory_left memory;
    struct swi_machine made = swi_machine_here(scratch_path(""));
    swi_memory_find(&made, &memory);
    memory.total /= 1048576;
    memory.available /= memory.available < 0 ? 1 : 1048576;
    return memory;
}

START_TEST(without_a_limit_it_is_the_machines)
{
    struct swi_memory_left memory;
    machine_make("1:cpu:/\n0::/user/me\n");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 8192);
    ck_assert_double_eq(memory.available, 2048);
    group_put("/user/me", "max\n", "1048576\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 8192);
    ck_assert_double_eq(memory.available, 2048);
    group_put("/user", "17179869184\n", "1048576\n", "0"); /* more than there is */
    memory = memory_found();
    ck_assert_double_eq(memory.total, 8192);
    ck_assert_double_eq(memory.available, 2048);
}
END_TEST

START_TEST(a_limit_counts_and_what_can_be_dropped_is_available)
{
    struct swi_memory_left memory;
    machine_make("0::/\n");
    group_put("", "1073741824\n", "805306368\n", "268435456");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 1024);
    ck_assert_double_eq(memory.available, 512);
}
END_TEST

/* The limit of a job is set some folders above the process's own group. */
START_TEST(the_tightest_limit_on_the_way_up_counts)
{
    struct swi_memory_left memory;
    machine_make("0::/job_1/step_0/task\n");
    group_put("", "4294967296\n", "0\n", "0"); /* a container's own root */
    memory = memory_found();
    ck_assert_double_eq(memory.total, 4096);
    ck_assert_double_eq(memory.available, 4096);
    group_put("/job_1", "2147483648\n", "1073741824\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 2048);
    ck_assert_double_eq(memory.available, 1024);
    group_put("/job_1/step_0/task", "536870912\n", "1073741824\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 512);
    ck_assert_double_eq(memory.available, 0); /* more is used than is allowed: for a moment */
}
END_TEST

START_TEST(where_nothing_says_it_nothing_is_made_up)
{
    scratch_enter();
    ck_assert_double_le(memory_found().total, 0);
}
END_TEST

/* A made-up machine of tests/golden/resources: its files as they are at the second sample. */
static json_t *golden_make(const char *name)
{
    const char *part[] = {"both", "t1"}, *file;
    json_t *text;
    json_t *json = golden_json("resources/machines/%s.json", name);
    scratch_enter();
    for (size_t i = 0; i < 2; i++)
        json_object_foreach(json_object_get(json_object_get(json, "files"), part[i]), file,
                            text) if (strncmp(file, "proc/meminfo", 12) == 0 ||
                                      strstr(file, "cgroup")) put(file, json_string_value(text));
    return json;
}

static double expected(const json_t *json, const char *metric)
{
    return json_number_value(json_object_get(json_object_get(json, "expected"), metric));
}

static const char *const machines[] = {"v2", "v1", "container", "none"};

START_TEST(a_made_up_machine_has_the_memory_that_its_groups_leave)
{
    struct swi_memory_left memory;
    json_t *json = golden_make(machines[_i]);
    memory = memory_found();
    ck_assert_double_eq_tol(memory.total * 1048576, expected(json, "system/memory_total_bytes"), 1);
    ck_assert_double_eq_tol(memory.available * 1048576,
                            expected(json, "system/memory_available_bytes"), 1);
    json_decref(json);
}
END_TEST

START_TEST(a_machine_that_does_not_say_what_is_available_has_no_figure)
{
    json_decref(golden_make("broken"));
    ck_assert_double_eq(memory_found().available, -1);
}
END_TEST

START_TEST(a_controller_that_version_1_lists_is_version_1s_in_any_order)
{
    static const char *const groups[] = {"0::/new\n7:cpu,memory:/old\n",
                                         "7:cpu,memory:/old\n0::/new\n"};
    struct swi_memory_left memory;
    for (size_t i = 0; i < 2; i++) {
        machine_make(groups[i]);
        group_put("/new", "1073741824\n", "0\n", "0");
        put("sys/fs/cgroup/cpu,memory/old/memory.limit_in_bytes", "2147483648\n");
        put("sys/fs/cgroup/cpu,memory/old/memory.usage_in_bytes", "1073741824\n");
        memory = memory_found();
        ck_assert_double_eq(memory.total, 2048);
        ck_assert_double_eq(memory.available, 1024);
    }
}
END_TEST

/* Distributions mount version 1 with the controllers in another order than they are listed, or
 * elsewhere. */
START_TEST(groups_are_where_the_kernel_says_that_they_are_mounted)
{
    static const char *const mounts[][2] = {
        {"30 25 0:26 / /sys/fs/cgroup/memory,cpu rw,nosuid shared:9 - cgroup cgroup rw,memory,cpu",
         "sys/fs/cgroup/memory,cpu/old"},
        {"30 25 0:26 / /dev/my\\040groups rw - cgroup cgroup rw,xattr,cpu,memory",
         "dev/my groups/old"},
        {"30 25 0:26 /old /groups rw - cgroup none rw,memory", "groups"},
        {"30 25 0:26 /other /groups rw - cgroup none rw,memory", "groups"},
    };
    char text[400], path[128];
    struct swi_memory_left memory;
    machine_make("7:cpu,memory:/old\n0::/new\n");
    snprintf(text, sizeof text,
             "25 1 0:2 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
             "29 25 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
             "31 25 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n%s\n",
             mounts[_i][0]);
    put("proc/self/mountinfo", text);
    put("sys/fs/cgroup/pids/memory.limit_in_bytes", "5\n");
    snprintf(path, sizeof path, "%s/memory.limit_in_bytes", mounts[_i][1]);
    put(path, "2147483648\n");
    snprintf(path, sizeof path, "%s/memory.usage_in_bytes", mounts[_i][1]);
    put(path, "1073741824\n");
    memory = memory_found();
    ck_assert_double_eq(memory.total, 2048);
    ck_assert_double_eq(memory.available, 1024);
}
END_TEST

/* Version 2 beside version 1. */
START_TEST(a_group_of_version_2_is_found_beside_version_1)
{
    machine_make("7:cpu:/old\n0::/new\n");
    put("proc/self/mountinfo",
        "28 25 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "29 25 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n");
    group_put("/unified/new", "2147483648\n", "1073741824\n", "0");
    ck_assert_double_eq(memory_found().total, 2048);
}
END_TEST

SUITE(memory_left)
{
    tcase_add_loop_test(tc, a_made_up_machine_has_the_memory_that_its_groups_leave, 0, 4);
    tcase_add_test(tc, a_machine_that_does_not_say_what_is_available_has_no_figure);
    tcase_add_test(tc, a_controller_that_version_1_lists_is_version_1s_in_any_order);
    tcase_add_loop_test(tc, groups_are_where_the_kernel_says_that_they_are_mounted, 0, 4);
    tcase_add_test(tc, a_group_of_version_2_is_found_beside_version_1);
    tcase_add_test(tc, without_a_limit_it_is_the_machines);
    tcase_add_test(tc, a_limit_counts_and_what_can_be_dropped_is_available);
    tcase_add_test(tc, the_tightest_limit_on_the_way_up_counts);
    tcase_add_test(tc, where_nothing_says_it_nothing_is_made_up);
}
