/* SPDX-License-Identifier: MIT */
/* Loads first.so and then second.so from the same path, and calls a function of each. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int call(const char *file, const char *name, int times)
{
    int (*function)(int);
    void *library = rename(file, "./replaced.so") == 0 ? dlopen("./replaced.so", RTLD_NOW) : NULL;
    if (!library || !(*(void **)&function = dlsym(library, name)))
        return 1;
    for (int i = 0; i < times; i++)
        function(i);
    return dlclose(library);
}

int main(void)
{
    return call("first.so", "in_a", 2) || call("second.so", "in_b", 3);
}
