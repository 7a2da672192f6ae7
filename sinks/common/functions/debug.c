/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "sinks/common/functions/object.h"

#include "core/process/plugin_threads.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* One unit while it is being read. */
struct walk {
    struct debug *debug;
    Dwarf_Files *files;
    size_t file_count;
    bool cplusplus;
    bool inlined; /* inlined functions are wanted */
};
enum { DEPTH_MAX = 100 };

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute place;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &place));
    return text && *text ? text : NULL;
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute place;
    Dwarf_Word value = 0;
    dwarf_formudata(dwarf_attr_integrate(die, attribute, &place), &value);
    return value;
}

/* clang counts files from 0, which dwarf_decl_file() does not support. */
static const char *file_of(const struct walk *walk, Dwarf_Die *die)
{
    Dwarf_Word number = number_of(die, DW_AT_decl_file);
    const char *file = NULL;
    if (number < walk->file_count)
        file = dwarf_filesrc(walk->files, number, NULL, NULL);
    return file ? file : "";
}

static struct debug_function *function_add(struct debug *debug, bool inlined)
{
    struct debug_function **list = inlined ? &debug->inlined : &debug->function;
    size_t *count = inlined ? &debug->inlined_count : &debug->count;
    if (!swi_vec_room(list, *count, sizeof **list)) {
        debug->failed = true;
        return NULL;
    }
    return &(*list)[(*count)++];
}

/* Returns the mangled name, which has the parameters. Other names of the linker, such as libc's
 * __GI_atoi, are not those of the source. */
static const char *mangled_of(Dwarf_Die *die)
{
    const char *linkage = text_of(die, DW_AT_linkage_name);
    return linkage && strncmp(linkage, "_Z", 2) == 0 ? linkage : NULL;
}

static void function_take(struct walk *walk, Dwarf_Die *die, uint64_t start, uint64_t end,
                          bool inlined)
{
    const char *linkage = mangled_of(die);
    const char *name = linkage ? linkage : text_of(die, DW_AT_name);
    struct debug_function *function = name ? function_add(walk->debug, inlined) : NULL;
    if (!function)
        return;
    *function = (struct debug_function){.start = start,
                                        .end = end,
                                        .name = name,
                                        .file = file_of(walk, die),
                                        .line = (int64_t)number_of(die, DW_AT_decl_line),
                                        .mangled = linkage != NULL,
                                        .cplusplus = walk->cplusplus};
}

/* If only entries are looked up, the other ranges are not needed. */
static void ranges_take(struct walk *walk, Dwarf_Die *die, bool inlined)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    do {
        at = dwarf_ranges(die, at, &base, &start, &end);
        if (at > 0)
            function_take(walk, die, start, end, inlined);
    } while (at > 0 && walk->inlined);
}

/* Returns whether a tag may contain functions. */
static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_lexical_block || tag == DW_TAG_module;
}

static void children_walk(struct walk *walk, Dwarf_Die *parent, int depth);

/* Inlined functions are among its children. */
static void subprogram_walk(struct walk *walk, Dwarf_Die *die, int depth)
{
    struct debug *debug = walk->debug;
    size_t first = debug->count, inlined = debug->inlined_count;
    ranges_take(walk, die, false);
    size_t end = debug->count;
    if (dwarf_haschildren(die))
        children_walk(walk, die, depth + 1);
    for (size_t i = first; i < end && !debug->failed; i++) {
        debug->function[i].inlined = inlined;
        debug->function[i].inlined_end = debug->inlined_count;
    }
}

static void children_walk(struct walk *walk, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        bool inlined = walk->inlined && tag == DW_TAG_inlined_subroutine;
        if (inlined)
            ranges_take(walk, &die, true);
        if (tag == DW_TAG_subprogram)
            subprogram_walk(walk, &die, depth);
        else if ((inlined || holds_functions(tag)) && dwarf_haschildren(&die))
            children_walk(walk, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static bool is_cplusplus(Dwarf_Die *unit)
{
    Dwarf_Word language = number_of(unit, DW_AT_language);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

static void units_walk(struct debug *debug, Dwarf *dwarf, bool inlined)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, sub;
    uint8_t type;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &sub) == 0) {
        Dwarf_Die *root = type == DW_UT_skeleton && sub.addr ? &sub : &die;
        struct walk walk = {.debug = debug, .cplusplus = is_cplusplus(root), .inlined = inlined};
        if (type == DW_UT_type || type == DW_UT_split_type)
            continue;
        if (dwarf_getsrcfiles(root, &walk.files, &walk.file_count) != 0)
            walk.file_count = 0;
        children_walk(&walk, root, 0);
    }
}

static int functions_compare(const void *a, const void *b)
{
    const struct debug_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

struct debug_task {
    struct debug *debug;
    const char *path;
    bool inlined;
};

static void *file_read(void *arg)
{
    const struct debug_task *task = arg;
    struct debug *debug = task->debug;
    debug->fd = open(task->path, O_RDONLY | O_CLOEXEC);
    debug->dwarf = debug->fd < 0 ? NULL : dwarf_begin(debug->fd, DWARF_C_READ);
    if (debug->dwarf)
        units_walk(debug, debug->dwarf, task->inlined);
    else if (debug->fd >= 0)
        close(debug->fd);
    return NULL;
}

/* The calling thread may have less stack than libdw needs. */
bool debug_read(struct debug *debug, const char *path, bool inlined)
{
    struct debug_task task = {debug, path, inlined};
    pthread_t thread;
    *debug = (struct debug){0};
    if (swi_roomy_thread(&thread, file_read, &task) == 0)
        pthread_join(thread, NULL);
    else
        file_read(&task);
    if (debug->count)
        qsort(debug->function, debug->count, sizeof *debug->function, functions_compare);
    else
        debug_free(debug);
    return debug->count > 0;
}

void debug_free(struct debug *debug)
{
    free(debug->function);
    free(debug->inlined);
    if (debug->dwarf) {
        dwarf_end(debug->dwarf);
        close(debug->fd);
    }
    *debug = (struct debug){0};
}
#else
bool debug_read(struct debug *debug, const char *path, bool inlined)
{
    (void)path;
    (void)inlined;
    *debug = (struct debug){0};
    return false;
}

void debug_free(struct debug *debug)
{
    (void)debug;
}
#endif

/* Inlined functions follow the functions that contain them. */
size_t debug_inlined(const struct debug *debug, const struct debug_function *function,
                     uint64_t address, const struct debug_function **chain, size_t most)
{
    size_t count = 0;
    for (size_t i = function->inlined; i < function->inlined_end && count < most; i++)
        if (address >= debug->inlined[i].start && address < debug->inlined[i].end)
            chain[count++] = &debug->inlined[i];
    return count;
}
