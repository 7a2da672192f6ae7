/* SPDX-License-Identifier: MIT */
/* Runs of up to 65,536 ranks are simulated. A step is draw, forward,
 * backward, then a collective that ends for all when the last rank has come, then the optimizer.
 * The sentence must say what was put in, and nothing else. Times are nanoseconds. */
#include "core/stragglers/straggler.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAW, FORWARD, BACKWARD, ALLREDUCE, OPT_STEP, ACTIONS };
static const char *const names[ACTIONS] = {"draw", "forward", "backward", "allreduce", "opt_step"};
static const double usual[ACTIONS] = {4e6, 24e6, 48e6, 8e6, 4e6};
enum { STEPS = 40, PER_HOST = 8 };

struct run {
    size_t ranks;
    char (*host_text)[24];
    struct swi_rank_place *place;
    float *value[ACTIONS];
    uint64_t random;
    char sentence[512];
};

/* Returns a number from 0 to 1: xorshift, the same on each machine. */
static double chance(struct run *run)
{
    run->random ^= run->random << 13;
    run->random ^= run->random >> 7;
    run->random ^= run->random << 17;
    return (double)(run->random >> 11) * 0x1p-53;
}

/* About normal, with a standard deviation of 1. */
static double noise(struct run *run)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += chance(run);
    return (sum - 3) * sqrt(2);
}

/* Each rank is 0.3 % faster or slower than others, and each action varies by 1 %. */
static void run_begin(struct run *run, size_t ranks)
{
    *run = (struct run){.ranks = ranks, .random = 88172645463325252u};
    run->host_text = malloc(ranks * sizeof *run->host_text);
    run->place = malloc(ranks * sizeof *run->place);
    for (size_t r = 0; r < ranks; r++) {
        snprintf(run->host_text[r], sizeof *run->host_text, "n%04zu", r / PER_HOST);
        run->place[r] = (struct swi_rank_place){(int64_t)r, run->host_text[r]};
    }
    for (int a = 0; a < ACTIONS; a++) {
        run->value[a] = malloc(ranks * STEPS * sizeof *run->value[a]);
        for (size_t r = 0; r < ranks; r++) {
            double own = 1 + 0.003 * noise(run);
            for (size_t s = 0; s < STEPS; s++)
                run->value[a][r * STEPS + s] = (float)(usual[a] * own * (1 + 0.01 * noise(run)));
        }
    }
}

/* Makes backward take so much longer, as a part of its usual time. */
static void slow_down(struct run *run, size_t rank, size_t step, double part)
{
    run->value[BACKWARD][rank * STEPS + step] += part * usual[BACKWARD];
}

/* All ranks leave the collective at once. Sets the sentence. */
static const char *run_end(struct run *run)
{
    struct swi_straggler found;
    struct swi_text text = {0};
    for (size_t s = 0; s < STEPS; s++) {
        double last = 0;
        for (size_t r = 0; r < run->ranks; r++) {
            size_t i = r * STEPS + s;
            double work = run->value[DRAW][i] + run->value[FORWARD][i] + run->value[BACKWARD][i];
            run->value[ALLREDUCE][i] = -work;
            last = work > last ? work : last;
        }
        for (size_t r = 0; r < run->ranks; r++)
            run->value[ALLREDUCE][r * STEPS + s] += last + usual[ALLREDUCE] + 2e4 * chance(run);
    }
    struct swi_rank_action action[ACTIONS];
    for (int a = 0; a < ACTIONS; a++)
        action[a] = (struct swi_rank_action){
            .name = names[a], .waits = a == ALLREDUCE, .value = run->value[a]};
    const struct swi_rank_durations data = {.ranks = run->ranks,
                                            .steps = STEPS,
                                            .actions = ACTIONS,
                                            .action = action,
                                            .place = run->place};
    ck_assert(swi_straggler_find(&found, &data));
    swi_straggler_sentence(&text, &found, (int64_t)found.rank, run->place[found.rank].host, 1);
    snprintf(run->sentence, sizeof run->sentence, "%s", text.data);
    swi_text_free(&text);
    for (int a = 0; a < ACTIONS; a++)
        free(run->value[a]);
    free(run->place);
    free(run->host_text);
    return run->sentence;
}

/* Some rank, another one each time. */
static size_t any(struct run *run)
{
    return (size_t)(chance(run) * (double)run->ranks);
}

static void all_ranks_are_equal(struct run *run)
{
    (void)run;
}

static void one_rank_is_slow(struct run *run)
{
    for (size_t s = 0; s < STEPS; s++)
        slow_down(run, 37, s, 0.3);
}

static void some_ranks_are_delayed_in_each_step(struct run *run)
{
    for (size_t s = 0; s < STEPS; s++)
        for (int i = 0; i < 3; i++)
            slow_down(run, any(run), s, 0.6 + chance(run));
}

static void one_rank_is_slow_and_others_are_delayed(struct run *run)
{
    some_ranks_are_delayed_in_each_step(run);
    for (size_t s = 0; s < STEPS; s++)
        slow_down(run, 37, s, 0.2);
}

static void a_node_is_slow(struct run *run)
{
    for (size_t i = 0; i < PER_HOST * STEPS; i++)
        slow_down(run, 16 + i / STEPS, i % STEPS, 0.3);
}

static void a_rack_is_slow(struct run *run)
{
    size_t ranks = run->ranks / 8;
    for (size_t i = 0; i < ranks * STEPS; i++)
        slow_down(run, run->ranks / 4 + i / STEPS, i % STEPS, 0.3);
}

static void the_same_place_of_each_node_is_slow(struct run *run)
{
    for (size_t r = 3; r < run->ranks; r += PER_HOST)
        for (size_t s = 0; s < STEPS; s++)
            slow_down(run, r, s, 0.3);
}

static void two_ranks_are_equally_slow(struct run *run)
{
    for (size_t s = 0; s < STEPS; s++) {
        slow_down(run, 5, s, 0.3);
        slow_down(run, 44, s, 0.3);
    }
}

static void some_rank_is_delayed_every_tenth_step(struct run *run)
{
    for (size_t s = 7; s < STEPS; s += 10)
        slow_down(run, any(run), s, 1);
}

static void rank_0_is_delayed_every_fifth_step(struct run *run)
{
    for (size_t s = 2; s < STEPS; s += 5)
        slow_down(run, 0, s, 1);
}

/* `is`: what the sentence says, in this order. `no`: what would be false. */
static const struct {
    void (*put_in)(struct run *run);
    const char *is[4], *no;
    bool at_scale; /* tried with 65,536 ranks, too */
} cases[] = {
    {all_ranks_are_equal, {"no rank keeps the others waiting"}, "%", false},
    {one_rank_is_slow,
     {"rank 37 (node n0004): backward takes 14.", " ms more a step than the median",
      "; everybody waits for it in allreduce; without it: +1"},
     "lost",
     false},
    {one_rank_is_slow_and_others_are_delayed,
     {"rank 37 (node n0004): backward takes ", ", but it is the last in only ", "; without it: +0.",
      " % of the time is lost to rare delays, which made "},
     "everybody waits",
     true},
    {some_ranks_are_delayed_in_each_step,
     {"in each step another rank is the last: no single rank is slow; ",
      " % of the time is lost to delays in 40 of 40 steps: ",
      " ranks are late by far, each in at "},
     "waits",
     false},
    {a_node_is_slow,
     {"all ranks of node n0002: backward takes 14.", "; everybody waits for it in allreduce"},
     "lost",
     false},
    {a_rack_is_slow,
     {"all ranks of ", "n", ": backward takes 14.", "; everybody waits for "},
     "another rank",
     false},
    {the_same_place_of_each_node_is_slow,
     {"every 8th rank from 3 to ", ": backward takes 14.",
      "; everybody waits for them in allreduce; without them: +15."},
     "another rank",
     true},
    {two_ranks_are_equally_slow,
     {"ranks 5 and 44: backward takes 14.", "; everybody waits for them in allreduce"},
     "another rank",
     false},
    {some_rank_is_delayed_every_tenth_step,
     {" % of the time is lost to delays in 4 of 40 steps, every 10th step: ",
      " ranks are late by far, each in at most ", " of them; no single rank is slow"},
     "small differences",
     true},
    {rank_0_is_delayed_every_fifth_step,
     {"rank 0 (node n0000): backward takes 4",
      " in 8 steps, from step 2 to 37, every 5th step; everybody waits for it in allreduce"},
     "lost",
     false},
};

static const size_t sizes[] = {64, 1024, 65536};
enum { CASES = sizeof cases / sizeof *cases, SIZES = sizeof sizes / sizeof *sizes };

START_TEST(the_sentence_says_what_was_put_in)
{
    struct run run;
    int one = _i % CASES;
    if (sizes[_i / CASES] > 1024 && !cases[one].at_scale)
        return;
    run_begin(&run, sizes[_i / CASES]);
    cases[one].put_in(&run);
    const char *sentence = run_end(&run), *at = sentence;
    for (size_t i = 0; i < 4 && cases[one].is[i]; i++) {
        at = strstr(at, cases[one].is[i]);
        ck_assert_msg(at, "%zu ranks: expected \"%s\" in: %s", sizes[_i / CASES], cases[one].is[i],
                      sentence);
    }
    ck_assert_msg(!strstr(sentence, cases[one].no), "%zu ranks: did not expect \"%s\" in: %s",
                  sizes[_i / CASES], cases[one].no, sentence);
}
END_TEST

SUITE(stragglers)
{
    tcase_add_loop_test(tc, the_sentence_says_what_was_put_in, 0, SIZES * CASES);
}
