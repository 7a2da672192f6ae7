/* SPDX-License-Identifier: MIT */
/* test_writer.c - by the id of who writes a run, another process of the machine tells whether that
 * one still lives. */
#include "sinks/wandb/run/writer_id.h"
#include "tests/support/suite.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that waits to be killed, and its id. */
static pid_t writer_start(char id[SWI_WRITER_ID])
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char own[SWI_WRITER_ID];
        swi_writer_id_make(own);
        if (write(ends[1], own, sizeof own) != sizeof own)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ends[0], id, SWI_WRITER_ID), SWI_WRITER_ID);
    close(ends[0]);
    close(ends[1]);
    return child;
}

START_TEST(a_process_lives_until_it_was_killed)
{
    char id[SWI_WRITER_ID];
    siginfo_t info;
    pid_t child = writer_start(id);
    ck_assert_int_eq(swi_writer_life(id), SWI_WRITER_LIVES);
    kill(child, SIGKILL);
    /* Nobody has asked how it ended: it is still listed. */
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    ck_assert_int_eq(swi_writer_life(id), SWI_WRITER_ENDED);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(swi_writer_life(id), SWI_WRITER_ENDED);
}
END_TEST

START_TEST(ids_differ_and_one_of_this_process_is_not_another_writer)
{
    char one[SWI_WRITER_ID], two[SWI_WRITER_ID];
    swi_writer_id_make(one);
    swi_writer_id_make(two);
    ck_assert_str_ne(one, two);
    ck_assert_uint_eq(strspn(one, "0123456789abcdef"), SWI_WRITER_ID - 1);
    ck_assert_int_eq(swi_writer_life(one), SWI_WRITER_ENDED);
}
END_TEST

static const char *const strangers[] = {"", "0123456789abcdef0123456789abcdef",
                                        "018f4a3c-58e2-7c1e-9d1f-000000000000"};

START_TEST(nothing_is_known_of_a_writer_elsewhere)
{
    ck_assert_int_eq(swi_writer_life(strangers[_i]), SWI_WRITER_UNKNOWN);
}
END_TEST

SUITE(wandb_writer)
{
    tcase_add_test(tc, a_process_lives_until_it_was_killed);
    tcase_add_test(tc, ids_differ_and_one_of_this_process_is_not_another_writer);
    tcase_add_loop_test(tc, nothing_is_known_of_a_writer_elsewhere, 0,
                        sizeof strangers / sizeof *strangers);
}
