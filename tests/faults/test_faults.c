/* SPDX-License-Identifier: MIT */
/* test_faults.c - the rows of tests/faults with few trials, except those in which a
 * service is away: suites of tests/wandb have these with servers that are faster at it. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char *const rows[] = {
    "sigkill",
    "sigkill_regions",
    "regions_at_the_end",
    "sigkill_timelines",
    "file_limit_timelines",
    "ends_of_timelines",
    "sigkill_limits",
    "crashes_of_timelines",
    "pauses",
    "copytruncate",
    "sigkill_compressed",
    "copytruncate_compressed",
    "signals",
    "signals_in_a_sink",
    "signals_unhandled",
    "signals_twice",
    "own_handlers",
    "exits",
    "float_traps",
    "crashes",
    "signal_at_close",
    "signal_then_end",
    "signal_in_a_wait",
    "exit_at_close",
    "exit_in_a_sink",
    "close_at_exit",
    "open_and_close",
    "unloaded_module",
    "two_copies",
    "main_thread_ends",
    "cancelled_threads",
    "odd_calls",
    "forks_at_work",
    "daemons",
    "crashes_at_once",
    "crashes_in_the_fold",
    "disk_full",
    "mlflow_disk_full",
    "mlflow_ends",
    "space_comes_back",
    "disk_full_compressed",
    "space_comes_back_compressed",
    "sqlite_space",
    "sqlite_deleted",
    "textfile_killed",
    "read_only",
    "file_limit",
    "writes_fail",
    "vanished_folder",
    "disk_full_timelines",
    "read_only_timelines",
    "broken_timelines",
    "slow_disk_timelines",
    "closed_descriptors",
    "closed_sinks",
    "stdouts",
    "healthy_runs",
    "slow_runs",
    "hostile_configs",
    "damaged_logs",
    "damaged_anywhere",
    "damaged_compressed",
    "compressed_bombs",
    "odd_logs",
    "damaged_exports",
    "damaged_wandb",
    "slow_sinks",
    "hung_memory",
    "failing_sinks",
    "ended_sinks",
    "no_sinks",
    "accounting",
    "environment_changes",
    "forks",
    "threads",
    "handlers",
    "shapes",
    "endless",
    "many_regions",
    "clock_jumps",
    "day_jumps",
    "faked_day",
    "moved_clocks",
    "moved_timelines",
    "odd_clocks",
    "own_cost",
    "odd_values",
    "names",
    "foreign_texts",
    "one_folder",
    "containers",
    "surroundings",
    "planted_links",
    "planted_folders",
    "planted_configs",
    "planted_captures",
    "decimal_comma",
    "setuid",
    "secrets",
    "tokens",
    "calls_fail",
    "leaks",
    "wandb_ends",
    "wandb_disk_full",
    "wandb_space",
    "wandb_resumed",
    "wandb_summary",
    "wandb_two",
};
enum { ROWS = sizeof rows / sizeof *rows };

START_TEST(row_passes)
{
    char command[4096];
    setenv("SRCDIR", SRCDIR, 1);
    setenv("BUILDDIR", BUILDDIR, 1);
    setenv("SANITIZER", TEST_SANITIZER, 1);
    snprintf(command, sizeof command,
             "command -v python3 >/dev/null || { echo 'SKIP: faults: no python3'; exit 0; }; "
             "said=$(mktemp) || exit; timeout 250 python3 '%s/tests/faults/run' %s >$said 2>&1; "
             "status=$?; grep -o 'SKIP.*' $said; test $status = 0 || cat $said; rm $said; "
             "exit $status",
             SRCDIR, rows[_i]);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "tests/faults/run %s: see above",
                  rows[_i]);
}
END_TEST

static int at(const char *name)
{
    int i = 0;
    while (i < ROWS && strcmp(rows[i], name) != 0)
        i++;
    return i;
}

static void rows_add(TCase *tc, int from, int to)
{
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, row_passes, from, to);
}

/* Three suites, since they run beside each other: the rows wait more than they work. */
LONG_SUITE(faults_at_the_end)
{
    rows_add(tc, 0, at("disk_full"));
}

LONG_SUITE(faults_outside)
{
    rows_add(tc, at("disk_full"), at("forks"));
}

LONG_SUITE(faults_in_the_program)
{
    rows_add(tc, at("forks"), ROWS);
}
