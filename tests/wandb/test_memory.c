/* SPDX-License-Identifier: MIT */
/* test_memory.c - the memory that there is: the machine's, or what its control groups leave. */
#include "sinks/wandb/run/memory.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char machine[] =
    "MemTotal:        8388608 kB\nMemFree:  1 kB\nMemAvailable:    2097152 kB\n";

static void put(const char *path, const char *text)
{
    char command[256];
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", path);
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

static struct swi_wandb_memory memory_found(void)
{
    struct swi_wandb_memory memory;
    ck_assert(swi_wandb_memory_find(&memory, scratch_path("")));
    return memory;
}

START_TEST(without_a_limit_it_is_the_machines)
{
    struct swi_wandb_memory memory;
    machine_make("1:cpu:/\n0::/user/me\n");
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 8192);
    ck_assert_double_eq(memory.available_mib, 2048);
    group_put("/user/me", "max\n", "1048576\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 8192);
    ck_assert_double_eq(memory.available_mib, 2048);
    group_put("/user", "17179869184\n", "1048576\n", "0"); /* more than there is */
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 8192);
    ck_assert_double_eq(memory.available_mib, 2048);
}
END_TEST

START_TEST(a_limit_counts_and_what_can_be_dropped_is_available)
{
    struct swi_wandb_memory memory;
    machine_make("0::/\n");
    group_put("", "1073741824\n", "805306368\n", "268435456");
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 1024);
    ck_assert_double_eq(memory.available_mib, 512);
}
END_TEST

/* The limit of a job is set some folders above the process's own group. */
START_TEST(the_tightest_limit_on_the_way_up_counts)
{
    struct swi_wandb_memory memory;
    machine_make("0::/job_1/step_0/task\n");
    group_put("", "4294967296\n", "0\n", "0"); /* a container's own root */
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 4096);
    ck_assert_double_eq(memory.available_mib, 4096);
    group_put("/job_1", "2147483648\n", "1073741824\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 2048);
    ck_assert_double_eq(memory.available_mib, 1024);
    group_put("/job_1/step_0/task", "536870912\n", "1073741824\n", "0");
    memory = memory_found();
    ck_assert_double_eq(memory.total_mib, 512);
    ck_assert_double_eq(memory.available_mib, 0); /* more is used than is allowed: for a moment */
}
END_TEST

START_TEST(where_nothing_says_it_nothing_is_made_up)
{
    struct swi_wandb_memory memory;
    scratch_enter();
    ck_assert(!swi_wandb_memory_find(&memory, scratch_path("")));
}
END_TEST

SUITE(wandb_memory)
{
    tcase_add_test(tc, without_a_limit_it_is_the_machines);
    tcase_add_test(tc, a_limit_counts_and_what_can_be_dropped_is_available);
    tcase_add_test(tc, the_tightest_limit_on_the_way_up_counts);
    tcase_add_test(tc, where_nothing_says_it_nothing_is_made_up);
}
