/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/seeds.h"

#include <check.h>
#include <stdio.h>

uint64_t seed_chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

size_t seed_read(uint8_t *data, const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(data, 1, SEED_ROOM, file);
    fclose(file);
    ck_assert_uint_lt(size, SEED_ROOM);
    return size;
}

static void found_add(struct seed_found *found, int64_t result)
{
    found->inputs++;
    found->least = result < found->least ? result : found->least;
    found->most = result > found->most ? result : found->most;
}

struct seed_found seed_change(uint8_t *data, size_t size, int times, fuzz_target *target)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    struct seed_found found = {.least = INT64_MAX, .most = INT64_MIN};
    for (int i = 0; size && i < times; i++) {
        uint8_t *at = &data[seed_chance(&state) % size], before = *at;
        *at = (uint8_t)seed_chance(&state);
        found_add(&found, target(data, size));
        if (i % 8 != 7)
            *at = before;
    }
    return found;
}
