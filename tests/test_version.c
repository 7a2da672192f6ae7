/* SPDX-License-Identifier: MIT */
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include "config.h"

START_TEST(the_library_tells_the_version_it_was_built_as)
{
    ck_assert_str_eq(sw_version(), PACKAGE_VERSION);
}
END_TEST

SUITE(version)
{
    tcase_add_test(tc, the_library_tells_the_version_it_was_built_as);
}
