/* SPDX-License-Identifier: MIT */
/* Clients of the page of the sink prometheus that are slow or many, and the program around them. */
#include "tests/support/page_client.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

START_TEST(many_mute_clients_do_not_delay_the_end)
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

/* The page serves one client after the other, but does not wait for those that say nothing. */
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

START_TEST(clients_that_come_at_once_are_all_answered)
{
    enum { MANY = 60 };
    int port, client[MANY];
    struct host *host = page_open(&port);
    for (int i = 0; i < MANY; i++)
        client[i] = page_client(port);
    for (int i = 0; i < MANY; i++)
        page_say(client[i], PAGE_GET);
    for (int i = MANY - 1; i >= 0; i--) {
        const char *text = page_heard(client[i]);
        ck_assert_msg(strncmp(text, "HTTP/1.1 200 OK\r\n", 17) == 0, "client %d: %s", i, text);
    }
    host_close(host);
}
END_TEST

/* However busy it is: it sends a byte every 100 ms. The next one waits for it. */
START_TEST(a_client_has_a_second_for_its_request)
{
    int port;
    struct host *host = page_open(&port);
    int slow = page_client(port);
    page_say(slow, "G");
    int next = page_client(port);
    page_say(next, PAGE_GET);
    double begin = now_s();
    while (!page_hears_within(slow, 100) && now_s() - begin < 20)
        send(slow, "G", 1, MSG_NOSIGNAL);
    ck_assert_double_gt(now_s() - begin, 0.8);
    ck_assert_double_lt(now_s() - begin, 4);
    ck_assert(page_hears_within(next, 3000));
    ck_assert_ptr_nonnull(strstr(page_heard(next), "stepwatch_metric{"));
    close(slow);
    host_close(host);
}
END_TEST

START_TEST(a_client_that_does_not_read_makes_room_after_a_second)
{
    int port, size, small = 4096;
    struct host *host = large_page_open(&port);
    int deaf = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    page_connect(deaf, port);
    page_say(deaf, PAGE_GET);
    ck_assert(page_hears_within(deaf, 3000));
    int next = page_client(port);
    page_say(next, PAGE_GET);
    ck_assert(page_hears_within(next, 5000));
    const char *text = page_heard(deaf);
    ck_assert_int_eq(sscanf(strstr(text, "Content-Length: "), "Content-Length: %d", &size), 1);
    ck_assert_int_lt((int)strlen(text), size);
    close(next);
    host_close(host);
}
END_TEST

/* Reads all that comes, in small parts until it may hurry. */
struct slow_reader {
    int socket;
    atomic_bool begun, hurries;
    char text[1 << 24];
};

static void *read_slowly(void *arg)
{
    enum { PART = 1 << 14 };
    struct slow_reader *slow = arg;
    size_t size = 0;
    ssize_t n;
    while ((n = recv(slow->socket, slow->text + size, PART, 0)) > 0) {
        size += (size_t)n;
        atomic_store(&slow->begun, true);
        if (!atomic_load(&slow->hurries))
            usleep(40000);
    }
    slow->text[size] = '\0';
    return NULL;
}

/* Reads the page slowly while a new metric replaces its text twice. Returns how long that took. */
static double read_while_replaced(struct slow_reader *slow, struct host *host, int port,
                                  const char *metric)
{
    int small = 4096;
    pthread_t reader;
    double begin = now_s();
    atomic_store(&slow->begun, false);
    atomic_store(&slow->hurries, false);
    slow->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(slow->socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    page_connect(slow->socket, port);
    page_say(slow->socket, PAGE_GET);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_slowly, slow), 0);
    while (!atomic_load(&slow->begun))
        usleep(1000);
    usleep(1500000); /* longer than a client may stop reading */
    for (int round = 0; round < 2; round++) {
        host_metric(host, round, metric, 7);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(20000000000)), 0);
    }
    atomic_store(&slow->hurries, true);
    pthread_join(reader, NULL);
    close(slow->socket);
    return now_s() - begin;
}

/* Other programs may delay what these tests look at, which would be so at each try otherwise. */
enum { TRIES = 20 };

/* And the sink frees none of it meanwhile. A client that takes five seconds gets no more. */
START_TEST(a_slow_client_gets_one_text_though_it_was_replaced)
{
    enum { ALL_S = 5 };
    static struct slow_reader slow;
    int port, size;
    char metric[16], line[40];
    double took = ALL_S;
    struct host *host = large_page_open(&port);
    for (int i = 0; i < TRIES && took >= ALL_S; i++) {
        snprintf(metric, sizeof metric, "new%d", i);
        took = read_while_replaced(&slow, host, port, metric);
    }
    const char *text = slow.text, *body = strstr(text, "\r\n\r\n") + 4;
    ck_assert_int_eq(sscanf(strstr(text, "Content-Length: "), "Content-Length: %d", &size), 1);
    ck_assert_uint_eq(strlen(body), (size_t)size);
    snprintf(line, sizeof line, "name=\"%s\"} 7.0\n", metric);
    ck_assert_ptr_null(strstr(body, line));
    ck_assert_ptr_nonnull(strstr(page_answer(port, PAGE_GET), line));
    host_close(host);
}
END_TEST

START_TEST(a_client_that_does_not_read_does_not_delay_the_end)
{
    double took = AT_ONCE_S;
    for (int i = 0; i < TRIES && took >= AT_ONCE_S; i++) {
        int port;
        struct host *host = large_page_open(&port);
        int deaf = page_client(port);
        page_say(deaf, PAGE_GET);
        ck_assert(page_hears_within(deaf, 3000));
        took = seconds_to_close(host);
        close(deaf);
    }
    ck_assert_double_lt(took, AT_ONCE_S);
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
    int half = page_client(port);
    page_say(half, "GET /met");
    usleep(100000);
    /* Those of the page are in the table of its thread. */
    for (int fd = 3; fd < 100; fd++)
        sockets += fd != half && fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
    ck_assert_int_eq(sockets, 0);
    close(half);
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
    int half = page_client(port), late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    page_say(half, "GET /met");
    usleep(100000);
    pid_t child = child_fork();
    host_close(host);
    ck_assert(page_hears_within(half, 3000));
    ck_assert_int_ne(page_try_connect(late, port), 0);
    snprintf(options, sizeof options, "listen: \"127.0.0.1:%d\"\n", port);
    host = host_open("prometheus", options);
    ck_assert_int_eq(page_port(host), port);
    host_close(host);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(half);
    close(late);
}
END_TEST

START_TEST(a_client_waits_while_too_many_files_are_open)
{
    int port;
    struct rlimit few, usual;
    struct host *host = page_open(&port);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = (struct rlimit){.rlim_cur = 3, .rlim_max = usual.rlim_max}; /* 0 to 2 are taken */
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
    tcase_add_test(tc, many_mute_clients_do_not_delay_the_end);
    tcase_add_test(tc, silent_clients_keep_nobody_from_the_page);
    tcase_add_test(tc, clients_that_come_at_once_are_all_answered);
    tcase_add_test(tc, a_client_has_a_second_for_its_request);
    /* A sanitizer takes too long for a page of 9 MB. For it, to look at or to close a descriptor
     * that another thread uses is a race. */
    if (SANITIZED) {
        puts("SKIP: with a sanitizer it takes too long to make a page of 9 MB, and files that a "
             "thread uses are not for others");
        return;
    }
    tcase_add_test(tc, a_client_that_does_not_read_makes_room_after_a_second);
    tcase_add_test(tc, a_slow_client_gets_one_text_though_it_was_replaced);
    tcase_add_test(tc, a_client_that_does_not_read_does_not_delay_the_end);
    tcase_add_test(tc, a_client_that_leaves_early_does_no_harm);
    tcase_add_test(tc, programs_that_it_starts_get_no_socket_of_it);
    tcase_add_test(tc, it_ends_with_the_run_and_not_with_a_child);
    tcase_add_test(tc, a_client_waits_while_too_many_files_are_open);
    tcase_add_test(tc, the_page_stays_if_the_program_closes_all_files);
}
