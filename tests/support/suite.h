/* SPDX-License-Identifier: MIT */
/* suite.h - a test file adds itself to tests/check: SUITE(csv) { tcase_add_test(tc, …); } */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>

/* is_long: takes half a minute or more, and is started before those that do not. */
void suite_add(const char *name, bool is_long, void (*fill)(TCase *tc));

/* Defines and registers a suite of one test case; the block that follows adds the tests to `tc`. */
#define SUITE(name) SUITE_OF_LENGTH(name, false)
#define LONG_SUITE(name) SUITE_OF_LENGTH(name, true)

#define SUITE_OF_LENGTH(name, is_long)                                                             \
    static void suite_fill_##name(TCase *tc);                                                      \
    __attribute__((constructor)) static void suite_register_##name(void)                           \
    {                                                                                              \
        suite_add(#name, is_long, suite_fill_##name);                                              \
    }                                                                                              \
    static void suite_fill_##name(TCase *tc)

#endif
