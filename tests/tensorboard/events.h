/* SPDX-License-Identifier: MIT */
/* events.h - a scratch folder, and what event files in it hold. */
#ifndef TESTS_EVENTS_H
#define TESTS_EVENTS_H

#include "tests/tensorboard/tb_messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BASE 1700000000.0

/* The folder of this test, made at the first call; borrowed. */
const char *scratch(void);
/* PATH in it; borrowed until the eighth call after it. */
const char *in_scratch(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Removes it with everything in it, but not where STEPWATCH_TEST_KEEP is set: for other readers. */
void scratch_remove(void);

/* Whole content of a file; the caller's to free(). Fails the test where it cannot be read. */
uint8_t *file_bytes(const char *path, size_t *size);

/* The decoded records of an event file. Every length, checksum and message must be right; a record
 * that is cut off at the end is left out, and said. */
struct events {
    size_t count;
    struct swi_tb_event_message **event;
    bool torn;
};
struct events *events_read(const char *path);
void events_free(struct events *events);

/* Of a folder with exactly one event file. */
struct events *events_of_run(const char *dir);
/* Paths of the event files in dir and below, by name; borrowed until the next call. */
char **event_files(const char *dir, size_t *count);

/* The n-th value of a tag, from 0, or NULL; event: set to its event, unless NULL. */
const struct swi_tb_value_message *value_of(const struct events *events, const char *tag, size_t n,
                                            const struct swi_tb_event_message **event);
size_t values_of(const struct events *events, const char *tag);

#endif
