/* SPDX-License-Identifier: MIT */
/* line_reader.h - reads the lines of one file after another into one buffer. */
#ifndef TOOLS_MERGE_LINE_READER_H
#define TOOLS_MERGE_LINE_READER_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Initialise it as {.fd = -1}. */
struct line_reader {
    int fd;
    const char *path;
    char *buffer;
    size_t room, begin, end;
    off_t size;  /* of the file when it was opened */
    long number; /* of the last line read */
};

/* Opens a file. It must be a regular file, because logs are read more than once. Returns 0 or
 * SW_EIO. */
int line_reader_open(struct line_reader *reader, const char *path, struct sw_error *err);

/* Continues with the first line that begins in the last `size` bytes. */
void line_reader_tail(struct line_reader *reader, off_t size);

/* Gets the next line without its newline, terminated by a NUL. The caller may change it. whole: set
 * to whether it had a newline. Returns 1, 0 at the end, SW_EIO or SW_ENOMEM. */
int line_reader_next(struct line_reader *reader, char **line, bool *whole, struct sw_error *err);
void line_reader_close(struct line_reader *reader);
void line_reader_free(struct line_reader *reader);

#endif
