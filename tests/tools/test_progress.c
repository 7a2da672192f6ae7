/* SPDX-License-Identifier: MIT */
/* Long work says on the terminal how far it is, and nowhere else. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"
#include "tests/tools/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* stepwatch report -, with a pipe to its input and a terminal as its standard error. */
struct reader {
    pid_t pid;
    int input;
    struct terminal terminal;
    char seen[1 << 16]; /* of what the terminal shows */
    size_t size;
};

static void reader_run(int input, int error)
{
    int output = open("output.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0)
        _exit(91);
    execl(BUILDDIR "/tests/tools/stepwatch", "stepwatch", "report", "-", "--format", "csv",
          (char *)NULL);
    _exit(92);
}

/* The program's side of the terminal stays open: what is on it can be read when the program is
 * gone. */
static void reader_start(struct reader *reader)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    reader->pid = fork();
    if (reader->pid == 0)
        reader_run(ends[0], reader->terminal.program);
    close(ends[0]);
    reader->input = ends[1];
}

/* What the terminal shows by now, without waiting for more. */
static void reader_look(struct reader *reader)
{
    struct pollfd ready = {.fd = reader->terminal.user, .events = POLLIN};
    while (poll(&ready, 1, 0) > 0 && ready.revents & POLLIN) {
        ssize_t n = read(reader->terminal.user, reader->seen + reader->size,
                         sizeof reader->seen - 1 - reader->size);
        if (n <= 0)
            return;
        reader->size += (size_t)n;
        reader->seen[reader->size] = '\0';
    }
}

static void reader_write(const struct reader *reader, const char *text)
{
    for (size_t left = strlen(text); left;) {
        ssize_t n = write(reader->input, text, left);
        ck_assert_msg(n > 0, "it reads no more: %s", strerror(errno));
        text += n;
        left -= (size_t)n;
    }
}

static void write_steps(const struct reader *reader, long from, int count)
{
    static char text[1 << 17];
    size_t used = 0;
    for (long i = from; i < from + count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{\"type\":\"step\",\"t\":%ld,\"step\":%ld,\"phase\":\"train\","
                                 "\"samples\":1,\"durations\":{\"draw\":400,\"batch\":600}}\n",
                                 (i + 1) * 1000, i);
    reader_write(reader, text);
}

/* Its exit status. */
static int reader_end(struct reader *reader)
{
    int status = 0;
    close(reader->input);
    while (waitpid(reader->pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    reader_look(reader);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(a_long_log_shows_how_far_it_is_and_takes_that_away_again)
{
    struct reader *reader = calloc(1, sizeof *reader);
    time_t begin = time(NULL);
    if (!terminal_new(&reader->terminal, 80)) {
        free(reader);
        return;
    }
    run_record("steps");
    signal(SIGPIPE, SIG_IGN);
    reader_start(reader);
    reader_write(reader, "{\"type\":\"run\",\"version\":1,\"started\":0,\"detail\":\"steps\"}\n");
    for (long i = 0; !strstr(reader->seen, " lines read"); i += 500) {
        ck_assert_msg(time(NULL) - begin < 90, "nothing is shown but \"%s\"", reader->seen);
        write_steps(reader, i, 500);
        reader_look(reader);
    }
    ck_assert_int_eq(reader_end(reader), 0);
    ck_assert_ptr_nonnull(strstr(reader->seen, "\r\033[K-: "));
    /* Taken away, before the line that says where the log ends. */
    const char *cleared = strstr(reader->seen, "\r\033[K-: the run did not finish");
    ck_assert_msg(cleared != NULL, "%s", reader->seen);
    ck_assert_ptr_nonnull(strstr(host_file("output.txt"), "train,step,"));
    free(reader);
}
END_TEST

START_TEST(without_a_terminal_nothing_is_shown)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv 2>messages.txt #"), 0);
    ck_assert_str_eq(host_file("messages.txt"), "");
}
END_TEST

SUITE(progress)
{
    tcase_add_test(tc, a_long_log_shows_how_far_it_is_and_takes_that_away_again);
    tcase_add_test(tc, without_a_terminal_nothing_is_shown);
}
