/* SPDX-License-Identifier: MIT */
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include "config.h"

START_TEST(the_library_returns_the_version_it_was_built_as)
{
    ck_assert_str_eq(sw_version(), PACKAGE_VERSION);
}
END_TEST

START_TEST(the_number_of_the_header_is_that_version)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SW_VERSION_NUMBER >> 16, SW_VERSION_NUMBER >> 8 & 0xff,
             SW_VERSION_NUMBER & 0xff);
    ck_assert_str_eq(text, PACKAGE_VERSION);
}
END_TEST

SUITE(version)
{
    tcase_add_test(tc, the_library_returns_the_version_it_was_built_as);
    tcase_add_test(tc, the_number_of_the_header_is_that_version);
}
