/* SPDX-License-Identifier: MIT */
#include "tools/memory/memory_preload.h"
#include "sinks/common/functions/object.h"
#include "tools/functions/preload.h"

#include <stdlib.h>
#include <string.h>

#define LIBRARY "libstepwatch-memory.so.1"

/* ---- the program ---- */

struct needs {
    bool libasan;
    bool library; /* it counts by itself */
};

static bool needs_note(const char *library, void *arg)
{
    struct needs *needs = arg;
    needs->libasan |= strncmp(library, "libasan.so", 10) == 0;
    needs->library |= strcmp(library, LIBRARY) == 0;
    return false;
}

static int refuse_static(const char *program, struct sw_error *err)
{
    return sw_error_set(
        err, SW_EINVAL,
        "%s is linked statically, so nothing can be preloaded into it; the program was not "
        "started\n"
        "  link it with libstepwatch-memory.a: cc -static ... $(pkg-config --static --libs "
        "stepwatch-memory)",
        program);
}

static int refuse_asan(const char *program, struct sw_error *err)
{
    return sw_error_set(
        err, SW_EINVAL,
        "%s needs libasan, which must be loaded first, so nothing can be preloaded into it; the "
        "program was not started\n"
        "  link it with libstepwatch-memory: cc -fsanitize=address ... $(pkg-config --libs "
        "stepwatch-memory)",
        program);
}

/* A program that cannot be started reports that itself. A script starts the program that is meant.
 */
static int program_look(const char *program, bool *counts, struct sw_error *err)
{
    char path[PATH_MAX];
    struct object object;
    struct needs needs = {false, false};
    int rc = 0;
    if (!preload_program(program, path) || !object_open(&object, path))
        return 0;
    object_needs(&object, needs_note, &needs);
    bool loaded = object_section(&object, ".interp");
    *counts = needs.library || (!loaded && object_has(&object, "sw_memory_here"));
    if (!*counts && !loaded)
        rc = refuse_static(program, err);
    else if (!*counts && needs.libasan)
        rc = refuse_asan(program, err);
    object_close(&object);
    return rc;
}

/* ---- the library ---- */

int memory_preload(const char *program, struct sw_error *err)
{
    char library[PATH_MAX];
    bool counts = false;
    int rc = program_look(program, &counts, err);
    if (rc == 0 && setenv("STEPWATCH_MEMORY", "1", 1) != 0)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory");
    if (rc < 0 || counts)
        return rc;
    rc = preload_library(LIBRARY, library, err);
    if (rc < 0)
        return rc;
    return preload_add(library) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}
