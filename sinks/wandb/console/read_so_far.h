/* SPDX-License-Identifier: MIT */
/* read_so_far.h - RUN.wandb.console: how far the output of a program was read while it ran, so that
 * an upload after its death adds the lines that the run's file lacks.
 *
 * One line for each stream: "STREAM DEVICE INODE FROM AT RECORD PATH". STREAM is 1 or 2. If the
 * run's file has a record of the number RECORD, it has the output up to position AT, else up to
 * FROM. `stepwatch run` adds "exit STATUS" for a program that it saw die, and keeps the output in
 * RUN.wandb.console.1 and RUN.wandb.console.2. */
#ifndef SINKS_WANDB_CONSOLE_READ_SO_FAR_H
#define SINKS_WANDB_CONSOLE_READ_SO_FAR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct swi_read_so_far {
    int stream;             /* 1: standard output; 2: standard error */
    uint64_t device, inode; /* of the file that has the output */
    int64_t from, at, record;
    char path[PATH_MAX];
};

enum { SWI_READ_SO_FAR_STREAMS = 2 };

/* Replaces the file. Returns false if it cannot be written. */
bool swi_read_so_far_save(const char *log_path, const struct swi_read_so_far *stream, int count);

/* Reads the file. exit_status: set if the file has it. Returns the number of streams. */
int swi_read_so_far_load(const char *log_path,
                         struct swi_read_so_far stream[SWI_READ_SO_FAR_STREAMS], int *exit_status);

#endif
