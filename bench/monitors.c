/* SPDX-License-Identifier: MIT */
/* Measures what a sample of the monitors takes of a CPU: the time that their thread ran, divided by
 * the number of samples. The GPUs are those of the made-up library of the tests, so their figure is
 * that of the monitor alone; a real driver takes longer. */
#include "bench/bench.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 3, SAMPLES_A_SECOND = 10 };

static bool first_line(const char *thread, const char *name, char line[64])
{
    char path[128];
    snprintf(path, sizeof path, "/proc/self/task/%.32s/%s", thread, name);
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, 64, file);
    if (file)
        fclose(file);
    return read;
}

/* Returns for how long the thread of the monitors has run; -1 if the kernel does not say it. */
static int64_t ran_ns(void)
{
    char line[64];
    int64_t ns = -1;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *entry; threads && (entry = readdir(threads));)
        if (first_line(entry->d_name, "comm", line) && strcmp(line, "stepwatch-mon\n") == 0 &&
            first_line(entry->d_name, "schedstat", line))
            ns = strtoll(line, NULL, 10);
    if (threads)
        closedir(threads);
    return ns;
}

static void measure(const char *monitor, const char *name)
{
    char yaml[256];
    double ns[SECONDS];
    bool known = true;
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, signals: false }\n"
             "logger_callback: [ count_a ]\nmonitors: { interval: 100ms, what: [%s] }\n",
             monitor);
    struct sw_profiler *sw = bench_open(yaml);
    sleep(1); /* the first sample also searches for the files, so it is left out */
    for (int i = 0; i < SECONDS; i++) {
        int64_t before = ran_ns();
        sleep(1);
        int64_t after = ran_ns();
        ns[i] = (double)(after - before) / SAMPLES_A_SECOND;
        known = known && before >= 0 && after > before;
    }
    sw_close(sw, NULL);
    if (known)
        result_add(name, "ns", ns, SECONDS);
}

void monitors_measure(void)
{
    measure("system", "monitor_system_sample");
    if (!dlopen(FAKE_NVML_LIBRARY, RTLD_NOW | RTLD_GLOBAL))
        return;
    setenv("FAKE_NVML", FAKE_NVML_DEVICES, 1);
    measure("gpu", "monitor_gpu_sample");
}
