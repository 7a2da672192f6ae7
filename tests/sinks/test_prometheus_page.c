/* SPDX-License-Identifier: MIT */
/* The page of the sink prometheus: its address, and its answers. */
#include "tests/support/page_client.h"
#include "tests/support/suite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- answers --------------------------------------------------------------------------------- */

START_TEST(it_has_the_newest_state)
{
    int port;
    struct host *host = page_open(&port);
    const char *text = page_answer(port, PAGE_GET);
    ck_assert_msg(strncmp(text, "HTTP/1.1 200 OK\r\n", 17) == 0, "%s", text);
    ck_assert_ptr_nonnull(
        strstr(text, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "\r\nConnection: close\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "{run=\"digits\",rank=\"0\",name=\"loss\"} 2.5\n"));
    host_metric(host, 1, "loss", 1.5);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), "name=\"loss\"} 1.5\n"));
    host_close(host);
}
END_TEST

START_TEST(a_cancelled_batch_is_not_the_newest_step)
{
    int port;
    struct host *host = page_open(&port);
    struct sw_profiler *sw = host_profiler(host);
    host_metric(host, 7, "loss", 1.5);
    sw_begin(sw, SW_BATCH);
    sw_cancel(sw, SW_BATCH);
    ck_assert_int_eq(sw_flush(sw, INT64_C(5000000000)), 0);
    ck_assert_ptr_nonnull(
        strstr(page_answer(port, PAGE_GET), "stepwatch_step{run=\"digits\",rank=\"0\"} 7.0\n"));
    host_close(host);
}
END_TEST

#define LOCAL "Host: 127.0.0.1\r\n"

START_TEST(each_request_gets_its_status)
{
    static const struct {
        const char *request;
        int status;
    } cases[] = {
        {"GET /metrics HTTP/1.0\r\n\r\n", 200},
        {"GET /metrics?name=loss HTTP/1.1\r\n" LOCAL "\r\n", 200},
        {"HEAD /metrics HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200},
        {"HEAD /metrics HTTP/1.1\r\nhOST:  LocalHost:80 \r\n\r\n", 200},
        {"\r\nGET /metrics HTTP/1.1\nHost: localhost\n\n", 200},
        {"GET /metrics HTTP/1.1\r\n" LOCAL "\r\nGET / HTTP/1.1\r\n" LOCAL "\r\n", 200},
        {"GET / HTTP/1.1\r\n" LOCAL "\r\n", 404},
        {"GET //metrics HTTP/1.1\r\n" LOCAL "\r\n", 404},
        {"GET /metrics/ HTTP/1.1\r\n" LOCAL "\r\n", 404},
        {"GET %2fmetrics HTTP/1.1\r\n" LOCAL "\r\n", 404},
        {"GET http://127.0.0.1/metrics HTTP/1.1\r\n" LOCAL "\r\n", 404},
        {"DELETE /metrics HTTP/1.1\r\n" LOCAL "\r\n", 405},
        {"get /metrics HTTP/1.1\r\n" LOCAL "\r\n", 405},
        {"CONNECT evil.example:443 HTTP/1.1\r\n" LOCAL "\r\n", 405},
        {"OPTIONS * HTTP/1.1\r\n" LOCAL "\r\n", 405},
        {"POST /metrics HTTP/1.1\r\n" LOCAL "Content-Length: 1000000000\r\n\r\nbegin", 405},
        {"POST /metrics HTTP/1.1\r\n" LOCAL "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 405},
        {"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
        {"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example\r\n\r\n", 403},
        {"GET /metrics HTTP/1.1\r\nHost:\r\n\r\n", 403},
        {"GET /metrics HTTP/1.1\r\n" LOCAL "Host: evil.example\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1\r\n" LOCAL " evil.example\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1\r\n" LOCAL "nonsense\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1 \r\n" LOCAL "\r\n", 400},
        {"GET  /metrics HTTP/1.1\r\n" LOCAL "\r\n", 400},
        {"GET /metrics HTTP/1.1\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1\r\nAccept: */*\r\n\r\n", 400},
        {"GET /metrics\r\n\r\n", 400},
        {"nonsense\r\n\r\n", 400},
        {" \r\n\r\n", 400},
        {"\x16\x03\x01", 400},
        {"GET /metrics HTTP/2.0\r\n" LOCAL "\r\n", 400},
    };
    int port;
    char status[32];
    struct host *host = page_open(&port);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = page_answer(port, cases[i].request);
        snprintf(status, sizeof status, "HTTP/1.1 %d ", cases[i].status);
        ck_assert_msg(strncmp(text, status, strlen(status)) == 0, "%s: %.200s", cases[i].request,
                      text);
    }
    host_close(host);
}
END_TEST

START_TEST(a_refusal_says_why)
{
    int port;
    struct host *host = page_open(&port);
    const char *text = page_answer(port, "PUT /metrics HTTP/1.1\r\n" LOCAL "\r\n");
    ck_assert_str_eq(text, "HTTP/1.1 405 Method Not Allowed\r\n"
                           "Connection: close\r\n"
                           "Content-Type: text/plain; charset=utf-8\r\n"
                           "Content-Length: 19\r\n"
                           "Allow: GET, HEAD\r\n"
                           "\r\n"
                           "GET and HEAD only.\n");
    host_close(host);
}
END_TEST

START_TEST(the_answer_to_head_has_the_size_and_no_body)
{
    int port;
    struct host *host = page_open(&port);
    size_t size = strlen(strstr(page_answer(port, PAGE_GET), "\r\n\r\n") + 4);
    const char *text = page_answer(port, "HEAD /metrics HTTP/1.1\r\n" LOCAL "\r\n");
    ck_assert_uint_eq(strtoul(strstr(text, "Content-Length: ") + 16, NULL, 10), size);
    ck_assert_str_eq(strstr(text, "\r\n\r\n"), "\r\n\r\n");
    text = page_answer(port, "HEAD / HTTP/1.1\r\n" LOCAL "\r\n");
    ck_assert_ptr_nonnull(strstr(text, "HTTP/1.1 404 "));
    ck_assert_str_eq(strstr(text, "\r\n\r\n"), "\r\n\r\n");
    host_close(host);
}
END_TEST

/* Sends a head of a size, whatever becomes of it. Returns the answer's status. */
static int status_of_head(int port, size_t size)
{
    static char text[1 << 20];
    int client = page_client(port),
        begin = snprintf(text, 100, "GET /metrics HTTP/1.1\r\n" LOCAL "X: ");
    memset(text + begin, 'x', size - (size_t)begin - 4);
    memcpy(text + size - 4, "\r\n\r\n", 4);
    send(client, text, size, MSG_NOSIGNAL);
    return atoi(page_heard(client) + strlen("HTTP/1.1 "));
}

START_TEST(a_head_may_have_8_kib)
{
    int port;
    struct host *host = page_open(&port);
    ck_assert_int_eq(status_of_head(port, 8192), 200);
    ck_assert_int_eq(status_of_head(port, 8193), 431);
    ck_assert_int_eq(status_of_head(port, 1 << 20), 431);
    host_close(host);
}
END_TEST

/* A socket that is closed before everything was read would take the answer from the client. */
START_TEST(a_client_that_sends_a_body_gets_its_answer)
{
    static char body[1 << 20];
    int port;
    struct host *host = page_open(&port);
    int client = page_client(port), on = 1;
    /* The first bytes of the body come with the head. */
    setsockopt(client, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
    page_say(client, "POST /metrics HTTP/1.1\r\n" LOCAL "Content-Length: 2097152\r\n\r\n");
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(send(client, body, sizeof body, MSG_NOSIGNAL), sizeof body);
    ck_assert_ptr_nonnull(strstr(page_heard(client), "HTTP/1.1 405 "));
    host_close(host);
}
END_TEST

/* Where there is no IPv6, that is said. */
START_TEST(the_address_is_said)
{
    static const struct {
        const char *listen, *said;
        bool warns;
    } cases[] = {
        {"\":0\"", "the metrics are at http://127.0.0.1:", false},
        {"\"127.0.0.5:0\"", "the metrics are at http://127.0.0.5:", false},
        {"\"[::1]:0\"", "the metrics are at http://[::1]:", false},
        {"\"[::ffff:127.0.0.1]:0\"", "the metrics are at http://[::ffff:127.0.0.1]:", false},
        {"\"192.0.2.1:0\"", "Cannot assign requested address; it is not an address of this machine",
         false},
        {"\"0.0.0.0:0\"", "other machines can read the metrics at 0.0.0.0:", true},
    };
    char options[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(options, sizeof options, "path: run.prom\nlisten: %s\n", cases[i].listen);
        struct host *host = host_open("prometheus", options);
        host_close(host);
        const char *said = host_messages(host);
        ck_assert_msg(strstr(said, cases[i].said) || strstr(said, "listen: [::"), "%s", said);
        ck_assert_msg(!strstr(said, "other machines") == !cases[i].warns, "%s", said);
    }
}
END_TEST

/* For file_sd_configs of Prometheus. Without a page, there is no target. */
START_TEST(the_address_is_in_a_file_while_there_is_a_page)
{
    struct host *host = host_open("prometheus", "listen: \"127.0.0.1:0\"\nfile_sd: t.json\n");
    host_metric(host, 0, "loss", 1);
    sw_flush(host_profiler(host), INT64_C(60) * 1000000000);
    char targets[256];
    snprintf(targets, sizeof targets, "%s", host_file("t.json"));
    ck_assert_msg(strncmp(targets, "[{\"targets\":[\"127.0.0.1:", 24) == 0, "%s", targets);
    ck_assert_msg(strstr(targets, "\"],\"labels\":{\"run\":\"") != NULL, "%s", targets);
    host_close(host);
    ck_assert_str_eq(host_file("t.json"), "[]\n");
}
END_TEST

/* The processes of a machine have a port each. */
START_TEST(a_port_can_be_counted_from_another)
{
    int port;
    char options[100], said[100];
    host_close(page_open(&port));
    setenv("RANK", "3", 1);
    setenv("LOCAL_RANK", "3", 1);
    setenv("WORLD_SIZE", "4", 1);
    snprintf(options, sizeof options, "listen: \"127.0.0.1:%d+{local_rank}\"\n", port - 3);
    struct host *host = host_open("prometheus", options);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    snprintf(said, sizeof said, "the metrics are at http://127.0.0.1:%d/metrics", port);
    ck_assert_msg(strstr(host_messages(host), said) != NULL, "%s", host_messages(host));
    unsetenv("RANK");
    unsetenv("LOCAL_RANK");
    unsetenv("WORLD_SIZE");
}
END_TEST

START_TEST(a_port_that_is_taken_is_said_and_the_file_is_written)
{
    int port;
    char options[100], taken[150];
    struct host *host = page_open(&port);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int other = socket(AF_INET, SOCK_STREAM, 0);
    host_close(host);
    ck_assert_int_eq(bind(other, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(other, 1), 0);
    ck_assert_int_eq(getsockname(other, (struct sockaddr *)&address, &size), 0);
    snprintf(options, sizeof options, "path: run.prom\nlisten: \"127.0.0.1:%d\"\n",
             ntohs(address.sin_port));
    snprintf(taken, sizeof taken,
             "listen: 127.0.0.1:%d: Address already in use; choose another port, or "
             "port 0 for any; the rest goes on",
             ntohs(address.sin_port));
    host = host_open("prometheus", options);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_msg(strstr(host_messages(host), taken) != NULL, "%s", host_messages(host));
    ck_assert_ptr_nonnull(strstr(host_file("run.prom"), "name=\"loss\"} 1.0\n"));
    close(other);
}
END_TEST

SUITE(prometheus_page)
{
    tcase_add_test(tc, it_has_the_newest_state);
    tcase_add_test(tc, a_cancelled_batch_is_not_the_newest_step);
    tcase_add_test(tc, each_request_gets_its_status);
    tcase_add_test(tc, a_refusal_says_why);
    tcase_add_test(tc, the_answer_to_head_has_the_size_and_no_body);
    tcase_add_test(tc, a_head_may_have_8_kib);
    tcase_add_test(tc, a_client_that_sends_a_body_gets_its_answer);
    tcase_add_test(tc, the_address_is_said);
    tcase_add_test(tc, the_address_is_in_a_file_while_there_is_a_page);
    tcase_add_test(tc, a_port_can_be_counted_from_another);
    tcase_add_test(tc, a_port_that_is_taken_is_said_and_the_file_is_written);
}
