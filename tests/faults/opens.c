/* SPDX-License-Identifier: MIT */
/* opens.c - what it costs to open one configuration, in a process that does nothing else.
 *
 *     opens CONFIG.yaml
 *
 * Prints "opened" or "refused", the processor's microseconds that sw_open() took, and how many KiB
 * of memory the process had at the most; on standard error what was said. */
#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* getrusage() would count what the process was before exec. */
static int64_t most_kib(void)
{
    char line[256];
    int64_t kib = -1;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoll(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return kib;
}

int main(int argc, char **argv)
{
    struct sw_error err = {0}; /* with mode: off there is no profiler and no error */
    int64_t begin = processor_us();
    struct sw_profiler *sw = sw_open(argc > 1 ? argv[1] : NULL, &err);
    int64_t end = processor_us();
    if (err.code)
        sw_error_print(stderr, &err);
    printf("%s %" PRId64 " %" PRId64 "\n", err.code ? "refused" : "opened", end - begin,
           most_kib());
    sw_error_free(&err);
    return sw_close(sw, NULL) < 0;
}
