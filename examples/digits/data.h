/* SPDX-License-Identifier: MIT */
/* data.h - the handwritten digits, and where the program's files are. */
#ifndef DIGITS_DATA_H
#define DIGITS_DATA_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SIDE = 8,             /* pixels in a row of a picture, and rows */
    PIXELS = SIDE * SIDE, /* inputs of the network */
    CLASSES = 10          /* outputs: one for each digit */
};

/* One picture, row by row: 0 is paper and 1 is ink. */
struct digit {
    float pixel[PIXELS];
    int label;
};

/* An array of pictures; empty when zero-initialised. Free it with data_free(). */
struct data {
    int count;
    struct digit *digit;
};

/* Reads a gzipped CSV file of 64 pixels 0..16 and a label in each row, and puts every fifth row
 * into valid, the others into train. On failure, prints the reason to stderr and returns false. */
bool data_read(const char *path, struct data *train, struct data *valid);

void data_free(struct data *data);

/* Writes the path of a file in the running program's folder to buffer. Returns buffer. */
const char *beside_program(const char *name, char *buffer, size_t size);

#endif
