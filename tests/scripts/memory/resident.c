/* SPDX-License-Identifier: MIT */
/* resident CONFIG - compares the memory of the process in a report with what the kernel says at the
 * same time. 64 MB were used and given back before. */
#include <stepwatch/report.h>
#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ONCE_USED = 64 << 20, TRIES = 20 };

/* Returns what the kernel says, in bytes. */
static int64_t status(const char *name)
{
    char line[256];
    long long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kb = atoll(line + strlen(name));
    if (file)
        fclose(file);
    return 1024 * kb;
}

static void use_and_give_back(void)
{
    void *pages = mmap(NULL, ONCE_USED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    memset(pages, 1, ONCE_USED);
    munmap(pages, ONCE_USED);
}

/* Returns whether nothing changed meanwhile, so that the report must be exact. */
static bool compare(struct sw_profiler *sw)
{
    struct sw_report *report;
    int64_t now = status("VmRSS:"), peak = status("VmHWM:");
    if (sw_report_new(sw, &report, NULL) < 0)
        abort();
    struct sw_accounting a = report->accounting;
    sw_report_free(report);
    if (status("VmRSS:") != now || status("VmHWM:") != peak)
        return false;
    if (a.rss_bytes != now || a.peak_rss_bytes != peak || peak - now < ONCE_USED / 2) {
        printf("%" PRId64 " of %" PRId64 ", expected %" PRId64 " of %" PRId64 "\n", a.rss_bytes,
               a.peak_rss_bytes, now, peak);
        exit(EXIT_FAILURE);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct sw_error err;
    bool compared = false;
    struct sw_profiler *sw = sw_open(argc > 1 ? argv[1] : NULL, &err);
    if (!sw)
        return EXIT_FAILURE;
    use_and_give_back();
    sw_begin(sw, SW_FIT);
    for (int i = 0; !compared && i < TRIES; i++) {
        compared = compare(sw);
        usleep(1000);
    }
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) == 0 && compared ? EXIT_SUCCESS : EXIT_FAILURE;
}
