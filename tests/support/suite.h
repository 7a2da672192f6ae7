/* SPDX-License-Identifier: MIT */
/* suite.h - a test file adds itself to tests/check: SUITE(csv) { tcase_add_test(tc, …); } */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

void suite_add(const char *name, void (*fill)(TCase *tc));

/* Defines and registers a suite of one test case; the block that follows adds the tests to `tc`. */
#define SUITE(name)                                                                                \
    static void suite_fill_##name(TCase *tc);                                                      \
    __attribute__((constructor)) static void suite_register_##name(void)                           \
    {                                                                                              \
        suite_add(#name, suite_fill_##name);                                                       \
    }                                                                                              \
    static void suite_fill_##name(TCase *tc)

#endif
