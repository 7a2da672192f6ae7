/* SPDX-License-Identifier: MIT */
/* The live line on a terminal that the program prints to: no line of the program's is damaged. A
 * real terminal's driver, and the screen of a made-up one. */
#include "tests/support/screen.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"

#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINES = 900 };

/* ---- a terminal for both streams ------------------------------------------------------------- */

static struct terminal terminal;
static pthread_t reader;
static int out_before, err_before;
static char seen[4 << 20];
static size_t seen_size;

static void *terminal_read(void *unused)
{
    ssize_t size;
    while ((size = read(terminal.user, seen + seen_size, sizeof seen - 1 - seen_size)) > 0)
        seen_size += (size_t)size;
    return unused;
}

static bool terminal_begin(void)
{
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    seen_size = 0;
    if (!terminal_new(&terminal, 80))
        return false;
    fflush(stdout);
    out_before = dup(STDOUT_FILENO);
    err_before = dup(STDERR_FILENO);
    dup2(terminal.program, STDOUT_FILENO);
    dup2(terminal.program, STDERR_FILENO);
    setlinebuf(stdout); /* as stdio has it for a terminal */
    ck_assert_int_eq(pthread_create(&reader, NULL, terminal_read, NULL), 0);
    return true;
}

/* The reader ends when nobody has the other side any more. */
static struct screen *terminal_end(void)
{
    fflush(stdout);
    dup2(out_before, STDOUT_FILENO);
    dup2(err_before, STDERR_FILENO);
    close(out_before);
    close(err_before);
    close(terminal.program);
    pthread_join(reader, NULL);
    close(terminal.user);
    struct screen *screen = screen_new(80, 24);
    screen_play(screen, seen, seen_size);
    return screen;
}

/* ---- a loop that prints ---------------------------------------------------------------------- */

static int64_t now_ns;

static int64_t clock_of_loop(void *arg)
{
    (void)arg;
    return now_ns;
}

static struct sw_profiler *loop_open(const char *live)
{
    char yaml[256];
    struct sw_error err;
    now_ns = 0;
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false }\n"
             "logger_callback: { table: { path: /dev/null, interval: 10ms, %s } }\n",
             live);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_clock(sw, clock_of_loop, NULL);
    return sw;
}

/* The line is drawn by now, if it is due. */
static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    now_ns += 100000000;
    sw_log(sw, "train/loss", 0.5);
    sw_end_batch(sw, 64);
    sw_flush(sw, INT64_C(60000000000));
}

static const char *line_of(int i)
{
    static char line[64];
    snprintf(line, sizeof line, "message %d %.*s", i, i % 40 + 1,
             "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    return line;
}

static void assert_whole(const struct screen *screen)
{
    int damaged = 0;
    for (int i = 0; i < LINES; i++)
        damaged += !screen_has(screen, line_of(i));
    ck_assert_int_eq(damaged, 0);
}

static size_t count_seen(const char *what)
{
    size_t count = 0;
    seen[seen_size] = '\0';
    for (const char *at = seen; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

/* One line in ten comes in two pieces, with a step in between. */
START_TEST(what_is_printed_with_sw_print_is_never_damaged)
{
    if (!terminal_begin())
        return;
    struct sw_profiler *sw = loop_open("live: auto");
    for (int i = 0; i < LINES; i++) {
        const char *line = line_of(i);
        sw_print(sw, "%.9s", line);
        if (i % 10 == 0)
            step(sw);
        sw_print(sw, "%s\n", line + 9);
        if (i % 300 == 150)
            usleep(260000); /* the line comes back */
        if (i % 2 || i % 300 == 150)
            step(sw);
    }
    sw_close(sw, NULL);
    struct screen *screen = terminal_end();
    assert_whole(screen);
    ck_assert_uint_ge(count_seen("samples/s"), 3);
    ck_assert_uint_ge(count_seen("train/loss 0.5"), 3);
    for (size_t i = 0; i < screen_rows(screen); i++)
        ck_assert_ptr_null(strstr(screen_row(screen, i), "samples/s")); /* nothing is left of it */
    screen_free(screen);
}
END_TEST

START_TEST(what_is_printed_in_any_way_is_never_damaged_by_a_line_on_the_last_row)
{
    if (!terminal_begin())
        return;
    struct sw_profiler *sw = loop_open("live: row, title: true");
    for (int i = 0; i < LINES; i++) {
        const char *line = line_of(i);
        dprintf(STDOUT_FILENO, "%.9s", line);
        if (i % 10 == 0)
            step(sw);
        dprintf(STDOUT_FILENO, "%s\n", line + 9);
        if (i % 2)
            step(sw);
    }
    sw_close(sw, NULL);
    struct screen *screen = terminal_end();
    assert_whole(screen);
    ck_assert_uint_ge(count_seen("samples/s"), LINES / 2);
    ck_assert_ptr_nonnull(strstr(seen, "\033]2;"));
    /* The terminal is as it was: all of it scrolls, and its title is back. */
    ck_assert_ptr_nonnull(strstr(strstr(seen, "message 899"), "\033[r"));
    ck_assert_ptr_nonnull(strstr(strstr(seen, "message 899"), "\033[23;2t"));
    screen_free(screen);
}
END_TEST

START_TEST(the_last_row_follows_the_size_of_the_terminal)
{
    struct winsize smaller = {.ws_row = 12, .ws_col = 60}, tiny = {.ws_row = 5, .ws_col = 60};
    if (!terminal_begin())
        return;
    struct sw_profiler *sw = loop_open("live: row");
    step(sw);
    ck_assert_int_eq(ioctl(terminal.user, TIOCSWINSZ, &smaller), 0);
    step(sw);
    ck_assert_int_eq(ioctl(terminal.user, TIOCSWINSZ, &tiny), 0);
    step(sw);
    sw_close(sw, NULL);
    screen_free(terminal_end());
    seen[seen_size] = '\0';
    const char *first = strstr(seen, "\033[1;23r"), *second = strstr(seen, "\033[1;11r");
    ck_assert(first && second && first < second);
    ck_assert_ptr_nonnull(strstr(second, "\033[12;1H\033[2K"));
    ck_assert_ptr_nonnull(strstr(second, "\033[r"));
    ck_assert_ptr_null(strstr(second, "\033[1;4r"));
}
END_TEST

START_TEST(a_message_does_not_go_on_in_the_line)
{
    if (!terminal_begin())
        return;
    struct sw_profiler *sw = loop_open("live: on");
    step(sw);
    sw_alert(sw, SW_WARNING, "diverged", "loss 9");
    sw_close(sw, NULL);
    struct screen *screen = terminal_end();
    ck_assert(screen_has(screen, "stepwatch: warning: alert: diverged: loss 9"));
    screen_free(screen);
}
END_TEST

START_TEST(sw_print_is_printf_without_a_line)
{
    int fd[2];
    char text[64] = "";
    ck_assert_int_eq(pipe(fd), 0);
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fd[1], STDOUT_FILENO);
    struct sw_profiler *sw = loop_open("live: off");
    int rc = sw_print(sw, "%d %s\n", 7, "of 9"), none = sw_print(NULL, "%c", 'x');
    sw_close(sw, NULL);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(fd[1]);
    ck_assert_int_eq(read(fd[0], text, sizeof text - 1), 8);
    close(fd[0]);
    ck_assert_str_eq(text, "7 of 9\nx");
    ck_assert_int_eq(rc, 7);
    ck_assert_int_eq(none, 1);
}
END_TEST

SUITE(live_line)
{
    tcase_add_test(tc, what_is_printed_with_sw_print_is_never_damaged);
    tcase_add_test(tc, what_is_printed_in_any_way_is_never_damaged_by_a_line_on_the_last_row);
    tcase_add_test(tc, the_last_row_follows_the_size_of_the_terminal);
    tcase_add_test(tc, a_message_does_not_go_on_in_the_line);
    tcase_add_test(tc, sw_print_is_printf_without_a_line);
}
