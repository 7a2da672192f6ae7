/* SPDX-License-Identifier: MIT */
/* followed_file.h - reads what a program appends to the file behind its standard output or error.
 * The program's descriptors are never changed: the file is opened a second time, for reading. */
#ifndef SINKS_WANDB_CONSOLE_FOLLOWED_FILE_H
#define SINKS_WANDB_CONSOLE_FOLLOWED_FILE_H

#include "core/files/identity.h"
#include "core/text/buffer.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* A longer line becomes several. */
enum { SWI_CONSOLE_LINE_MAX = 64 << 10 };

/* Initialise it as {0}. */
struct swi_console_lines {
    struct swi_text rest; /* a line that has no end yet, as it was printed */
    bool returned;        /* after a carriage return: the next character replaces the line */
    bool skipping;        /* everything up to the next line feed is left out */
};

/* Initialise it as {0}. */
struct swi_followed_file {
    bool followed; /* false: the rest is empty */
    int fd;
    int descriptor; /* the program's: 1 or 2; -1: a file that `stepwatch run` writes */
    struct swi_identity identity;
    off_t at; /* everything before it was read */
    struct swi_console_lines lines;
};

/* Returns whether the descriptor is a regular file, and fills status. */
bool swi_followed_file_is(int descriptor, struct stat *status);

/* Follows the file behind a descriptor from where the program writes next. Returns SW_EIO if it may
 * not be read. */
int swi_followed_file_begin(struct swi_followed_file *file, int descriptor, struct sw_error *err);

/* Follows a file from its start, or from its end. Returns 1, or 0 if the file is missing. */
int swi_followed_file_begin_path(struct swi_followed_file *file, const char *path, bool at_end);

/* Looks whether the program has truncated the file or opened another one. Adds the unfinished line
 * of the old content to `lines`. Returns how many bytes wait to be read. */
int64_t swi_followed_file_look(struct swi_followed_file *file, struct swi_text *lines);

/* Leaves out bytes, and the rest of the line in which they end. */
void swi_followed_file_skip(struct swi_followed_file *file, int64_t bytes, struct swi_text *lines);

/* Reads up to `most` bytes and adds the complete lines. Returns how many were read. */
int64_t swi_followed_file_read(struct swi_followed_file *file, int64_t most,
                               struct swi_text *lines);

void swi_followed_file_close(struct swi_followed_file *file);

/* Takes bytes. Adds each complete line to `lines`, with a line feed. Of a line, only what follows
 * its last carriage return is kept, as on a terminal. Bytes that are not UTF-8 become \xNN, and NUL
 * bytes are left out. Escape sequences, such as those of colours, are kept. */
void swi_console_lines_add(struct swi_console_lines *console, const char *bytes, size_t size,
                           struct swi_text *lines);

/* Adds the line that has no end yet, if there is one. */
void swi_console_lines_end(struct swi_console_lines *console, struct swi_text *lines);

void swi_console_lines_free(struct swi_console_lines *console);

#endif
