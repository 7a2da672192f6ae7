/* SPDX-License-Identifier: MIT */
/* rank_options.h - the options of the command line. */
#ifndef RANKS_RANK_OPTIONS_H
#define RANKS_RANK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct rank_options {
    int epochs;
    int batch_size; /* of each rank */
    float lr;
    uint64_t seed;
    double pace_ms;
    int slow_rank;  /* -1: none */
    double slow_by; /* 0.2: 20 % */
    bool help;
};

/* Reads the options. On a mistake, prints it to stderr on rank 0 and returns false. */
bool rank_options_read(struct rank_options *options, int argc, char **argv, int rank);

#endif
