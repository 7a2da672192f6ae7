/* SPDX-License-Identifier: MIT */
/* data.c - reads the handwritten digits from a gzipped CSV file. */
#include "data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    INK = 16,         /* the darkest pixel in the file */
    ROW_BYTES = 1024, /* 65 numbers of two digits take 200 bytes */
    VALID_EACH = 5    /* every fifth row is for validation */
};

/* Reads one number 0..max and the character after it; moves *text past both. */
static bool parse_number(const char **text, long max, int *number)
{
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text || value < 0 || value > max || !strchr(",\r\n", *end))
        return false;
    *number = (int)value;
    *text = *end ? end + 1 : end;
    return true;
}

static bool parse_digit(const char *line, struct digit *digit)
{
    int ink;
    for (int i = 0; i < PIXELS; i++) {
        if (!parse_number(&line, INK, &ink))
            return false;
        digit->pixel[i] = (float)ink / INK;
    }
    return parse_number(&line, CLASSES - 1, &digit->label);
}

/* Doubles the capacity whenever the count is a power of two. */
static bool append(struct data *data, const struct digit *digit)
{
    if ((data->count & (data->count - 1)) == 0) {
        size_t room = data->count ? 2 * (size_t)data->count : 1;
        struct digit *grown = realloc(data->digit, room * sizeof *grown);
        if (!grown)
            return false;
        data->digit = grown;
    }
    data->digit[data->count++] = *digit;
    return true;
}

static bool read_rows(gzFile file, const char *path, struct data *train, struct data *valid)
{
    char line[ROW_BYTES];
    struct digit digit;
    int row = 0;

    for (; gzgets(file, line, sizeof line); row++) {
        if (!parse_digit(line, &digit)) {
            fprintf(stderr, "digits: %s:%d: expected 64 numbers 0..16 and a label 0..9\n", path,
                    row + 1);
            return false;
        }
        if (!append(row % VALID_EACH == 0 ? valid : train, &digit)) {
            fprintf(stderr, "digits: not enough memory for the pictures of %s\n", path);
            return false;
        }
    }
    int code;
    const char *problem = gzerror(file, &code);
    if (code != Z_OK && code != Z_STREAM_END) {
        fprintf(stderr, "digits: %s:%d: %s\n", path, row + 1, problem);
        return false;
    }
    if (train->count == 0)
        fprintf(stderr, "digits: %s: expected at least two rows, found %d\n", path, row);
    return train->count > 0;
}

bool data_read(const char *path, struct data *train, struct data *valid)
{
    *train = *valid = (struct data){0};
    gzFile file = gzopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bool fine = read_rows(file, path, train, valid);
    gzclose(file);
    if (!fine) {
        data_free(train);
        data_free(valid);
    }
    return fine;
}

void data_free(struct data *data)
{
    free(data->digit);
    *data = (struct data){0};
}

const char *beside_program(const char *name, char *buffer, size_t size)
{
    char program[PATH_MAX] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        perror("/proc/self/exe");
    char *slash = strrchr(program, '/');
    snprintf(buffer, size, "%.*s%s", slash ? (int)(slash + 1 - program) : 0, program, name);
    return buffer;
}
