/* SPDX-License-Identifier: MIT */
/* test_service.c - the stand-in for the service does what tests tell it. That it answers as the
 * service does is tests/wandb/replay.py's to show. */
#include "tests/support/service.h"
#include "tests/support/suite.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char question[] = "POST /graphql HTTP/1.1\r\n"
                               "Authorization: Basic YXBpOms=\r\n"
                               "Content-Length: 58\r\n"
                               "Connection: close\r\n\r\n"
                               "{\"query\": \"query Viewer { viewer { username } }\"}         ";

static char answer[4096];

/* Asks, and keeps the answer; 0, or an errno. */
static int ask(struct service *service)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const char *port = strrchr(service_url(service), ':');
    to.sin_port = htons((uint16_t)strtol(port + 1, NULL, 10));
    int fd = socket(AF_INET, SOCK_STREAM, 0), rc = 0;
    size_t size = 0;
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        send(fd, question, strlen(question), MSG_NOSIGNAL) < 0)
        rc = errno;
    for (ssize_t n = 1; rc == 0 && n > 0 && size < sizeof answer - 1; size += (size_t)n) {
        n = recv(fd, answer + size, sizeof answer - 1 - size, 0);
        if (n < 0) {
            rc = errno;
            n = 0;
        }
    }
    answer[size] = '\0';
    close(fd);
    return rc;
}

START_TEST(it_answers_and_writes_down_what_it_was_asked)
{
    struct service *service = service_open("");
    if (!service)
        return;
    ck_assert_int_eq(ask(service), 0);
    ck_assert_ptr_nonnull(
        strstr(answer, "{\"data\": {\"viewer\": {\"username\": \"fake-user\"}}}"));
    ck_assert_int_eq(service_count(service, "Viewer"), 1);

    json_t *requests = service_requests(service);
    const char *body = json_string_value(json_object_get(json_array_get(requests, 0), "body"));
    ck_assert_str_eq(body, strstr(question, "{\"query"));
    json_decref(requests);
    service_close(service);
}
END_TEST

START_TEST(only_the_right_key_is_let_in)
{
    struct service *service = service_open("--key other");
    if (!service)
        return;
    ck_assert_int_eq(ask(service), 0);
    ck_assert_int_eq(strncmp(answer, "HTTP/1.1 401 ", 13), 0);
    service_close(service);
}
END_TEST

START_TEST(a_dead_port_comes_back)
{
    struct service *service = service_open("");
    if (!service)
        return;
    service_say(service, "fault dead");
    ck_assert_int_eq(ask(service), ECONNREFUSED);
    service_say(service, "clear");
    ck_assert_int_eq(ask(service), 0);
    ck_assert_int_eq(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
    service_close(service);
}
END_TEST

static const struct {
    const char *fault;
    int rc;
    const char *begin; /* of the answer */
} faults[] = {
    {"503 times=1", 0, "HTTP/1.1 503 "},
    {"429 on=viewer retry_after=7", 0, "HTTP/1.1 429 "},
    {"redirect on=graphql", 0, "HTTP/1.1 307 "},
    {"reset", ECONNRESET, NULL},
    {"mute seconds=0.2", ECONNRESET, NULL},
    {"half", 0, "HTTP/1.1 200 "},
    {"garbage", 0, "HTTP/1.1 200 "},
    {"drip every=0.001", 0, "HTTP/1.1 200 "},
    {"500 on=file_stream", 0, "HTTP/1.1 200 "}, /* none of its business */
    {"500 after=1", 0, "HTTP/1.1 200 "},
};

START_TEST(a_fault_is_what_the_client_sees)
{
    struct service *service = service_open("");
    if (!service)
        return;
    service_say(service, "fault %s", faults[_i].fault);
    ck_assert_int_eq(ask(service), faults[_i].rc);
    if (faults[_i].begin)
        ck_assert_msg(strncmp(answer, faults[_i].begin, strlen(faults[_i].begin)) == 0, "%s",
                      answer);
    service_close(service);
}
END_TEST

START_TEST(a_fault_is_over_after_so_many_requests)
{
    struct service *service = service_open("");
    if (!service)
        return;
    service_say(service, "fault 500 times=2");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(ask(service), 0);
        ck_assert_int_eq(strncmp(answer, i < 2 ? "HTTP/1.1 500 " : "HTTP/1.1 200 ", 13), 0);
    }
    service_close(service);
}
END_TEST

SUITE(wandb_service)
{
    tcase_add_test(tc, it_answers_and_writes_down_what_it_was_asked);
    tcase_add_test(tc, only_the_right_key_is_let_in);
    tcase_add_test(tc, a_dead_port_comes_back);
    tcase_add_loop_test(tc, a_fault_is_what_the_client_sees, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tc, a_fault_is_over_after_so_many_requests);
}
