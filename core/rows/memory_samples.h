/* SPDX-License-Identifier: MIT */
/* memory_samples.h - the memory that a program and its GPUs use, as monitors sample it during a
 * fit, for the findings. Memory is limited: if there are more values, each point is the mean of
 * twice as many as before. */
#ifndef CORE_ROWS_MEMORY_SAMPLES_H
#define CORE_ROWS_MEMORY_SAMPLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Further GPUs are ignored. */
enum { SWI_MEMORY_SERIES = 17, SWI_MEMORY_POINTS = 512 };

struct swi_memory_point {
    double t_ns, bytes;
};

struct swi_memory_series {
    char name[48]; /* process/rss_bytes, gpu/0/memory_used_bytes */
    size_t count;
    int64_t each;    /* values of a point */
    int64_t in_last; /* values of the last point so far */
    struct swi_memory_point *point;
};

struct swi_memory_use {
    pthread_mutex_t lock;
    int fit; /* the fit that the values belong to */
    size_t count;
    struct swi_memory_series series[SWI_MEMORY_SERIES];
};

void swi_memory_use_init(struct swi_memory_use *use);
void swi_memory_use_fini(struct swi_memory_use *use);

/* Returns whether it is the name of a value in use's series. */
bool swi_memory_is_name(const char *name);

/* Adds a value of a fit. Drops values of another fit. May be called on any thread, and never waits
 * long. */
void swi_memory_use_add(struct swi_memory_use *use, int fit, const char *name, double t_ns,
                        double bytes);

#endif
