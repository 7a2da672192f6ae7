/* SPDX-License-Identifier: MIT */
/* driver.c - hands libFuzzer's inputs to FUZZ_TARGET, and says at the end what the slowest took:
 * libFuzzer itself counts in whole seconds, and the time that others have the processor too. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <time.h>

static int64_t slowest_us;

static int64_t processor_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void slowest_say(void)
{
    fprintf(stderr, "slowest input: %.1f ms of processor time\n", (double)slowest_us / 1e3);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return atexit(slowest_say);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t start = processor_us();
    FUZZ_TARGET(data, size);
    int64_t took = processor_us() - start;
    slowest_us = took > slowest_us ? took : slowest_us;
    return 0;
}
