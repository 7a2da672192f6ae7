/* SPDX-License-Identifier: MIT */
/* rates.h - rates of numbers that only grow, from one sample to the next. */
#ifndef MONITORS_COMMON_RATES_H
#define MONITORS_COMMON_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_rate_reading;

/* The newest reading of each number. Zeroed is empty. */
struct swi_rate_readings {
    size_t count, room;
    struct swi_rate_reading *item;
};

/* The kernel counts much at its ticks, which can be 10 ms apart, and the last sample of a run can
 * come right behind another. Over a shorter time than this, a rate would be wrong. */
#define SWI_RATE_SHORTEST_NS INT64_C(50000000)

/* Keeps a reading of a number at a time. Returns whether there is a rate since the one before it:
 * not at the first, not after too short a time, and not if the number has fallen, since its source
 * was set back. */
bool swi_rate(struct swi_rate_readings *rates, const char *key, uint64_t number, int64_t time_ns,
              double *per_s);
/* The same with the difference and its seconds. */
bool swi_rate_parts(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    int64_t time_ns, double *difference, double *seconds);

/* Gets what was added to a number since its first reading, which is the only one that is kept.
 * False if the number has fallen. */
bool swi_rate_since(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    double *since);

void swi_rate_readings_free(struct swi_rate_readings *rates);

#endif
