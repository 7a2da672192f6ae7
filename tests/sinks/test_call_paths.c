/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/call_paths.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

/* A program that is too fast for its sinks: the ends of f and of the batch are missing. */
START_TEST(after_a_loss_stacks_are_right_again)
{
    struct swi_call_paths paths = {0};
    const struct sw_run run = {.size = sizeof run};
    const struct sw_lost lost = {.size = sizeof lost, .regions = 2};
    struct sw_region all[] = {{.time_ns = 1, .action = "train", .action_id = SW_TRAIN},
                              {.time_ns = 2, .action = "batch", .action_id = SW_BATCH},
                              {.time_ns = 3, .action = "f", .action_id = 100},
                              {.time_ns = 8, .action = "g", .action_id = 101},
                              {.time_ns = 9, .action = "train", .action_id = SW_TRAIN}};
    struct sw_record record = {.type = SW_RECORD_REGIONS};
    record.regions.stride = sizeof *all;
    record.regions.item = all;
    record.regions.count = 3;
    swi_call_paths_take(&paths, &run, &record);
    swi_call_paths_take(&paths, &run, &(struct sw_record){.type = SW_RECORD_LOST, .lost = &lost});
    record.regions.item = all + 3;
    record.regions.count = 2;
    swi_call_paths_take(&paths, &run, &record);
    ck_assert_int_eq(paths.lost, 2);
    ck_assert_uint_eq(paths.table.count, 5);
    ck_assert_str_eq(paths.table.path[4].action, "g");
    ck_assert_str_eq(paths.table.path[paths.table.path[4].parent].action, "train");
    swi_call_paths_fini(&paths);
}
END_TEST

SUITE(call_paths)
{
    tcase_add_test(tc, after_a_loss_stacks_are_right_again);
}
