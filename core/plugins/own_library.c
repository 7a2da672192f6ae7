/* SPDX-License-Identifier: MIT */
#include "core/plugins/own_library.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address in this library. */
static const char here_it_is = 'h';

bool swi_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* Returns the name by which the loader has found the library, or NULL if it is part of the program:
 * the loader's name of that is empty, and dli_fname is then what its caller chose. A C library
 * without dladdr1() is one that programs link statically. */
static const char *loaded_name(void)
{
#ifdef __GLIBC__
    Dl_info here;
    struct link_map *map = NULL;
    bool known = dladdr1(&here_it_is, &here, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    return known && map->l_name && *map->l_name ? map->l_name : NULL;
#else
    return NULL;
#endif
}

/* Copies the path of the file that is mapped at an address, as the kernel has it. Returns false if
 * there is none. */
static bool mapped_path(const void *at, char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
    *path = '\0';
    while (maps && !*path && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        const char *name = strchr(line, '/');
        if (name && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 &&
            (uintptr_t)at >= begin && (uintptr_t)at < end)
            snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, "\n"), name);
    }
    if (maps)
        fclose(maps);
    return *path == '/';
}

bool swi_own_library(char path[PATH_MAX])
{
    if (swi_is_privileged())
        return false;
    const char *name = loaded_name();
    if (name && *name == '/')
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    if (name) /* from a relative LD_LIBRARY_PATH; the program may be in another folder since */
        return mapped_path(&here_it_is, path);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    return *path == '/';
}

uid_t swi_own_library_owner(void)
{
    char path[PATH_MAX];
    struct stat st;
    return swi_own_library(path) && stat(path, &st) == 0 ? st.st_uid : 0;
}
