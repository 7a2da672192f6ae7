/* SPDX-License-Identifier: MIT */
/* test_fuzz_seeds.c - run logs, .wandb files, images and requests, whole and damaged. */
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

#include <stdio.h>

/* A seed, and how many lines or records of it are read. A run log's reader goes on behind a bad
 * line, so that a change costs one line; a .wandb file is read as far as it is whole. */
static const struct {
    const char *name; /* below tests/fuzz */
    fuzz_target *target;
    int times;
    int64_t whole;
    int64_t lost_at_most; /* by one change; -1: any number */
} seeds[] = {
#ifdef TEST_RUNLOG_SEEDS
    {"runlog/steps", fuzz_runlog, 50, 15, 1},
    {"runlog/regions", fuzz_runlog, 50, 60, 1},
    {"runlog/metrics", fuzz_runlog, 50, 6, 1},
    {"runlog/results", fuzz_runlog, 50, 6, 1},
    {"runlog/kinds", fuzz_runlog, 50, 15, 1},
    {"runlog/torn", fuzz_runlog, 50, 13, 1},
    {"runlog/not-counted", fuzz_runlog, 50, 38, 1},
    {"runlog/container-in-batch", fuzz_runlog, 50, 3, 1},
    {"runlog/pauses", fuzz_runlog, 50, 10, 1},
    {"runlog/selves", fuzz_runlog, 50, 7, 1},
    {"runlog/objects-for-lists", fuzz_runlog, 50, 7, 1},
    {"runlog/values", fuzz_runlog, 50, 17, 1},
    {"runlog/thinned", fuzz_runlog, 50, 12, -1},
#endif
#ifdef TEST_COMPRESSED_SEEDS
    {"runlog/frames", fuzz_runlog, 400, 15, -1},
    {"runlog/damaged-frame", fuzz_runlog, 400, 10, -1},
    {"runlog/torn-frames", fuzz_runlog, 400, 12, -1},
#endif
#ifdef TEST_WANDB_SEEDS
    {"wandb/smallest", fuzz_wandb, 400, 4, -1},
    {"wandb/empty", fuzz_wandb, 400, 0, -1},
    {"wandb/torn", fuzz_wandb, 400, 3, -1},
    {"wandb/damaged", fuzz_wandb, 400, 3, -1},
    {"wandb/every-kind", fuzz_wandb, 400, 20, -1},
    {"wandb/two-blocks", fuzz_wandb, 400, 4, -1},
    {"wandb/history", fuzz_wandb, 400, 2, -1},
    {"wandb/typed-history", fuzz_wandb, 400, 2, -1},
    {"wandb/artifact", fuzz_wandb, 400, 2, -1},
    {"wandb/environment", fuzz_wandb, 400, 2, -1},
#endif
    {"images/grey.png", fuzz_images, 2000, 1, -1},
    {"images/rgb.jpg", fuzz_images, 2000, 1, -1},
    {"images/rgb.gif", fuzz_images, 2000, 1, -1},
    {"requests/prometheus", fuzz_requests, 2000, 1, -1},
    {"requests/head", fuzz_requests, 2000, 1, -1},
    {NULL, NULL, 0, 0, 0},
};
enum { SEEDS = sizeof seeds / sizeof *seeds - 1 };

static uint8_t data[SEED_ROOM];

static size_t seed(int i)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/%s", seeds[i].name);
    return seed_read(data, path);
}

START_TEST(each_seed_is_read_as_far_as_it_goes)
{
    size_t size = seed(_i);
    ck_assert_int_eq(seeds[_i].target(data, size), seeds[_i].whole);
}
END_TEST

/* A change may always cost a line of a short seed, and never gives one that was not there. */
START_TEST(a_changed_seed_is_read_but_for_what_was_changed)
{
    size_t size = seed(_i);
    int64_t whole = seeds[_i].whole, lost_at_most = seeds[_i].lost_at_most;
    struct seed_found found = seed_change(data, size, seeds[_i].times, seeds[_i].target);
    ck_assert_int_eq(found.inputs, size ? seeds[_i].times : 0);
    ck_assert_int_le(found.most, whole);
    ck_assert(lost_at_most < 0 || found.least < whole);
    ck_assert(lost_at_most < 0 || found.most >= whole - lost_at_most);
}
END_TEST

SUITE(fuzz_seeds)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_seed_is_read_as_far_as_it_goes, 0, SEEDS);
    tcase_add_loop_test(tc, a_changed_seed_is_read_but_for_what_was_changed, 0, SEEDS);
}
