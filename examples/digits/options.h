/* SPDX-License-Identifier: MIT */
/* options.h - the command line. */
#ifndef DIGITS_OPTIONS_H
#define DIGITS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
    int epochs;
    int batch_size;
    double lr; /* learning rate */
    uint64_t seed;
    bool help; /* --help was given and the help is printed */
};

/* Fills options from the command line. On a mistake, prints what is expected to stderr and returns
 * false. */
bool options_read(struct options *options, int argc, char **argv);

#endif
