/* SPDX-License-Identifier: MIT */
/* command.h - runs the command as a user does, in the scratch folder, and looks at what it says. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include <stddef.h>

/* Runs "stepwatch ARGUMENTS" by the shell and returns its exit status. */
int stepwatch(const char *arguments);

/* What the last one printed, both streams. */
const char *command_output(void);

/* The test fails where the last one did not print this, or did. */
void assert_printed(const char *text);
void assert_not_printed(const char *text);

/* Makes run.jsonl of twenty steps, with a value and a hyper-parameter. */
void run_record(const char *detail);

/* Everything of run.jsonl but its last bytes, into another file. */
void run_cut(const char *path, size_t bytes);

void file_write(const char *path, const char *text);

#endif
