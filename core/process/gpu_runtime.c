/* SPDX-License-Identifier: MIT */
#include "core/process/gpu_runtime.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

struct gpu_found {
    char *name;
    size_t size;
};

/* CUDA's driver, AMD's HIP, and oneAPI's Level Zero. */
static bool is_runtime(const char *name)
{
    static const char *const names[] = {"libcuda.so", "libamdhip64.so", "libze_loader.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int library_look(struct dl_phdr_info *library, size_t size, void *arg)
{
    struct gpu_found *found = arg;
    const char *slash = strrchr(library->dlpi_name, '/');
    const char *name = slash ? slash + 1 : library->dlpi_name;
    (void)size;
    if (!is_runtime(name))
        return 0;
    snprintf(found->name, found->size, "%s", name);
    return 1;
}

bool swi_gpu_runtime(char *name, size_t size)
{
    struct gpu_found found = {name, size};
    *name = '\0';
    return dl_iterate_phdr(library_look, &found) == 1;
}
