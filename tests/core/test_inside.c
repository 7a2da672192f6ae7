/* SPDX-License-Identifier: MIT */
/* What holds inside of the library at any time, by tests/core/inside.c. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static const char *const cases[] = {"frames", "counted", "garbage", "held", "handled", "threads"};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(case_passes)
{
    char command[4096];
    /* Seconds of a processor: a busy machine has few of them. What waits for ever takes longer. */
    snprintf(command, sizeof command, "ulimit -t 100; timeout 600 '%s/tests/core/inside' %s",
             BUILDDIR, cases[_i]);
    int status = system(command);
    ck_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        printf("SKIP: inside %s: not with this machine or build\n", cases[_i]);
    else
        ck_assert_msg(WEXITSTATUS(status) == 0, "inside %s: see above", cases[_i]);
}
END_TEST

SUITE(inside)
{
    tcase_set_timeout(tc, 660);
    tcase_add_loop_test(tc, case_passes, 0, CASES);
}
