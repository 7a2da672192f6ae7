/* SPDX-License-Identifier: MIT */
/* both OTHER END - measures with the library that it is linked to and with another build of it, and
 * ends by a signal: term, segv or abort. */
#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nowhere;

struct library {
    struct sw_profiler *(*open_text)(const char *yaml, struct sw_error *err);
    void (*begin)(struct sw_profiler *sw, int action);
    void (*end_batch)(struct sw_profiler *sw, int64_t samples);
};

static void get(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    if (!found)
        exit(97);
    memcpy(function, &found, sizeof found);
}

static struct library other(const char *path)
{
    struct library library;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(98);
    }
    get(handle, "sw_open_text", &library.open_text);
    get(handle, "sw_begin", &library.begin);
    get(handle, "sw_end_batch", &library.end_batch);
    return library;
}

static void measure(const struct library *library, const char *yaml, int steps)
{
    struct sw_profiler *sw = library->open_text(yaml, NULL);
    if (!sw)
        exit(99);
    for (int i = 0; i < steps; i++) {
        library->begin(sw, SW_BATCH);
        library->end_batch(sw, 1);
    }
}

int main(int argc, char **argv)
{
    const struct library linked = {sw_open_text, (sw_begin), sw_end_batch}, second = other(argv[1]);
    const char *end = argv[argc - 1];
    measure(&linked,
            "{profiler: {mode: simple, show_report: false}, logger_callback: [runlog: {path: "
            "linked.jsonl}]}",
            3);
    measure(&second,
            "{profiler: {mode: simple, show_report: false}, logger_callback: [runlog: {path: "
            "other.jsonl}]}",
            5);
    if (strcmp(end, "segv") == 0)
        *nowhere = 1;
    if (strcmp(end, "abort") == 0)
        abort();
    raise(SIGTERM);
    for (;;)
        pause();
}
