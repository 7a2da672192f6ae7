/* SPDX-License-Identifier: MIT */
/* The times in a log of one thread never go backwards, whatever is called. */
#include "tests/support/host.h"
#include "tests/support/random_calls.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

/* Each look at the clock is a little later. */
static int64_t clock_read(void *arg)
{
    static int64_t now;
    (void)arg;
    return ++now;
}

static struct host *open_ticking(bool regions)
{
    struct host *host = host_open_log(regions ? "regions" : "steps", "mode: simple");
    sw_set_clock(host_profiler(host), clock_read, NULL);
    return host;
}

/* Returns whether a line is the beginning or the end of a fit. */
static bool is_fit(const char *line, const char *event)
{
    char type[32];
    int length = snprintf(type, sizeof type, "{\"type\":\"%s\",", event);
    return strncmp(line, type, (size_t)length) == 0 &&
           memmem(line, strcspn(line, "\n"), "\"action\":\"fit\"", strlen("\"action\":\"fit\""));
}

/* The begins and ends of fits, such as "begin end ". */
static const char *fits_of(const char *log)
{
    static char fits[64];
    *fits = '\0';
    for (const char *line = log; *line; line = strchr(line, '\n') + 1)
        if (strlen(fits) + sizeof "begin " < sizeof fits)
            strcat(fits, is_fit(line, "begin") ? "begin " : is_fit(line, "end") ? "end " : "");
    return fits;
}

/* A fit that the program did not begin by name has the time of its first region: its line may come
 * late, but not before the end of another fit. */
static void assert_ordered(const char *log)
{
    long long before = 0, fit_end = 0;
    for (const char *line = log; *line; line = strchr(line, '\n') + 1) {
        const char *t = strstr(line, "\"t\":");
        ck_assert_ptr_nonnull(t);
        long long now = atoll(t + strlen("\"t\":")),
                  first = is_fit(line, "begin") ? fit_end : before;
        ck_assert_msg(now >= first, "expected a time of %lld or later: %.*s", first,
                      (int)strcspn(line, "\n"), line);
        before = now > before ? now : before;
        fit_end = is_fit(line, "end") ? now : fit_end;
    }
}

START_TEST(a_fit_that_replaces_another_one_begins_after_its_end)
{
    struct host *host = open_ticking(_i & 1);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, sw_action("own"));
    if (_i & 2)
        sw_next(sw, SW_FIT);
    else
        sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    host_close(host);
    const char *log = host_file("run.jsonl");
    ck_assert_str_eq(fits_of(log), "begin end begin end ");
    assert_ordered(log);
}
END_TEST

START_TEST(random_calls_never_go_back_in_time)
{
    const int actions[] = {SW_FIT,   SW_EPOCH,   SW_TRAIN, SW_VALID,         SW_DRAW,
                           SW_BATCH, SW_FORWARD, SW_LOSS,  sw_action("own"), sw_action("other")};
    struct host *host = open_ticking(_i & 1);
    random_begin(2463534242u + (uint32_t)_i);
    for (int i = 0; i < 400; i++)
        random_call(host_profiler(host), actions[random_below(sizeof actions / sizeof *actions)],
                    sw_resume);
    host_close(host);
    assert_ordered(host_file("run.jsonl"));
}
END_TEST

SUITE(region_times)
{
    tcase_add_loop_test(tc, a_fit_that_replaces_another_one_begins_after_its_end, 0, 4);
    tcase_add_loop_test(tc, random_calls_never_go_back_in_time, 0, 40);
}
