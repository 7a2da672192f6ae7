/* SPDX-License-Identifier: MIT */
/* test_http.c - what goes over the wire, to whom, and how much of an answer is taken. */
#include "net/http.h"
#include "net/http_headers.h"
#include "net/json.h"
#include "sinks/wandb/upload/ask/ask.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/canned.h"
#include "tests/wandb/online.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char key[] = "SECRET0123456789SECRET0123456789SECRET01";
/* base64 of "api:" and the key */
static const char basic[] =
    "Authorization: Basic YXBpOlNFQ1JFVDAxMjM0NTY3ODlTRUNSRVQwMTIzNDU2Nzg5U0VDUkVUMDE=";

static struct canned *server;
static struct swi_http *http;
static struct swi_http_answer answer;

static void begin(const char *const *answers)
{
    struct sw_error err;
    setenv("no_proxy", "*", 1);
    server = canned_open(answers);
    struct swi_http_options options = {.base_url = canned_url(server), .key = key};
    http = swi_http_new(&options, &err);
    ck_assert_ptr_nonnull(http);
}

static void post(const char *body)
{
    swi_http_answer_free(&answer);
    struct swi_http_request request = {
        .path = "/graphql", .body = body, .size = strlen(body), .timeout_s = 60};
    swi_http_send(http, &request, &answer);
}

static void put(const char *url, const char *const *header)
{
    swi_http_answer_free(&answer);
    struct swi_http_request request = {.url = url, .header = header, .body = "bytes", .size = 5};
    swi_http_send(http, &request, &answer);
}

static void end(void)
{
    swi_http_answer_free(&answer);
    swi_http_free(http);
    canned_close(server);
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

START_TEST(a_post_carries_the_key_and_json)
{
    begin((const char *[]){OK, NULL});
    post("{\"a\":1}");
    ck_assert_int_eq(answer.outcome.status, 200);
    ck_assert(answer.whole);
    ck_assert_str_eq(answer.body.data, "{}");
    const char *sent = canned_requests(server);
    ck_assert_ptr_nonnull(strstr(sent, "POST /graphql HTTP/1.1\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, basic));
    ck_assert_ptr_nonnull(strstr(sent, "Content-Type: application/json\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "User-Agent: stepwatch/"));
    ck_assert_ptr_nonnull(strstr(sent, "\r\n\r\n{\"a\":1}"));
    ck_assert_ptr_null(strstr(sent, "Accept-Encoding"));
    ck_assert_ptr_null(strstr(sent, "Expect"));
    end();
}
END_TEST

START_TEST(an_upload_carries_no_key_even_to_the_same_server)
{
    begin((const char *[]){OK, NULL});
    put("/storage/a", (const char *[]){"X-Upload: 1", NULL});
    ck_assert_int_eq(answer.outcome.status, 200);
    const char *sent = canned_requests(server);
    ck_assert_ptr_nonnull(strstr(sent, "PUT /storage/a HTTP/1.1\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "X-Upload: 1\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "Content-Length: 5\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "\r\n\r\nbytes"));
    ck_assert_ptr_null(strstr(sent, "Authorization"));
    ck_assert_ptr_null(strstr(sent, "Content-Type"));
    end();
}
END_TEST

START_TEST(a_file_is_sent_from_its_beginning_with_the_length_that_was_announced)
{
    begin((const char *[]){OK, NULL});
    FILE *file = tmpfile();
    fputs("from a file, and more", file);
    fflush(file);
    struct swi_http_request request = {.url = "/a", .fd = fileno(file), .size = 11};
    swi_http_send(http, &request, &answer);
    ck_assert_int_eq(answer.outcome.status, 200);
    const char *sent = canned_requests(server);
    ck_assert_str_eq(strstr(sent, "\r\n\r\n"), "\r\n\r\nfrom a file");
    fclose(file);
    end();
}
END_TEST

START_TEST(a_file_without_bytes_says_so)
{
    begin((const char *[]){OK, NULL});
    struct swi_http_request request = {.url = "/a", .body = "", .size = 0};
    swi_http_send(http, &request, &answer);
    ck_assert_int_eq(answer.outcome.status, 200);
    ck_assert_ptr_nonnull(strstr(canned_requests(server), "Content-Length: 0\r\n"));
    end();
}
END_TEST

START_TEST(one_connection_serves_many_requests)
{
    begin((const char *[]){OK, NULL});
    for (int i = 0; i < 5; i++)
        post("{}");
    put("/a", NULL);
    ck_assert_int_eq(canned_count(server), 6);
    ck_assert_int_eq(canned_connections(server), 1);
    end();
}
END_TEST

/* The kernel does not deliver what was stuck for longer than another writer waits. */
START_TEST(what_is_stuck_on_the_way_is_given_up)
{
    unsigned int timeout_ms, found = 0;
    begin((const char *[]){OK, NULL});
    post("{}");
    for (int fd = 3; fd < 1024; fd++) {
        socklen_t size = sizeof timeout_ms;
        if (getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, &size) == 0 &&
            timeout_ms > 0)
            found = timeout_ms;
    }
    ck_assert_uint_eq(found, 30000);
    end();
}
END_TEST

START_TEST(neither_key_nor_rows_follow_to_another_address)
{
    char redirect[256];
    struct canned *other = canned_open((const char *[]){OK, NULL});
    snprintf(redirect, sizeof redirect,
             "HTTP/1.1 307 Temporary Redirect\r\nLocation: %s/graphql\r\nContent-Length: 0\r\n\r\n",
             canned_url(other));
    begin((const char *[]){redirect, NULL});
    post("{}");
    ck_assert_int_eq(answer.outcome.status, 307);
    ck_assert_int_eq(canned_count(other), 0);
    put("/storage/a", NULL);
    ck_assert_int_eq(answer.outcome.status, 200);
    ck_assert_int_eq(canned_count(other), 1);
    ck_assert_ptr_null(strstr(canned_requests(other), "Authorization"));
    end();
    canned_close(other);
}
END_TEST

START_TEST(an_answer_without_an_end_is_cut)
{
    begin((const char *[]){canned_endless, NULL});
    post("{}");
    ck_assert_int_eq(answer.outcome.status, 200);
    ck_assert(!answer.whole);
    ck_assert_uint_le(answer.body.size, SWI_HTTP_ANSWER);
    ck_assert_ptr_nonnull(strstr(answer.problem, "more than 1048576 bytes"));
    end();
}
END_TEST

START_TEST(an_answer_that_breaks_off_is_not_whole)
{
    begin((const char *[]){
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{\"a\"", NULL});
    post("{}");
    ck_assert_int_eq(answer.outcome.status, 200);
    ck_assert(!answer.whole);
    end();
}
END_TEST

START_TEST(a_missing_answer_has_no_status)
{
    begin((const char *[]){"Connection: close", NULL});
    post("{}");
    ck_assert_int_eq(answer.outcome.status, 0);
    ck_assert(!answer.outcome.hopeless);
    ck_assert_str_ne(answer.problem, "");
    end();
}
END_TEST

START_TEST(an_address_that_is_not_a_web_address_gets_no_request)
{
    static const char *const urls[] = {"file:///etc/passwd", "ftp://127.0.0.1/a", "http://", ""};
    begin((const char *[]){OK, NULL});
    for (int i = 0; i < 3; i++) {
        put(urls[i], NULL);
        ck_assert_msg(answer.outcome.hopeless, "%s", urls[i]);
    }
    ck_assert_int_eq(canned_count(server), 0);
    end();
}
END_TEST

START_TEST(what_the_server_says_about_its_limits_is_read)
{
    begin((const char *[]){"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1.5\r\n"
                           "RateLimit-Remaining: 0\r\nratelimit-reset: 7\r\n"
                           "Content-Length: 0\r\n\r\n",
                           NULL});
    post("{}");
    ck_assert_double_eq(answer.outcome.retry_after_s, 1.5);
    ck_assert_double_eq(answer.remaining, 0);
    ck_assert_double_eq(answer.reset_s, 7);
    end();
}
END_TEST

START_TEST(a_time_at_which_to_come_back_is_one_of_the_servers_clock)
{
    begin((const char *[]){"HTTP/1.1 503 Service Unavailable\r\n"
                           "Retry-After: Fri, 01 Jan 1999 00:00:30 GMT\r\n"
                           "Date: Fri, 01 Jan 1999 00:00:20 GMT\r\nContent-Length: 0\r\n\r\n",
                           NULL});
    post("{}");
    ck_assert_double_eq(answer.outcome.retry_after_s, 10);
    end();
}
END_TEST

START_TEST(an_answer_that_repeats_the_key_does_not_show_it)
{
    char echo[256];
    snprintf(echo, sizeof echo, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 47\r\n\r\nno key %s",
             key);
    begin((const char *[]){echo, NULL});
    post("{}");
    ck_assert_ptr_null(strstr(answer.body.data, "SECRET"));
    ck_assert_ptr_nonnull(strstr(answer.body.data, "no key ****"));
    end();
}
END_TEST

static void *cancel_when_sent(void *arg)
{
    while (canned_count(server) == 0)
        usleep(1000);
    swi_http_cancel(http);
    return arg;
}

START_TEST(another_thread_ends_a_request_that_is_not_answered)
{
    pthread_t thread;
    begin((const char *[]){canned_mute, NULL});
    pthread_create(&thread, NULL, cancel_when_sent, NULL);
    post("{}");
    pthread_join(thread, NULL);
    ck_assert(answer.cancelled);
    post("{}");
    ck_assert(answer.cancelled);
    ck_assert_int_eq(canned_count(server), 1);
    end();
}
END_TEST

static const struct {
    const char *line;
    bool good;
} header_lines[] = {
    {"X-Upload: 1", true},
    {"x-amz-meta-a: b c", true},
    {"Content-Type: text/plain", true},
    {"X-Upload: 1\r\nAuthorization: x", false},
    {"X: a\nb", false},
    {"X: \x01", false},
    {"no colon", false},
    {": empty", false},
    {"a b: c", false},
    {"Authorization: Basic x", false},
    {"Host: elsewhere", false},
    {"content-length: 3", false},
    {"Transfer-Encoding: chunked", false},
};

START_TEST(a_header_of_the_server_is_sent_only_where_it_is_one)
{
    ck_assert_int_eq(swi_http_header_ok(header_lines[_i].line), header_lines[_i].good);
}
END_TEST

START_TEST(parts_of_a_path_are_escaped)
{
    struct swi_text text = {0};
    swi_http_escape(&text, "a b/c?d#\xc3\xa4-._~9");
    ck_assert_str_eq(text.data, "a%20b%2Fc%3Fd%23%C3%A4-._~9");
    swi_text_free(&text);
}
END_TEST

/* ---- JSON from elsewhere --------------------------------------------------------------------- */

START_TEST(deep_json_is_refused)
{
    char deep[3 * SWI_JSON_DEPTH];
    memset(deep, '[', sizeof deep);
    ck_assert_ptr_null(swi_json_read(deep, sizeof deep));
    memset(deep + SWI_JSON_DEPTH, ']', SWI_JSON_DEPTH);
    json_t *json = swi_json_read(deep, 2 * (size_t)SWI_JSON_DEPTH);
    ck_assert_ptr_nonnull(json);
    json_decref(json);
    ck_assert_ptr_null(swi_json_read("\"", 1));
    ck_assert_ptr_null(swi_json_read("\"\\", 2));
}
END_TEST

START_TEST(bare_tokens_are_read_as_strings)
{
    static const char text[] = "{\"a\":NaN,\"b\":[-Infinity,Infinity],\"c\":\"NaN\"}";
    json_t *json = swi_json_read_tokens(text, strlen(text));
    ck_assert_str_eq(swi_json_text(swi_json_at(json, "a")), "NaN");
    ck_assert_str_eq(swi_json_text(json_array_get(swi_json_at(json, "b"), 0)), "-Infinity");
    ck_assert_str_eq(swi_json_text(swi_json_at(json, "c")), "NaN");
    json_decref(json);
}
END_TEST

/* ---- until it is answered -------------------------------------------------------------------- */

static char said[4096];

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%d %s\n", level, text);
}

static int ask(const char *const *answers, json_t **json, struct sw_error *err)
{
    struct swi_link link;
    said[0] = '\0';
    setenv("no_proxy", "*", 1);
    server = canned_open(answers);
    ck_assert_int_eq(swi_link_init(&link, online_service(canned_url(server)), online_key_of(key),
                                   hear, NULL, NULL, err),
                     0);
    swi_pace_hurry(&link.asker.pace);
    struct swi_http_request request = {
        .path = "/graphql", .wants_object = true, .body = "{}", .size = 2, .timeout_s = 60};
    int rc = swi_link_send(&link, SWI_RETRY_GRAPHQL, &request, json, err);
    swi_asker_fini(&link.asker);
    return rc;
}

#define BUSY "HTTP/1.1 503 Busy\r\nRetry-After: 0.01\r\nContent-Length: 0\r\n\r\n"

START_TEST(trouble_is_reported_once_and_its_end_too)
{
    struct sw_error err;
    json_t *json;
    ck_assert_int_eq(ask((const char *[]){BUSY, BUSY, BUSY, OK, NULL}, &json, &err), 0);
    ck_assert_int_eq(canned_count(server), 4);
    /* The address has digits of its own, any. */
    const char *first = strstr(said, "answered 503 Service Unavailable; trying again");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "answered 503"));
    ck_assert_ptr_nonnull(strstr(said, "is reachable again"));
    json_decref(json);
    canned_close(server);
}
END_TEST

START_TEST(a_question_answered_by_no_json_is_asked_again)
{
    struct sw_error err;
    json_t *json;
    ck_assert_int_eq(
        ask((const char *[]){"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHi!\n",
                             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", OK, NULL},
            &json, &err),
        0);
    ck_assert_int_eq(canned_count(server), 3);
    json_decref(json);
    canned_close(server);
}
END_TEST

static const struct {
    const char *answer, *word;
} refusals[] = {
    {"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", "does not belong to this server"},
    {"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "project and entity"},
    {"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", "base_url"},
    {"HTTP/1.1 302 No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "base_url"},
    {"HTTP/1.1 400 No\r\nConnection: close\r\n\r\n{\"errors\":[{\"message\":\"bad \\u001b[1m\"}]}",
     "bad \\x1b[1m"},
};

START_TEST(a_refusal_is_final_and_says_what_to_do)
{
    struct sw_error err;
    json_t *json;
    ck_assert_int_eq(ask((const char *[]){refusals[_i].answer, NULL}, &json, &err), SW_EIO);
    ck_assert_int_eq(canned_count(server), 1);
    ck_assert_msg(strstr(sw_error_text(&err), refusals[_i].word) != NULL, "%s",
                  sw_error_text(&err));
    canned_close(server);
}
END_TEST

/* ---- a token instead of a key ---------------------------------------------------------------- */

#define TOKEN                                                                                      \
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"access_token\":\"given\",\"expires_in\":900}"

static int ask_twice(const char *const *answers, struct sw_error *err)
{
    struct swi_link link;
    said[0] = '\0';
    setenv("no_proxy", "*", 1);
    server = canned_open(answers);
    const struct swi_wandb_key identity = {.identity = "identity"};
    ck_assert_int_eq(
        swi_link_init(&link, online_service(canned_url(server)), &identity, hear, NULL, NULL, err),
        0);
    struct swi_http_request request = {
        .path = "/graphql", .body = "{}", .size = 2, .timeout_s = 60};
    int rc = swi_link_send(&link, SWI_RETRY_GRAPHQL, &request, NULL, err);
    if (rc == 0)
        rc = swi_link_send(&link, SWI_RETRY_GRAPHQL, &request, NULL, err);
    swi_asker_fini(&link.asker);
    return rc;
}

START_TEST(a_token_of_the_machine_is_exchanged_for_one_of_the_service)
{
    struct sw_error err;
    scratch_enter();
    scratch_write("identity", "eyJh.eyJz.c2ln\n", 15);
    ck_assert_int_eq(ask_twice((const char *[]){TOKEN, OK, NULL}, &err), 0);
    const char *sent = canned_requests(server);
    const char *form = strstr(sent, "POST /oidc/token "), *asked = strstr(sent, "POST /graphql ");
    ck_assert(form && asked && form < asked);
    ck_assert_int_eq(canned_count(server), 3);
    ck_assert_ptr_nonnull(strstr(form, "Content-Type: application/x-www-form-urlencoded\r\n"));
    ck_assert_ptr_nonnull(strstr(form, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3A"
                                       "jwt-bearer&assertion=eyJh.eyJz.c2ln"));
    ck_assert_ptr_eq(strstr(form, "Authorization"), strstr(asked, "Authorization"));
    ck_assert_ptr_nonnull(strstr(asked, "Authorization: Bearer given\r\n"));
    canned_close(server);
}
END_TEST

START_TEST(the_message_about_an_invalid_or_refused_token_names_its_place)
{
    struct sw_error err;
    scratch_enter();
    ck_assert_int_eq(ask_twice((const char *[]){TOKEN, OK, NULL}, &err), SW_EIO);
    ck_assert_msg(strstr(sw_error_text(&err), "WANDB_IDENTITY_TOKEN_FILE identity") != NULL, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(canned_count(server), 0);
    canned_close(server);
    scratch_write("identity", "eyJh.eyJz.c2ln\n", 15);
    ck_assert_int_eq(
        ask_twice((const char *[]){"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", NULL}, &err),
        SW_EIO);
    ck_assert_msg(strstr(sw_error_text(&err), "WANDB_IDENTITY_TOKEN_FILE") != NULL, "%s",
                  sw_error_text(&err));
    ck_assert_ptr_null(strstr(sw_error_text(&err), "eyJh"));
    canned_close(server);
}
END_TEST

SUITE(wandb_http)
{
    tcase_add_test(tc, a_token_of_the_machine_is_exchanged_for_one_of_the_service);
    tcase_add_test(tc, the_message_about_an_invalid_or_refused_token_names_its_place);
    tcase_add_test(tc, a_post_carries_the_key_and_json);
    tcase_add_test(tc, an_upload_carries_no_key_even_to_the_same_server);
    tcase_add_test(tc, a_file_is_sent_from_its_beginning_with_the_length_that_was_announced);
    tcase_add_test(tc, a_file_without_bytes_says_so);
    tcase_add_test(tc, one_connection_serves_many_requests);
    tcase_add_test(tc, what_is_stuck_on_the_way_is_given_up);
    tcase_add_test(tc, neither_key_nor_rows_follow_to_another_address);
    tcase_add_test(tc, an_answer_without_an_end_is_cut);
    tcase_add_test(tc, an_answer_that_breaks_off_is_not_whole);
    tcase_add_test(tc, a_missing_answer_has_no_status);
    tcase_add_test(tc, an_address_that_is_not_a_web_address_gets_no_request);
    tcase_add_test(tc, what_the_server_says_about_its_limits_is_read);
    tcase_add_test(tc, a_time_at_which_to_come_back_is_one_of_the_servers_clock);
    tcase_add_test(tc, an_answer_that_repeats_the_key_does_not_show_it);
    tcase_add_test(tc, another_thread_ends_a_request_that_is_not_answered);
    tcase_add_loop_test(tc, a_header_of_the_server_is_sent_only_where_it_is_one, 0,
                        sizeof header_lines / sizeof *header_lines);
    tcase_add_test(tc, parts_of_a_path_are_escaped);
    tcase_add_test(tc, deep_json_is_refused);
    tcase_add_test(tc, bare_tokens_are_read_as_strings);
    tcase_add_test(tc, trouble_is_reported_once_and_its_end_too);
    tcase_add_test(tc, a_question_answered_by_no_json_is_asked_again);
    tcase_add_loop_test(tc, a_refusal_is_final_and_says_what_to_do, 0,
                        sizeof refusals / sizeof *refusals);
}
