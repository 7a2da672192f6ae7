/* SPDX-License-Identifier: MIT */
/* By itself, because strftime() has the names of the program's language, and gmtime_r() takes a
 * lock that a child of the program would inherit. */
#include "sinks/prometheus/scrape/http_date.h"

#include <inttypes.h>
#include <stdio.h>

enum { DAY_S = 86400, FOUR_YEARS = 1461, FOUR_CENTURIES = 146097 };

struct date {
    int64_t year, month, day; /* month and day begin with 1 */
};

/* In years that begin with March, a leap day is the last of its year, and (153 * month + 2) / 5 are
 * the days before a month. Day 0 is the first of March of the year 0, 719,468 days before 1970. */
static struct date date_of(int64_t days)
{
    days += 719468;
    int64_t day = days % FOUR_CENTURIES;
    int64_t year = (day - day / (FOUR_YEARS - 1) + day / 36524 - day / (FOUR_CENTURIES - 1)) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153;
    year += days / FOUR_CENTURIES * 400 + (month >= 10);
    return (struct date){year, month < 10 ? month + 3 : month - 9, day - (153 * month + 2) / 5 + 1};
}

void swi_http_date(char *text, size_t size, int64_t seconds)
{
    static const char weekdays[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t days = seconds / DAY_S, second = seconds % DAY_S;
    struct date date = date_of(days);
    snprintf(text, size,
             "%.3s, %02" PRId64 " %.3s %04" PRId64 " %02" PRId64 ":%02" PRId64 ":%02" PRId64 " GMT",
             weekdays + days % 7 * 3, date.day, months + (date.month - 1) * 3, date.year,
             second / 3600, second / 60 % 60, second % 60);
}
