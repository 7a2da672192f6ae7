/* SPDX-License-Identifier: MIT */
#include "core/plugins/own_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __GLIBC__
/* An address in this library. */
static const char here_it_is = 'h';
#endif

bool swi_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* The loader's name of the program itself is empty, and dli_fname is then what its caller chose. A
 * C library without dladdr1() is one that programs link statically. */
static const char *loaded_name(void)
{
#ifdef __GLIBC__
    Dl_info here;
    struct link_map *map = NULL;
    bool known = dladdr1(&here_it_is, &here, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    return known && map->l_name && *map->l_name == '/' ? map->l_name : NULL;
#else
    return NULL;
#endif
}

bool swi_own_library(char path[PATH_MAX])
{
    if (swi_is_privileged())
        return false;
    const char *name = loaded_name();
    if (name)
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
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
