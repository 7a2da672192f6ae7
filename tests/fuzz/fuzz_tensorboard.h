/* SPDX-License-Identifier: MIT */
/* fuzz_tensorboard.h - one input for the writer of event files; aborts where its file is not right.
 */
#ifndef FUZZ_TENSORBOARD_H
#define FUZZ_TENSORBOARD_H

#include <stddef.h>
#include <stdint.h>

void fuzz_tensorboard(const uint8_t *data, size_t size);

#endif
