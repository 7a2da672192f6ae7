/* SPDX-License-Identifier: MIT */
/* golden.h - the expected results in tests/golden. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <jansson.h>

/* Returns the JSON file with this path below tests/golden, printf-like. The test fails if it cannot
 * be read. */
__attribute__((format(printf, 1, 2))) json_t *golden_json(const char *path, ...);

#endif
