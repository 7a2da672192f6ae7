/* SPDX-License-Identifier: MIT */
/* seeds.h - the fuzzer's seeds as tests: as they are, and with bytes changed by chance, the same in
 * every run. */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include "tests/fuzz/fuzz.h"

enum { SEED_ROOM = 65536 };

/* Xorshift: the next of a row of numbers, whatever but 0 the state began with. */
uint64_t seed_chance(uint64_t *state);

/* Reads a file into a buffer of SEED_ROOM bytes; the test fails where it is not there or does not
 * fit. */
size_t seed_read(uint8_t *data, const char *path);

/* What a target returned for the changed inputs. */
struct seed_found {
    int inputs;
    int64_t least;
    int64_t most;
};

/* Gives the input to a target so many times, each time with one byte more changed. Every eighth
 * change is kept, the others are taken back. An empty input stays as it is and is given to nobody.
 */
struct seed_found seed_change(uint8_t *data, size_t size, int times, fuzz_target *target);

#endif
