/* SPDX-License-Identifier: MIT */
/* random.h - pseudo-random numbers that are the same on every machine for the same seed. */
#ifndef DIGITS_RANDOM_H
#define DIGITS_RANDOM_H

#include <math.h>
#include <stdint.h>

/* The state of a SplitMix64 generator. Any seed is good. */
struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a uniform number from 0 to n - 1. For a small n, the remainder has a negligible bias. */
static inline int random_below(struct random *random, int n)
{
    return (int)(random_bits(random) % (uint64_t)n);
}

/* Returns a uniform number between low and high. */
static inline float random_between(struct random *random, float low, float high)
{
    float unit = (float)(random_bits(random) >> 40) / 16777216.0f;
    return low + (high - low) * unit;
}

/* Returns a normally distributed number of mean 0 and deviation 1 (Box-Muller transform). */
static inline float random_normal(struct random *random)
{
    float radius = sqrtf(-2.0f * logf(random_between(random, 1e-7f, 1.0f)));
    return radius * cosf(6.2831853f * random_between(random, 0.0f, 1.0f));
}

#endif
