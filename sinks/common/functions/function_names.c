/* SPDX-License-Identifier: MIT */
#include "core/text/parts.h"
#include "sinks/common/functions/object.h"
#include "sinks/common/functions/profile.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names of C++ ---- */

typedef char *demangle_fn(const char *, char *, size_t *, int *);

/* libstdc++ is installed where C++ programs run. */
static demangle_fn *demangler(void)
{
    static demangle_fn *found;
    static bool loaded;
    if (!loaded) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (library)
            *(void **)&found = dlsym(library, "__cxa_demangle");
        loaded = true;
    }
    return found;
}

/* Removes the suffixes of the compiler's own copies: .constprop.0, .isra.0, .part.0. */
static char *without_suffix(const char *name)
{
    const char *dot = strchr(name + 1, '.');
    return dot ? strndup(name, (size_t)(dot - name)) : strdup(name);
}

/* The caller frees the result. */
static char *demangled(const char *name)
{
    char *symbol = without_suffix(name), *shown = NULL;
    int status = -1;
    if (symbol && strncmp(symbol, "_Z", 2) == 0 && demangler())
        shown = demangler()(symbol, NULL, NULL, &status);
    if (!shown || status != 0)
        return symbol;
    free(symbol);
    return shown;
}

/* ---- one name ---- */

/* text: moves in; NULL if out of memory. */
static void name_text(struct function_name *name, char *text)
{
    name->found[name->count++] = (struct found_name){.function = text, .file = strdup("~")};
}

/* Names a place. The name is the same in every run, wherever the object is loaded. */
static void name_place(struct function_name *name, uint64_t offset)
{
    const char *object = swi_last_part(name->object);
    char *text = NULL;
    int size = asprintf(&text, "<0x%" PRIx64 "%s%s>", offset, *object ? "+" : "", object);
    name_text(name, size < 0 ? NULL : text);
}

static void name_symbol(struct function_name *name, const struct symbol *symbol)
{
    char *shown = demangled(symbol->name), *text = NULL;
    int size = shown ? asprintf(&text, "<%s>", shown) : -1;
    name_text(name, size < 0 ? NULL : text);
    free(shown);
}

/* A static function of C++ has a mangled name only in the symbol table. */
static const char *best_name(const struct debug_function *function, const struct symbol *symbol)
{
    if (!symbol || !function->cplusplus || function->mangled || symbol->start != function->start)
        return function->name;
    return strncmp(symbol->name, "_Z", 2) == 0 ? symbol->name : function->name;
}

static void name_debug(struct function_name *name, const struct debug_function *function,
                       const struct symbol *symbol)
{
    name->found[name->count++] = (struct found_name){
        .function = demangled(best_name(function, symbol)),
        .file = strdup(*function->file ? function->file : "~"),
        .line = *function->file ? function->line : 0,
    };
}

/* ---- which file has the names ---- */

static bool has_content(const struct fn_mapping *place, uint64_t size, uint64_t mtime_ns)
{
    return place->size == size && place->mtime_ns == mtime_ns;
}

bool function_file_replaced(const struct fn_mapping *all, uint32_t count, uint32_t number,
                            const char *path)
{
    const struct fn_mapping *place = &all[number];
    struct stat now;
    uint32_t i = 0;
    while (i < count &&
           (all[i].path != place->path || has_content(&all[i], place->size, place->mtime_ns)))
        i++;
    return i < count && stat(path, &now) == 0 &&
           !has_content(place, (uint64_t)now.st_size,
                        (uint64_t)now.st_mtim.tv_sec * 1000000000 + (uint64_t)now.st_mtim.tv_nsec);
}

/* ---- the names of one object ---- */

struct name_search {
    struct object object;
    struct debug debug;
    bool is_open;
};

static void finding_open(struct name_search *finding, const char *path, bool inlined)
{
    char separate[256];
    *finding = (struct name_search){.is_open = false};
    finding->is_open = object_open(&finding->object, path);
    if (!finding->is_open || debug_read(&finding->debug, path, inlined))
        return;
    if (object_debug_path(&finding->object, separate, sizeof separate))
        debug_read(&finding->debug, separate, inlined);
}

static void finding_close(struct name_search *finding)
{
    object_close(&finding->object);
    debug_free(&finding->debug);
}

enum { INLINED = 64 };

/* Returns the offset of the function in which a place is, or of the place if that is not known. */
static uint64_t function_offset(struct name_search *finding, const struct function_name *name,
                                uint64_t address)
{
    uint64_t start;
    if (!name->inside || !address || !object_function_start(&finding->object, address, &start))
        return name->offset;
    return name->offset - (address - start);
}

static void name_find(struct name_search *finding, struct function_name *name)
{
    uint64_t address = 0;
    const struct symbol *symbol = NULL;
    const struct debug_function *function = NULL, *inlined[INLINED];
    if (finding->is_open && !name->replaced &&
        object_address(&finding->object, name->offset, &address)) {
        symbol = range_find(finding->object.symbol, finding->object.count, sizeof *symbol, address,
                            name->inside);
        function = range_find(finding->debug.function, finding->debug.count, sizeof *function,
                              address, name->inside);
    }
    size_t count = function && name->inside
                       ? debug_inlined(&finding->debug, function, address, inlined, INLINED)
                       : 0;
    name->found = calloc(count + 1, sizeof *name->found);
    if (!name->found)
        return;
    if (function)
        name_debug(name, function, symbol);
    else if (symbol && *symbol->name)
        name_symbol(name, symbol);
    else if (name->inside && name->offset == FN_DEEPER - 1 && !*name->object)
        name_text(name, strdup("(deeper)"));
    else
        name_place(name, function_offset(finding, name, address));
    for (size_t i = 0; i < count; i++)
        name_debug(name, inlined[i], i + 1 == count ? symbol : NULL);
}

static int by_object(const void *a, const void *b)
{
    const struct function_name *const *x = a, *const *y = b;
    return strcmp((*x)->object, (*y)->object);
}

/* Handles the names from `first` on that have the same object. */
static size_t object_take(struct function_name **sorted, size_t first, size_t count,
                          void (*without_lines)(const char *object))
{
    struct name_search finding;
    size_t i = first;
    const char *object = sorted[first]->object;
    bool inlined = false;
    for (size_t k = first; k < count && strcmp(sorted[k]->object, object) == 0; k++)
        inlined |= sorted[k]->inside;
    finding_open(&finding, object, inlined);
    for (; i < count && strcmp(sorted[i]->object, object) == 0; i++)
        name_find(&finding, sorted[i]);
    if (!finding.debug.count && *object && without_lines)
        without_lines(object);
    finding_close(&finding);
    return i;
}

bool function_names_find(struct function_name *names, size_t count,
                         void (*without_lines)(const char *object))
{
    struct function_name **sorted = calloc(count + 1, sizeof *sorted);
    bool fine = sorted != NULL;
    for (size_t i = 0; fine && i < count; i++)
        sorted[i] = &names[i];
    if (fine && count)
        qsort(sorted, count, sizeof *sorted, by_object);
    for (size_t i = 0; fine && i < count;)
        i = object_take(sorted, i, count, without_lines);
    for (size_t i = 0; fine && i < count; i++) {
        fine = names[i].count > 0;
        for (size_t k = 0; fine && k < names[i].count; k++)
            fine = names[i].found[k].function && names[i].found[k].file;
    }
    free(sorted);
    return fine;
}

void function_names_free(struct function_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < names[i].count; k++) {
            free(names[i].found[k].function);
            free(names[i].found[k].file);
        }
        free(names[i].found);
    }
}
