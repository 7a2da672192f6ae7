/* SPDX-License-Identifier: MIT */
#include "core/process/linkage.h"

#include <link.h>

/* A program with a loader names it, even if it was run as an argument of the loader. */
static int has_loader(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_INTERP)
            *(bool *)arg = true;
    return *(bool *)arg;
}

bool swi_linked_statically(void)
{
    bool loaded = false;
    dl_iterate_phdr(has_loader, &loaded);
    return !loaded;
}
