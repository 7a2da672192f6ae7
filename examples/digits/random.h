/* SPDX-License-Identifier: MIT */
/* random.h - pseudo-random numbers that are the same on every machine for the same seed. */
#ifndef DIGITS_RANDOM_H
#define DIGITS_RANDOM_H

#include <math.h>
#include <stdint.h>

/* The whole state of a generator: SplitMix64, which takes any seed. */
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

/* Evenly from 0 to n - 1; the bias of the remainder is beyond notice for a small n. */
static inline int random_below(struct random *random, int n)
{
    return (int)(random_bits(random) % (uint64_t)n);
}

/* Evenly from low to high. */
static inline float random_between(struct random *random, float low, float high)
{
    float unit = (float)(random_bits(random) >> 40) / 16777216.0f;
    return low + (high - low) * unit;
}

/* From the normal distribution of mean 0 and deviation 1: Box and Muller's transform. */
static inline float random_normal(struct random *random)
{
    float radius = sqrtf(-2.0f * logf(random_between(random, 1e-7f, 1.0f)));
    return radius * cosf(6.2831853f * random_between(random, 0.0f, 1.0f));
}

#endif
