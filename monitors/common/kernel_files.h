/* SPDX-License-Identifier: MIT */
/* kernel_files.h - reads the files by which the kernel says what the machine does. */
#ifndef MONITORS_COMMON_KERNEL_FILES_H
#define MONITORS_COMMON_KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the files are, and in what units some of them count. */
struct swi_machine {
    const char *root; /* "" is this machine; else a folder with its proc and sys */
    int64_t ticks_per_s;
    int64_t page_size;
};

/* This machine's units. root: may be NULL, for "". */
struct swi_machine swi_machine_here(const char *root);

/* The time of a reading that was just made: CLOCK_MONOTONIC. A sample can be interrupted long after
 * it began. Files that stay as they are below a root have the time at which it began. */
int64_t swi_machine_now(const struct swi_machine *machine, int64_t began_ns);

enum { SWI_MACHINE_PATH = 512, SWI_MACHINE_TEXT = 16384 };

/* Like snprintf(), for paths and names of parts that the kernel keeps short. The compiler knows
 * only the sizes of the arrays that these are in, and would expect them to be as long. */
__attribute__((format(printf, 3, 4))) void swi_machine_format(char *text, size_t size,
                                                              const char *format, ...);

/* Reads a file below the root, at most size - 1 bytes. False if it cannot be read or is empty. */
bool swi_machine_read(const struct swi_machine *machine, const char *path, char *text, size_t size);
/* The same of a file of any length; the caller's to free(). NULL where that returns
 * false, or if out of memory. */
char *swi_machine_text(const struct swi_machine *machine, const char *path);

/* The number that is all of a file. */
bool swi_machine_number(const struct swi_machine *machine, const char *path, int64_t *number);

/* The first line of a file. */
bool swi_machine_line(const struct swi_machine *machine, const char *path, char *line, size_t size);

bool swi_machine_has(const struct swi_machine *machine, const char *path);

/* The names in a folder that begin with prefix and end with suffix, in natural order: hwmon2 before
 * hwmon10. Returns how many; at most `most`. */
enum { SWI_MACHINE_NAME = 64 };
size_t swi_machine_list(const struct swi_machine *machine, const char *folder, const char *prefix,
                        const char *suffix, char (*names)[SWI_MACHINE_NAME], size_t most);

/* ---- numbers in a text ---- */

/* Reads a number without a sign at *at, after blanks, and moves *at behind it. */
bool swi_text_count(const char **at, uint64_t *number);
/* A number with or without a decimal point; whatever the locale. */
bool swi_text_decimal(const char **at, double *number);
/* The number of a line "FIELD NUMBER"; field with its colon or blank. */
bool swi_text_field(const char *text, const char *field, uint64_t *number);
/* The start of the next line; NULL behind the last. */
const char *swi_text_next_line(const char *line);

/* ---- rates of numbers that only grow, from one sample to the next ---------------------------- */

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
