/* SPDX-License-Identifier: MIT */
/* fuzz_answers.h - one answer of a server for what reads them; aborts where that says what is not
 * so. */
#ifndef FUZZ_ANSWERS_H
#define FUZZ_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether it was JSON. */
bool fuzz_answers(const uint8_t *data, size_t size);

#endif
