/* SPDX-License-Identifier: MIT */
#include "tools/functions/preload.h"

#include "core/process/object_file.h"
#include "tools/output/print.h"

#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOK "__cyg_profile_func_enter"

enum { RATE_LEAST = 1, RATE_MOST = 10000 };

static bool children_too;

/* ---- the program ---- */

/* Searches like execvp(). */
bool preload_program(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    for (const char *at = folders ? folders : "/bin:/usr/bin"; *at;) {
        size_t size = strcspn(at, ":");
        int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)size, at, program);
        if (length < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += size + (at[size] == ':');
    }
    return false;
}

static bool file_has_hooks(const char *path)
{
    struct swi_object_file file;
    bool has = swi_object_file_open(&file, path) && swi_object_file_has(&file, HOOK, false);
    swi_object_file_close(&file);
    return has;
}

/* Returns the path of a line "NAME => PATH (0xADDRESS)", to be freed; NULL if there is none. */
static char *line_path(const char *line)
{
    const char *path = strchr(line, '/'), *end = path ? strstr(path, " (0x") : NULL;
    return end ? strndup(path, (size_t)(end - path)) : NULL;
}

/* Checks only libraries that are not the system's: libc has hooks that do nothing. */
static bool line_has_hooks(const char *line, void *arg)
{
    const char *name = line + strspn(line, " \t");
    (void)arg;
    if (strncmp(name, "libc.so", 7) == 0 || strstr(name, "libstepwatch-functions.so"))
        return false;
    char *path = line_path(line);
    bool has = path && file_has_hooks(path);
    free(path);
    return has;
}

/* Starts the loader, which lists the libraries of a program and does not start it. */
static FILE *libraries_open(const char *path, pid_t *child)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        return NULL;
    fflush(NULL);
    *child = fork();
    if (*child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    FILE *lines = fdopen(pipes[0], "r");
    if (!lines)
        close(pipes[0]);
    return lines;
}

/* Returns whether `is` holds for the line of any library of a program. */
static bool any_library(const char *path, bool (*is)(const char *line, void *arg), void *arg)
{
    pid_t child = -1;
    bool any = false;
    char *line = NULL;
    size_t room = 0;
    FILE *lines = libraries_open(path, &child);
    while (lines && getline(&line, &room, lines) > 0)
        any |= is(line, arg);
    free(line);
    if (lines)
        fclose(lines);
    if (child > 0)
        waitpid(child, NULL, 0);
    return any;
}

/* arg: a char *, set to the path of the library. */
static bool line_is_asan(const char *line, void *arg)
{
    char **path = arg;
    if (*path || !strstr(line, "libasan.so"))
        return false;
    *path = line_path(line);
    return *path != NULL;
}

static bool is_elf(const char *path, bool *loaded)
{
    struct swi_object_file file;
    bool elf = swi_object_file_open(&file, path);
    *loaded = swi_object_file_has_section(&file, ".interp");
    swi_object_file_close(&file);
    return elf;
}

static bool is_sampled(const struct preload *preload)
{
    return strcmp(preload->times, "sample") == 0 || strcmp(preload->times, "wall") == 0;
}

/* The hooks of libc.a do nothing, and the library that counts needs the loader (RTLD_NEXT). */
static bool refuse_static(const char *program)
{
    say("run",
        "%s is linked statically, so no library can be preloaded that counts or samples its "
        "functions; the program was not started\n"
        "  link it dynamically",
        program);
    return false;
}

bool preload_check(const struct preload *preload, const char *program)
{
    char path[PATH_MAX];
    bool loaded;
    /* A program that cannot be started reports that itself. A wrapper starts the program that is
     * meant. */
    if (preload->children || !preload_program(program, path) || !is_elf(path, &loaded))
        return true;
    if (!loaded)
        return refuse_static(program);
    if (is_sampled(preload) || file_has_hooks(path) || any_library(path, line_has_hooks, NULL))
        return true;
    say("run",
        "%s has no function entry hooks, so nothing can be counted; the program was not started\n"
        "  compile it with -g -finstrument-functions (gcc, C++: also "
        "-finstrument-functions-exclude-file-list=/usr/include)\n"
        "  or sample it as it is: stepwatch run --functions=sample -- %s",
        program, program);
    return false;
}

/* ---- the library ---- */

int preload_library(const char *name, char path[PATH_MAX], struct sw_error *err)
{
    Dl_info info;
    const char *(*address)(void) = sw_version;
    void *object;
    memcpy(&object, &address, sizeof object);
    char *real = dladdr(object, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    int size =
        slash ? snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - real), real, name) : PATH_MAX;
    free(real);
    if (size >= PATH_MAX || access(path, R_OK) != 0)
        return sw_error_set(err, SW_EIO, "%s is not installed beside libstepwatch", name);
    if (strpbrk(path, " :"))
        return sw_error_set(err, SW_EIO,
                            "%s: the loader cannot preload a library whose path has a blank or a "
                            "colon; the program was not started: install stepwatch in another "
                            "folder",
                            path);
    return 0;
}

bool preload_add(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    const char *first = library, *then = before && *before ? before : NULL;
    char *list = NULL;
    /* A preloaded sanitizer must stay the first. */
    if (then && strstr(then, "libasan.so")) {
        first = then;
        then = library;
    }
    if (asprintf(&list, "%s%s%s", first, then ? ":" : "", then ? then : "") < 0)
        return false;
    bool fine = setenv("LD_PRELOAD", list, 1) == 0;
    free(list);
    return fine;
}

bool preload_sanitizer(const char *program)
{
    char path[PATH_MAX], *library = NULL;
    const char *before = getenv("LD_PRELOAD");
    bool loaded;
    if ((before && strstr(before, "libasan.so")) || !preload_program(program, path) ||
        !is_elf(path, &loaded) || !loaded || !any_library(path, line_is_asan, &library))
        return true;
    bool fine = preload_add(library) && setenv("STEPWATCH_FUNCTIONS_SANITIZER", library, 1) == 0;
    free(library);
    return fine;
}

int preload_choice_check(const struct preload *preload, struct sw_error *err)
{
    char *end = NULL;
    long rate = preload->rate ? strtol(preload->rate, &end, 10) : RATE_LEAST;
    if (strcmp(preload->times, "exact") != 0 && strcmp(preload->times, "sampled") != 0 &&
        !is_sampled(preload))
        return sw_error_set(err, SW_EINVAL,
                            "--functions=%s: expected exact, sampled, sample or wall",
                            preload->times);
    if (preload->rate && !is_sampled(preload))
        return sw_error_set(err, SW_EINVAL, "--functions-rate needs --functions=sample or wall");
    if ((end && (*end || end == preload->rate)) || rate < RATE_LEAST || rate > RATE_MOST)
        return sw_error_set(err, SW_EINVAL,
                            "--functions-rate %s: expected samples a second, %d to %d",
                            preload->rate, RATE_LEAST, RATE_MOST);
    return 0;
}

int preload_set(const struct preload *preload, struct sw_error *err)
{
    char library[PATH_MAX], folder[PATH_MAX];
    if (mkdir(preload->folder, 0777) != 0 && errno != EEXIST)
        return sw_error_set(err, SW_EIO, "%s: %s", preload->folder, strerror(errno));
    if (!realpath(preload->folder, folder))
        return sw_error_set(err, SW_EIO, "%s: %s", preload->folder, strerror(errno));
    int rc = preload_library("libstepwatch-functions.so.1", library, err);
    if (rc < 0)
        return rc;
    children_too = preload->children;
    bool fine = setenv("STEPWATCH_FUNCTIONS", preload->times, 1) == 0 &&
                (!preload->rate || setenv("STEPWATCH_FUNCTIONS_RATE", preload->rate, 1) == 0) &&
                setenv("STEPWATCH_FUNCTIONS_OUT", folder, 1) == 0 && preload_add(library) &&
                (!children_too || setenv("STEPWATCH_FUNCTIONS_CHILDREN", "1", 1) == 0);
    return fine ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

void preload_in_child(void)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (!children_too)
        setenv("STEPWATCH_FUNCTIONS_PID", pid, 1);
}
