/* SPDX-License-Identifier: MIT */
/* plugged.c - a program that is not linked to stepwatch, but loads modules that are.
 *
 *     plugged use MODULE N       loads, uses and unloads it N times
 *     plugged leave MODULE       loads it, has it measure, unloads it, and exits with 3
 *     plugged apart MODULE       has it measure in a namespace of its own, and exits with 3
 *     plugged copies MODULE LIBRARY
 *                                has the module measure, and a copy of the library of its own; then
 *                                SIGTERM */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *load(const char *path, int flags)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        exit(99);
    }
    return module;
}

static void call(void *module, const char *name)
{
    int (*function)(void) = NULL;
    *(void **)&function = dlsym(module, name);
    int rc = function ? function() : 1;
    if (rc != 0) {
        fprintf(stderr, "%s gave %d\n", name, rc);
        exit(98);
    }
}

static void use(const char *path, int times)
{
    for (int i = 0; i < times; i++) {
        void *module = load(path, 0);
        call(module, "module_use");
        dlclose(module);
    }
}

static void leave(const char *path)
{
    void *module = load(path, 0);
    call(module, "module_open");
    dlclose(module);
    exit(3);
}

static void apart(const char *path)
{
    void *module = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        exit(99);
    }
    call(module, "module_open");
    exit(3);
}

/* Looks its functions up by name, so that they are declared only once. */
static void copy_open(const char *path)
{
    void *(*open_text)(const char *, void *) = NULL;
    void (*begin)(void *, int) = NULL;
    void *library = load(path, 0);
    *(void **)&open_text = dlsym(library, "sw_open_text");
    *(void **)&begin = dlsym(library, "sw_begin");
    void *sw = open_text("profiler: { show_report: false }\n"
                         "logger_callback: [ table: { path: copy.txt, plain: true } ]",
                         NULL);
    if (!sw)
        exit(97);
    begin(sw, 0);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "use") == 0)
        use(argv[2], atoi(argv[3]));
    if (argc == 3 && strcmp(argv[1], "leave") == 0)
        leave(argv[2]);
    if (argc == 3 && strcmp(argv[1], "apart") == 0)
        apart(argv[2]);
    if (argc == 4 && strcmp(argv[1], "copies") == 0) {
        /* Global, as if the program were linked with it. */
        call(load(argv[2], RTLD_GLOBAL), "module_open");
        copy_open(argv[3]);
        raise(SIGTERM);
        for (;;)
            pause();
    }
    return 0;
}
