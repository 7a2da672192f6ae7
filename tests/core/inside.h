/* SPDX-License-Identifier: MIT */
/* inside.h - parts of the program tests/core/inside, which returns what they return. */
#ifndef TESTS_CORE_INSIDE_H
#define TESTS_CORE_INSIDE_H

int random_threads(void);

#endif
