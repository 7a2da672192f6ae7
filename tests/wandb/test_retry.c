/* SPDX-License-Identifier: MIT */
/* test_retry.c - what is sent again, and when. */
#include "net/libcurl.h"
#include "net/retry.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stddef.h>

static const int final[] = {400, 401, 403, 404, 409, 410, 413, 422, 501};
static const int again[] = {402, 408, 418, 429, 500, 502, 503, 504, 529};

static struct swi_outcome outcome(int status)
{
    return (struct swi_outcome){.status = status, .retry_after_s = -1};
}

START_TEST(rows_are_sent_again_but_for_what_the_service_refuses_for_good)
{
    for (size_t i = 0; i < sizeof final / sizeof *final; i++) {
        struct swi_outcome o = outcome(final[i]);
        ck_assert_msg(!swi_retry_again(SWI_RETRY_STREAM, &o, 1), "%d", final[i]);
        ck_assert_msg(!swi_retry_again(SWI_RETRY_GRAPHQL, &o, 1), "%d", final[i]);
    }
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        struct swi_outcome o = outcome(again[i]);
        ck_assert_msg(swi_retry_again(SWI_RETRY_STREAM, &o, 1), "%d", again[i]);
        ck_assert_msg(swi_retry_again(SWI_RETRY_GRAPHQL, &o, 1), "%d", again[i]);
    }
}
END_TEST

START_TEST(a_run_is_made_again_after_a_conflict)
{
    struct swi_outcome conflict = outcome(409), wrong = outcome(400);
    ck_assert(swi_retry_again(SWI_RETRY_UPSERT, &conflict, 1));
    ck_assert(!swi_retry_again(SWI_RETRY_UPSERT, &wrong, 1));
}
END_TEST

START_TEST(a_file_is_sent_again_where_the_server_failed_and_not_where_it_refused)
{
    struct swi_outcome busy = outcome(429), failed = outcome(503), refused = outcome(403);
    struct swi_outcome odd = outcome(418), never = outcome(501);
    ck_assert(swi_retry_again(SWI_RETRY_FILE, &busy, 1));
    ck_assert(swi_retry_again(SWI_RETRY_FILE, &failed, 1));
    ck_assert(!swi_retry_again(SWI_RETRY_FILE, &refused, 1));
    ck_assert(!swi_retry_again(SWI_RETRY_FILE, &odd, 1));
    ck_assert(!swi_retry_again(SWI_RETRY_FILE, &never, 1));
}
END_TEST

START_TEST(what_was_stored_or_sent_elsewhere_is_not_sent_again)
{
    for (int status = 200; status < 400; status++) {
        struct swi_outcome o = outcome(status);
        for (int kind = SWI_RETRY_STREAM; kind <= SWI_RETRY_FILE; kind++)
            ck_assert(!swi_retry_again((enum swi_retry)kind, &o, 1));
    }
}
END_TEST

START_TEST(no_answer_is_tried_again_but_for_a_certificate)
{
    struct swi_outcome none = outcome(0);
    ck_assert(swi_retry_again(SWI_RETRY_FILE, &none, 1));
    none.hopeless = true;
    ck_assert(!swi_retry_again(SWI_RETRY_STREAM, &none, 1));
}
END_TEST

START_TEST(a_question_has_20_tries_and_rows_have_a_week)
{
    struct swi_outcome none = outcome(0);
    ck_assert(swi_retry_again(SWI_RETRY_GRAPHQL, &none, 19));
    ck_assert(!swi_retry_again(SWI_RETRY_GRAPHQL, &none, 20));
    ck_assert(!swi_retry_again(SWI_RETRY_FILE, &none, 20));
    ck_assert(swi_retry_again(SWI_RETRY_STREAM, &none, 10084));
    ck_assert(!swi_retry_again(SWI_RETRY_STREAM, &none, 10085));
}
END_TEST

START_TEST(waits_double_up_to_a_minute)
{
    static const double expected[] = {2, 4, 8, 16, 32, 60, 60};
    struct swi_outcome o = outcome(500);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq(swi_retry_wait_s(&o, i + 1, 0), expected[i]);
    ck_assert_double_eq(swi_retry_wait_s(&o, 10000, 1), 60);
}
END_TEST

START_TEST(chance_adds_up_to_a_quarter)
{
    struct swi_outcome o = outcome(500);
    ck_assert_double_eq(swi_retry_wait_s(&o, 1, 1), 2.5);
    ck_assert_double_eq(swi_retry_wait_s(&o, 2, 0.5), 4.5);
}
END_TEST

START_TEST(what_the_server_asks_for_counts_up_to_an_hour)
{
    struct swi_outcome o = outcome(429);
    o.retry_after_s = 3;
    ck_assert_double_eq(swi_retry_wait_s(&o, 5, 1), 3);
    o.retry_after_s = 1e9;
    ck_assert_double_eq(swi_retry_wait_s(&o, 5, 1), 3600);
}
END_TEST

/* A server that names no time, or one that is over, in each answer gets no flood of requests. */
START_TEST(a_server_may_ask_for_the_request_at_once_twice)
{
    struct swi_outcome o = outcome(503);
    for (int tries = 1; tries <= 5; tries++) {
        o.retry_after_s = 0;
        ck_assert_double_eq(swi_retry_wait_s(&o, tries, 0), tries > 2 ? exp2(tries) : 0);
        ck_assert(swi_retry_is_asked(&o, tries) == (tries <= 2));
        o.retry_after_s = 0.25;
        ck_assert_double_eq(swi_retry_wait_s(&o, tries, 0), tries > 2 ? exp2(tries) : 0.25);
        o.retry_after_s = 1;
        ck_assert_double_eq(swi_retry_wait_s(&o, tries, 0), 1);
        ck_assert(swi_retry_is_asked(&o, tries));
    }
}
END_TEST

static const struct {
    const char *value;
    double expected;
} headers[] = {
    {"3", 3},
    {"0", 0},
    {"2.18", 2.18},
    {"10 ", 10},
    {"Sat, 21 Nov 2026 10:00:05 GMT", 5},
    {"Sat, 21 Nov 2026 09:00:00 GMT", 0},
    {"Saturday, 21-Nov-26 10:00:05 GMT", 5},
    {"Sat Nov 21 10:00:05 2026", 5},
    {"", -1},
    {"-5", -1},
    {"3 apples", -1},
    {"1e9", -1},
    {"soon", -1},
    {"Sat, 21 Foo 2026 10:00:05 GMT", -1},
    {"Sat, 21 anF 2026 10:00:05 GMT", -1},
    {"Sat, 21 Nov", -1},
};

START_TEST(retry_after_is_seconds_or_a_date)
{
    double now_s = 1795255200; /* Sat, 21 Nov 2026 10:00:00 GMT */
    struct sw_error err;
    ck_assert_int_eq(swi_curl_load(&err), 0);
    ck_assert_double_eq_tol(swi_retry_after_s(headers[_i].value, now_s), headers[_i].expected,
                            1e-9);
}
END_TEST

START_TEST(near_the_limit_requests_are_spread_over_what_is_left)
{
    ck_assert_double_eq(swi_retry_gap_s(NAN, NAN), 0);
    ck_assert_double_eq(swi_retry_gap_s(100, 60), 0);
    ck_assert_double_eq(swi_retry_gap_s(5, 10), 2);
    ck_assert_double_eq(swi_retry_gap_s(0, 1e9), 10);
    ck_assert_double_eq(swi_retry_gap_s(-1, 10), 0);
}
END_TEST

SUITE(wandb_retry)
{
    tcase_add_test(tc, rows_are_sent_again_but_for_what_the_service_refuses_for_good);
    tcase_add_test(tc, a_run_is_made_again_after_a_conflict);
    tcase_add_test(tc, a_file_is_sent_again_where_the_server_failed_and_not_where_it_refused);
    tcase_add_test(tc, what_was_stored_or_sent_elsewhere_is_not_sent_again);
    tcase_add_test(tc, no_answer_is_tried_again_but_for_a_certificate);
    tcase_add_test(tc, a_question_has_20_tries_and_rows_have_a_week);
    tcase_add_test(tc, waits_double_up_to_a_minute);
    tcase_add_test(tc, chance_adds_up_to_a_quarter);
    tcase_add_test(tc, what_the_server_asks_for_counts_up_to_an_hour);
    tcase_add_test(tc, a_server_may_ask_for_the_request_at_once_twice);
    tcase_add_loop_test(tc, retry_after_is_seconds_or_a_date, 0, sizeof headers / sizeof *headers);
    tcase_add_test(tc, near_the_limit_requests_are_spread_over_what_is_left);
}
