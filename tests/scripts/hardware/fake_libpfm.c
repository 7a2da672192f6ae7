/* SPDX-License-Identifier: MIT */
/* fake_libpfm - a libpfm.so.4 that knows the event NAPS and some modifiers, for tests.
 * NO_NAMES: it knows no processor. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in <perfmon/pfmlib_perf_event.h>. */
struct encoding {
    struct perf_event_attr *attr;
    char **name;
    size_t size;
    int index, cpu, flags, padding;
};
enum { NOT_SUPPORTED = -1, INVALID = -2, NOT_FOUND = -4, PERF = 1, USER = 8 };

int pfm_initialize(void);
int pfm_get_os_event_encoding(const char *name, int levels, int os, struct encoding *encoding);
const char *pfm_strerror(int code);

int pfm_initialize(void)
{
#ifdef NO_NAMES
    return NOT_SUPPORTED;
#else
    return 0;
#endif
}

/* Returns whether a child, which is made while stepwatch looks for a name, can look for one too. */
static bool child_opens(void)
{
    int status;
    void *(*open_text)(const char *yaml, void *err);
    *(void **)&open_text = dlsym(RTLD_DEFAULT, "sw_open_text");
    pid_t pid = fork();
    if (pid == 0) {
        alarm(5);
        _exit(open_text("profiler: { counters: [\"pfm:NAPS\"] }", NULL) == NULL);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Returns a modifier, or NULL if it is not known. */
static const char *modifier_find(const char *modifier)
{
    static const char *const known[] = {"", ":LONG", ":k", ":u:k", ":precise=1", ":child"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(modifier, known[i]) == 0)
            return known[i];
    return NULL;
}

int pfm_get_os_event_encoding(const char *name, int levels, int os, struct encoding *encoding)
{
    if (levels != USER || os != PERF || encoding->size != sizeof *encoding || !encoding->attr->size)
        return INVALID;
    const char *modifier = strncmp(name, "NAPS", 4) == 0 ? modifier_find(name + 4) : NULL;
    if (!modifier)
        return NOT_FOUND;
    if (strcmp(modifier, ":child") == 0 && !child_opens())
        return INVALID;
    encoding->attr->exclude_user = strcmp(modifier, ":k") == 0;
    encoding->attr->exclude_kernel = strchr(modifier, 'k') == NULL;
    encoding->attr->precise_ip = strcmp(modifier, ":precise=1") == 0;
    encoding->attr->type = 42;
    encoding->attr->config = 0x7a9;
    encoding->attr->config1 = 0x51;
    return 0;
}

const char *pfm_strerror(int code)
{
    return code == NOT_FOUND       ? "event not found"
           : code == NOT_SUPPORTED ? "not supported"
                                   : "invalid parameters";
}
