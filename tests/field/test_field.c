/* SPDX-License-Identifier: MIT */
/* test_field.c - a user's journeys with an installed stepwatch, in surroundings unlike those of who
 * wrote it: see tests/field/run. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { SKIPPED = 77 };

START_TEST(journeys_end_as_at_home_or_say_what_to_do)
{
    char command[4096];
    setenv("SRCDIR", SRCDIR, 1);
    setenv("BUILDDIR", BUILDDIR, 1);
    setenv("CC", TEST_CC, 1);
    setenv("CXX", TEST_CXX, 1);
    snprintf(command, sizeof command, "timeout 280 sh '%s/tests/field/run' --quick", SRCDIR);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED),
                  "tests/field/run --quick: see above");
}
END_TEST

/* What is installed must not need a sanitizer's library, which the surroundings would have to load.
 */
LONG_SUITE(field)
{
    tcase_set_timeout(tc, 300);
    if (*TEST_SANITIZER == '\0')
        tcase_add_test(tc, journeys_end_as_at_home_or_say_what_to_do);
}
