/* SPDX-License-Identifier: MIT */
/* fuzz.h - one input each for what reads text from elsewhere. They abort where what has to hold
 * does not. For libFuzzer (make fuzz-NAME), and with the seeds of tests/fuzz suites of tests/check.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef int64_t fuzz_target(const uint8_t *data, size_t size);

/* A configuration. Returns the number of mistakes, negative where it could not be read at all. */
fuzz_target fuzz_config;

/* A run log. Returns how many lines were played; those that were refused were left out. */
fuzz_target fuzz_runlog;

/* A .wandb file. Returns how many records were read. */
fuzz_target fuzz_wandb;

/* A server's answer. Returns 1 where it is JSON, else 0. */
fuzz_target fuzz_answers;

/* What is in the memory for events. Returns how many were folded. */
fuzz_target fuzz_events;

/* What a program writes into an event file. Returns how many records that has. */
fuzz_target fuzz_tensorboard;

/* The head of an image file. Returns 1 where its format and size are known, else 0. */
fuzz_target fuzz_images;

/* What a client of the page of Prometheus sends. Returns 1 where it gets the metrics, else 0. */
fuzz_target fuzz_requests;

static inline void require(bool fine)
{
    if (!fine)
        abort();
}

#endif
