/* SPDX-License-Identifier: MIT */
/* sinks.h - what the files of tests/config name: sinks within the program, with an option of each
 * type, and variables. */
#ifndef TESTS_CONFIG_SINKS_H
#define TESTS_CONFIG_SINKS_H

/* Registers the sinks `sample` and `needy` (which has a required option), once a process. */
void sample_sinks(void);

/* Sets the environment, and unsets what it must not have. */
void sample_environment(void);

#endif
