/* SPDX-License-Identifier: MIT */
/* allocations.h - what counting memory costs. */
#ifndef BENCH_ALLOCATIONS_H
#define BENCH_ALLOCATIONS_H

/* The argument with which the program starts itself. */
#define ALLOCATIONS_CHILD "allocations-child"

/* Prints nanoseconds for a malloc() and its free(): one at a time, and 512 at a time. */
void allocations_child(void);

/* Adds the cases. */
void allocations_run(void);

#endif
