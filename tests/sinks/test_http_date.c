/* SPDX-License-Identifier: MIT */
/* The header Date of the page of the sink prometheus. */
#include "sinks/prometheus/scrape/http_date.h"
#include "tests/support/suite.h"

#include <time.h>

START_TEST(it_is_written_as_rfc_9110_shows)
{
    char text[40];
    swi_http_date(text, sizeof text, 784111777);
    ck_assert_str_eq(text, "Sun, 06 Nov 1994 08:49:37 GMT");
    swi_http_date(text, sizeof text, 0);
    ck_assert_str_eq(text, "Thu, 01 Jan 1970 00:00:00 GMT");
}
END_TEST

/* The tests run in the language "C". */
START_TEST(each_day_of_five_centuries_is_that_of_the_c_library)
{
    enum { DAYS = 500 * 366, DAY_S = 86400 };
    char text[40], expected[40];
    for (time_t day = 0; day < DAYS; day++) {
        struct tm utc;
        time_t at = day * DAY_S + day * 7919 % DAY_S;
        gmtime_r(&at, &utc);
        strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &utc);
        swi_http_date(text, sizeof text, at);
        ck_assert_str_eq(text, expected);
    }
}
END_TEST

SUITE(http_date)
{
    tcase_add_test(tc, it_is_written_as_rfc_9110_shows);
    tcase_add_test(tc, each_day_of_five_centuries_is_that_of_the_c_library);
}
