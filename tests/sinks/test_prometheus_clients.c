/* SPDX-License-Identifier: MIT */
/* Clients of the page of the sink prometheus that are slow or many, and the program around them. */
#include "tests/support/page_client.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Opens a page of 9 MB, more than a socket's buffers take. */
static struct host *large_page_open(int *port)
{
    enum { NAMES = 40000, AT_ONCE = 4000, LONG = 180 };
    char name[LONG + 20];
    host_name("digits");
    struct host *host = host_open("prometheus", "listen: \"127.0.0.1:0\"\nseries: 40001\n");
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "m%d_%0*d", i, LONG, 0);
        sw_log(host_profiler(host), name, i);
        if (i % AT_ONCE == AT_ONCE - 1)
            ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(20000000000)), 0);
    }
    *port = page_port(host);
    return host;
}

/* Ending a run waits for no client. */
enum { AT_ONCE_S = 3 };

/* Ends the run and returns how long that took. */
static double seconds_to_close(struct host *host)
{
    double begin = now_s();
    host_close(host);
    return now_s() - begin;
}

/* ---- slow clients ---------------------------------------------------------------------------- */

/* A client that says nothing delays neither another one nor the end of the run. */
START_TEST(a_mute_client_delays_nobody)
{
    int port, mute[4];
    struct host *host = page_open(&port);
    for (int i = 0; i < 4; i++)
        mute[i] = page_client(port);
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), "stepwatch_metric{"));
    ck_assert_double_lt(seconds_to_close(host), AT_ONCE_S);
    for (int i = 0; i < 4; i++)
        close(mute[i]);
}
END_TEST

START_TEST(more_mute_clients_than_are_served_do_not_delay_the_end)
{
    enum { MUTE = 12 };
    int port, mute[MUTE];
    struct host *host = page_open(&port);
    for (int i = 0; i < MUTE; i++)
        mute[i] = page_client(port);
    usleep(100000);
    ck_assert_double_lt(seconds_to_close(host), AT_ONCE_S);
    for (int i = 0; i < MUTE; i++)
        close(mute[i]);
}
END_TEST

/* Of more silent clients than there is room for, the first must make room for each new one. */
START_TEST(silent_clients_keep_nobody_from_the_page)
{
    enum { MUTE = 40 };
    int port, mute[MUTE];
    struct host *host = page_open(&port);
    for (int i = 0; i < MUTE; i++)
        mute[i] = page_client(port);
    int last = page_client(port);
    page_say(last, PAGE_GET);
    ck_assert(page_hears_within(last, 3000));
    ck_assert_ptr_nonnull(strstr(page_heard(last), "stepwatch_metric{"));
    host_close(host);
    for (int i = 0; i < MUTE; i++)
        close(mute[i]);
}
END_TEST

START_TEST(clients_that_do_not_read_keep_nobody_from_the_page)
{
    enum { DEAF = 9 };
    int port, deaf[DEAF], small = 4096;
    struct host *host = large_page_open(&port);
    for (int i = 0; i < DEAF; i++) {
        deaf[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        setsockopt(deaf[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        page_connect(deaf[i], port);
        page_say(deaf[i], PAGE_GET);
    }
    int last = page_client(port);
    page_say(last, PAGE_GET);
    ck_assert(page_hears_within(last, 4000));
    close(last);
    host_close(host);
    for (int i = 0; i < DEAF; i++)
        close(deaf[i]);
}
END_TEST

/* However busy it is: one sends a byte every 100 ms, another does not read its answer. */
START_TEST(a_client_has_five_seconds_for_all)
{
    int port, size, small = 4096;
    struct host *host = large_page_open(&port);
    int slow = page_client(port), deaf = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    page_connect(deaf, port);
    page_say(deaf, PAGE_GET);
    double begin = now_s();
    while (!page_hears_within(slow, 100) && now_s() - begin < 20)
        send(slow, "G", 1, MSG_NOSIGNAL);
    ck_assert_double_gt(now_s() - begin, 4.5);
    ck_assert_double_lt(now_s() - begin, 8);
    const char *text = page_heard(deaf);
    ck_assert_int_eq(sscanf(strstr(text, "Content-Length: "), "Content-Length: %d", &size), 1);
    ck_assert_int_lt((int)strlen(text), size);
    close(slow);
    host_close(host);
}
END_TEST

/* And the sink frees none of it meanwhile. */
START_TEST(a_slow_client_gets_one_text_though_it_was_replaced)
{
    int port, size, small = 4096;
    struct host *host = large_page_open(&port);
    int slow = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    page_connect(slow, port);
    page_say(slow, PAGE_GET);
    ck_assert(page_hears_within(slow, 3000));
    for (int round = 0; round < 3; round++) {
        host_metric(host, round, "m0", 7);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    }
    const char *text = page_heard(slow), *body = strstr(text, "\r\n\r\n") + 4;
    ck_assert_int_eq(sscanf(strstr(text, "Content-Length: "), "Content-Length: %d", &size), 1);
    ck_assert_uint_eq(strlen(body), (size_t)size);
    ck_assert_ptr_null(strstr(body, "name=\"m0\"}"));
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), "name=\"m0\"} 7.0\n"));
    host_close(host);
}
END_TEST

START_TEST(a_client_that_does_not_read_does_not_delay_the_end)
{
    int port;
    struct host *host = large_page_open(&port);
    int deaf = page_client(port);
    page_say(deaf, PAGE_GET);
    ck_assert(page_hears_within(deaf, 3000));
    ck_assert_double_lt(seconds_to_close(host), AT_ONCE_S);
    close(deaf);
}
END_TEST

/* SIGPIPE would end the program. */
START_TEST(a_client_that_leaves_early_does_no_harm)
{
    struct linger at_once = {.l_onoff = 1};
    int port;
    struct host *host = large_page_open(&port);
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 100; i++) {
        int client = page_client(port);
        page_say(client, i % 3 ? PAGE_GET : "GET /met");
        if (i % 2)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(client);
    }
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), "stepwatch_metric{"));
    host_close(host);
}
END_TEST

/* ---- the program that it runs in ------------------------------------------------------------- */

START_TEST(programs_that_it_starts_get_no_socket_of_it)
{
    int port, sockets = 0;
    struct stat file;
    struct host *host = page_open(&port);
    int mute = page_client(port);
    usleep(100000);
    /* Those of the page are in the table of its thread. */
    for (int fd = 3; fd < 100; fd++)
        sockets += fd != mute && fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
    ck_assert_int_eq(sockets, 0);
    close(mute);
    host_close(host);
}
END_TEST

static pid_t child_fork(void)
{
    pid_t child = fork();
    while (child == 0)
        pause();
    return child;
}

/* Though the child has all of its sockets. */
START_TEST(it_ends_with_the_run_and_not_with_a_child)
{
    int port, status;
    char options[100];
    struct host *host = page_open(&port);
    int mute = page_client(port), late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    usleep(100000);
    pid_t child = child_fork();
    host_close(host);
    ck_assert(page_hears_within(mute, 3000));
    ck_assert_int_ne(page_try_connect(late, port), 0);
    snprintf(options, sizeof options, "listen: \"127.0.0.1:%d\"\n", port);
    host = host_open("prometheus", options);
    ck_assert_int_eq(page_port(host), port);
    host_close(host);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(mute);
    close(late);
}
END_TEST

START_TEST(a_client_waits_while_too_many_files_are_open)
{
    int port;
    struct rlimit few, usual;
    struct host *host = page_open(&port);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), next = dup(client);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = usual.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    page_connect(client, port);
    page_say(client, PAGE_GET);
    ck_assert(!page_hears_within(client, 300));
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
    ck_assert_ptr_nonnull(strstr(page_heard(client), "stepwatch_metric{"));
    host_close(host);
}
END_TEST

/* As programs do that become daemons: the row closed_sinks of tests/faults closes all, too. */
START_TEST(the_page_stays_if_the_program_closes_all_files)
{
    int port;
    struct stat before[100] = {{0}};
    for (int fd = 3; fd < 100; fd++)
        fstat(fd, &before[fd]);
    struct host *host = page_open(&port);
    for (int fd = 3; fd < 100; fd++)
        if (!before[fd].st_mode)
            close(fd);
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), "stepwatch_"));
    ck_assert_double_lt(seconds_to_close(host), AT_ONCE_S);
}
END_TEST

SUITE(prometheus_clients)
{
    tcase_add_test(tc, a_mute_client_delays_nobody);
    tcase_add_test(tc, more_mute_clients_than_are_served_do_not_delay_the_end);
    tcase_add_test(tc, silent_clients_keep_nobody_from_the_page);
    /* A sanitizer takes too long for a page of 9 MB. For it, to look at or to close a descriptor
     * that another thread uses is a race. */
    if (SANITIZED) {
        puts("SKIP: with a sanitizer it takes too long to make a page of 9 MB, and files that a "
             "thread uses are not for others");
        return;
    }
    tcase_add_test(tc, clients_that_do_not_read_keep_nobody_from_the_page);
    tcase_add_test(tc, a_client_has_five_seconds_for_all);
    tcase_add_test(tc, a_slow_client_gets_one_text_though_it_was_replaced);
    tcase_add_test(tc, a_client_that_does_not_read_does_not_delay_the_end);
    tcase_add_test(tc, a_client_that_leaves_early_does_no_harm);
    tcase_add_test(tc, programs_that_it_starts_get_no_socket_of_it);
    tcase_add_test(tc, it_ends_with_the_run_and_not_with_a_child);
    tcase_add_test(tc, a_client_waits_while_too_many_files_are_open);
    tcase_add_test(tc, the_page_stays_if_the_program_closes_all_files);
}
