/* SPDX-License-Identifier: MIT */
/* test_rank.c - which process of a distributed program this is, however its launcher says it. */
#include "sinks/wandb/run/rank.h"
#include "tests/support/suite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 5 };

static const char *const names[NAMES] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                         "SLURM_PROCID"};

/* What a variable may hold: nothing, what is no rank, a rank. */
static const struct {
    const char *text; /* NULL: not set */
    long rank;        /* -1: none */
    bool odd;
} values[] = {{NULL, -1, false}, {"", -1, false},
              {"-1", -1, true},  {"1099511627776", -1, true},
              {"0x1", -1, true}, {" 1", -1, true},
              {"x", -1, true},   {"0", 0, false},
              {"3", 3, false},   {"2147483647", 2147483647, false}};

enum { VALUES = sizeof values / sizeof *values };

/* Sets each variable by a digit of the number; gives back which value it got. */
static void variables_set(int number, int which[NAMES])
{
    for (int i = 0; i < NAMES; i++, number /= VALUES) {
        which[i] = number % VALUES;
        if (values[which[i]].text)
            setenv(names[i], values[which[i]].text, 1);
        else
            unsetenv(names[i]);
    }
}

/* The first rank of those, and whether something is odd about it. */
static long expect(const int which[NAMES], bool *odd)
{
    long rank = -1;
    *odd = false;
    for (int i = 0; i < NAMES; i++) {
        long found = values[which[i]].rank;
        *odd |= values[which[i]].odd || (rank == 0 && found > 0);
        rank = rank < 0 ? found : rank;
    }
    return rank < 0 ? 0 : rank;
}

START_TEST(the_first_variable_that_is_a_rank_counts_in_each_combination)
{
    struct swi_wandb_rank rank;
    int which[NAMES], count = 1;
    for (int i = 0; i < NAMES; i++)
        count *= VALUES;
    for (int number = 0; number < count; number++) {
        bool odd;
        variables_set(number, which);
        long expected = expect(which, &odd);
        swi_wandb_rank_find(&rank);
        ck_assert_msg(rank.rank == expected && (*rank.warning != '\0') == odd,
                      "combination %d: rank %ld, expected %ld; %s", number, rank.rank, expected,
                      rank.warning);
    }
}
END_TEST

/* Where torchrun is started on each node by srun, both count something, and nothing is wrong. */
START_TEST(only_who_takes_itself_for_the_first_is_warned_of_another_number)
{
    struct swi_wandb_rank rank;
    variables_set(0, (int[NAMES]){0});
    setenv("RANK", "5", 1);
    setenv("SLURM_PROCID", "1", 1);
    swi_wandb_rank_find(&rank);
    ck_assert_int_eq(rank.rank, 5);
    ck_assert_str_eq(rank.from, "RANK");
    ck_assert_str_eq(rank.warning, "");
    setenv("RANK", "0", 1);
    swi_wandb_rank_find(&rank);
    ck_assert_int_eq(rank.rank, 0);
    ck_assert_ptr_nonnull(strstr(rank.warning, "the first by RANK and number 1 by SLURM_PROCID"));
}
END_TEST

SUITE(wandb_rank)
{
    tcase_add_test(tc, the_first_variable_that_is_a_rank_counts_in_each_combination);
    tcase_add_test(tc, only_who_takes_itself_for_the_first_is_warned_of_another_number);
}
