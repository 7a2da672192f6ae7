/* SPDX-License-Identifier: MIT */
/* RTLD_DEEPBIND and a namespace of dlmopen() do too much, see docs/design.md ("Whose function is
 * called"). So the loader's work is corrected: each word that it has filled with the address of a
 * function is compared with what the library's own scope has for this name. */
#include "core/files/own_symbols.h"
#include "core/text/parts.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- a library and all that it needs --------------------------------------------------------- */

struct loaded {
    void *handle; /* keeps it loaded; NULL for the library itself */
    const struct link_map *map;
    const ElfW(Phdr) * phdr;
    size_t phdrs;
    uintptr_t begin, end; /* of all its segments */
    bool later;           /* than the library */
};

struct closure {
    void *library;
    struct loaded *item; /* the first one is the library */
    size_t count;
    bool failed; /* out of memory */
    bool passed; /* the library was met among all objects */
};

/* Takes the handle. */
static void object_add(struct closure *closure, void *handle, const struct link_map *map)
{
    bool known = !map;
    for (size_t i = 0; !known && i < closure->count; i++)
        known = closure->item[i].map == map;
    struct loaded *item =
        known ? NULL : realloc(closure->item, (closure->count + 1) * sizeof *item);
    if (item) {
        closure->item = item;
        item[closure->count++] = (struct loaded){.handle = handle, .map = map};
        return;
    }
    closure->failed |= !known;
    if (handle)
        dlclose(handle);
}

static const struct link_map *map_of(void *handle)
{
    const struct link_map *map = NULL;
    return handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : NULL;
}

/* Some C libraries leave addresses in the dynamic section as they are in the file. */
static uintptr_t address(const struct link_map *map, uintptr_t value)
{
    return value < map->l_addr ? value + map->l_addr : value;
}

static uintptr_t dynamic(const struct link_map *map, intptr_t tag)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_ptr;
    return 0;
}

static void needed_add(struct closure *closure, const struct link_map *map)
{
    const char *names = (const char *)address(map, dynamic(map, DT_STRTAB));
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED) {
            void *handle = dlopen(names + entry->d_un.d_val, RTLD_LAZY | RTLD_NOLOAD);
            object_add(closure, handle, map_of(handle));
        }
}

static void extent_find(struct loaded *object)
{
    object->begin = UINTPTR_MAX;
    for (size_t i = 0; i < object->phdrs; i++) {
        uintptr_t begin = object->map->l_addr + object->phdr[i].p_vaddr;
        uintptr_t end = begin + object->phdr[i].p_memsz;
        if (object->phdr[i].p_type != PT_LOAD)
            continue;
        object->begin = begin < object->begin ? begin : object->begin;
        object->end = end > object->end ? end : object->end;
    }
}

/* The loader calls this for all objects in the order in which they were loaded. */
static int object_note(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct closure *closure = arg;
    (void)size;
    for (size_t i = 0; i < closure->count; i++) {
        struct loaded *item = &closure->item[i];
        if (item->map->l_addr != object->dlpi_addr ||
            strcmp(item->map->l_name, object->dlpi_name) != 0)
            continue;
        closure->passed |= i == 0;
        item->phdr = object->dlpi_phdr;
        item->phdrs = object->dlpi_phnum;
        item->later = closure->passed;
        extent_find(item);
    }
    return 0;
}

/* The loader's handle stays the caller's. */
static void closure_init(struct closure *closure, void *library)
{
    *closure = (struct closure){.library = library};
    object_add(closure, NULL, map_of(library));
    for (size_t i = 0; i < closure->count; i++)
        needed_add(closure, closure->item[i].map);
    dl_iterate_phdr(object_note, closure);
}

static void closure_fini(struct closure *closure)
{
    for (size_t i = 1; i < closure->count; i++)
        dlclose(closure->item[i].handle);
    free(closure->item);
}

static bool has_object(const struct closure *closure, const struct loaded *object)
{
    for (size_t i = 0; i < closure->count; i++)
        if (closure->item[i].map == object->map)
            return true;
    return false;
}

static const ElfW(Phdr) * segment_of(const struct loaded *object, uintptr_t at)
{
    for (size_t i = 0; i < object->phdrs; i++) {
        const ElfW(Phdr) *segment = &object->phdr[i];
        if (segment->p_type == PT_LOAD &&
            at - object->map->l_addr - segment->p_vaddr < segment->p_memsz)
            return segment;
    }
    return NULL;
}

static const struct loaded *object_of(const struct closure *closure, uintptr_t at)
{
    for (size_t i = 0; i < closure->count; i++) {
        const struct loaded *object = &closure->item[i];
        if (at >= object->begin && at < object->end && segment_of(object, at))
            return object;
    }
    return NULL;
}

static bool is_runtime(const struct loaded *object)
{
    static const char *const names[] = {
        "ld-",        "ld64.",      "libc.",        "libm.",    "libmvec.", "libpthread.",
        "libdl.",     "librt.",     "libresolv.",   "libutil.", "libanl.",  "libgcc_s.",
        "libstdc++.", "libc++.",    "libc++abi.",   "libasan.", "libtsan.", "liblsan.",
        "libubsan.",  "libhwasan.", "libclang_rt.",
    };
    const char *file = swi_last_part(object->map->l_name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* ---- what is to be corrected ----------------------------------------------------------------- */

/* One word that the loader has filled. */
struct correction {
    uintptr_t *word, value;
    const struct loaded *object;
    const char *name;
};

struct corrections {
    const struct closure *closure;
    struct correction *item;
    size_t count;
    bool failed; /* out of memory */
    const struct correction *refused;
    int reason;
};

/* Returns whether the word has what the library expects: a function of the same libraries. A word
 * that is not bound yet has an address in its own object, although that does not define it. */
static bool is_own(const struct closure *closure, const struct loaded *object,
                   const ElfW(Sym) * symbol, uintptr_t bound)
{
    const struct loaded *there = object_of(closure, bound);
    if (there != object)
        return there != NULL;
    return symbol->st_shndx != SHN_UNDEF && bound == there->map->l_addr + symbol->st_value;
}

/* Returns the function of the library's own scope, or 0 if it has none that may be
 * preferred to that of the program. */
static uintptr_t own_function(const struct closure *closure, const char *name)
{
    uintptr_t function = (uintptr_t)dlsym(closure->library, name);
    const struct loaded *home = function ? object_of(closure, function) : NULL;
    bool is_function = home && segment_of(home, function)->p_flags & PF_X;
    return is_function && !is_runtime(home) ? function : 0;
}

static void correction_add(struct corrections *corrections, const struct correction *correction)
{
    size_t count = corrections->count;
    if (count % 64 == 0) {
        struct correction *longer =
            realloc(corrections->item, (count + 64) * sizeof *corrections->item);
        if (!longer) {
            corrections->failed = true;
            return;
        }
        corrections->item = longer;
    }
    corrections->item[corrections->count++] = *correction;
}

static void word_check(struct corrections *corrections, const struct loaded *object,
                       const ElfW(Sym) * symbol, const char *name, const ElfW(Rela) * entry)
{
    uintptr_t at = object->map->l_addr + entry->r_offset, addend = (uintptr_t)entry->r_addend;
    const ElfW(Phdr) *segment = segment_of(object, at);
    if (!segment || !(segment->p_flags & PF_W) || at % sizeof at != 0)
        return;
    uintptr_t *word = (uintptr_t *)at;
    if (*word == 0 || is_own(corrections->closure, object, symbol, *word - addend))
        return;
    uintptr_t own = own_function(corrections->closure, name);
    uintptr_t preferred = own ? (uintptr_t)dlsym(RTLD_DEFAULT, name) : 0;
    if (preferred && preferred != own)
        correction_add(corrections, &(struct correction){word, own + addend, object, name});
}

static void table_check(struct corrections *corrections, const struct loaded *object,
                        intptr_t where, intptr_t bytes)
{
    const struct link_map *map = object->map;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)address(map, dynamic(map, DT_SYMTAB));
    const char *names = (const char *)address(map, dynamic(map, DT_STRTAB));
    const ElfW(Rela) *entry = (const ElfW(Rela) *)address(map, dynamic(map, where));
    size_t count = dynamic(map, bytes) / sizeof *entry;
    for (size_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(entry[i].r_info)];
        int type = ELF64_ST_TYPE(symbol->st_info);
        if (symbol != symbols && type != STT_TLS && type != STT_OBJECT)
            word_check(corrections, object, symbol, names + symbol->st_name, &entry[i]);
    }
}

/* What the program linked is bound as the program wants it. */
static void closure_check(struct corrections *corrections, const struct closure *program)
{
    const struct closure *closure = corrections->closure;
    for (size_t i = 0; i < closure->count; i++) {
        const struct loaded *object = &closure->item[i];
        if (is_runtime(object) || (!object->later && has_object(program, object)))
            continue;
        table_check(corrections, object, DT_RELA, DT_RELASZ);
        if (dynamic(object->map, DT_PLTREL) == DT_RELA)
            table_check(corrections, object, DT_JMPREL, DT_PLTRELSZ);
    }
}

/* ---- correcting ------------------------------------------------------------------------------ */

/* Sets the stretch of an object that can only be read after loading. The loader leaves a page
 * writable of which only a part is in it. */
static void readonly_find(const struct loaded *object, uintptr_t *begin, uintptr_t *end)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = object->map->l_addr;
    *begin = *end = 0;
    for (size_t i = 0; i < object->phdrs; i++)
        if (object->phdr[i].p_type == PT_GNU_RELRO) {
            *begin = (base + object->phdr[i].p_vaddr) / page * page;
            *end = (base + object->phdr[i].p_vaddr + object->phdr[i].p_memsz) / page * page;
        }
}

static bool correct(const struct correction *correction)
{
    uintptr_t at = (uintptr_t)correction->word, begin, end;
    readonly_find(correction->object, &begin, &end);
    bool readonly = at >= begin && at < end;
    if (readonly && mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(correction->word, correction->value, __ATOMIC_RELAXED);
    if (readonly)
        mprotect((void *)begin, end - begin, PROT_READ);
    return true;
}

/* The loader calls this with a lock held, so that of two threads which load sinks with the same
 * library, neither makes a page read-only while the other is writing to it. */
static int correct_all(struct dl_phdr_info *first, size_t size, void *arg)
{
    struct corrections *corrections = arg;
    (void)first;
    (void)size;
    for (size_t i = 0; i < corrections->count && !corrections->refused; i++)
        if (!correct(&corrections->item[i])) {
            corrections->reason = errno;
            corrections->refused = &corrections->item[i];
        }
    return 1;
}

static int refuse(const struct corrections *corrections, struct sw_error *err)
{
    Dl_info there;
    const struct correction *refused = corrections->refused;
    const void *preferred = dlsym(RTLD_DEFAULT, refused->name);
    bool found = preferred && dladdr(preferred, &there) && *there.dli_fname;
    return sw_error_set(err, SW_ESINK,
                        "%s calls the function %s of a library, but %s has one of this name, "
                        "which the loader prefers, and this cannot be corrected: %s",
                        swi_last_part(refused->object->map->l_name), refused->name,
                        found ? there.dli_fname : "the program", strerror(corrections->reason));
}

/* On other processors, the loader does not write a plain address. */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__loongarch__) ||   \
    defined(__s390x__) || (defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2)
enum { PLAIN = 1 };
#else
enum { PLAIN = 0 };
#endif

int swi_own_symbols(void *library, struct sw_error *err)
{
    struct closure closure, program;
    void *main_program = PLAIN ? dlopen(NULL, RTLD_LAZY) : NULL;
    int rc = 0;
    if (!main_program)
        return 0;
    closure_init(&closure, library);
    closure_init(&program, main_program);
    struct corrections corrections = {.closure = &closure};
    closure_check(&corrections, &program);
    if (corrections.count)
        dl_iterate_phdr(correct_all, &corrections);
    if (closure.failed || program.failed || corrections.failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    else if (corrections.refused)
        rc = refuse(&corrections, err);
    free(corrections.item);
    closure_fini(&program);
    closure_fini(&closure);
    dlclose(main_program);
    dlerror(); /* that a name was not found is not the program's concern */
    return rc;
}

/* ---- whose ----------------------------------------------------------------------------------- */

int swi_own_symbols_here(struct sw_error *err)
{
    static atomic_bool done;
    Dl_info here;
    if (atomic_load(&done) || !dladdr(&done, &here) || !here.dli_fname || !*here.dli_fname)
        return 0;
    /* Finds nothing if this code is a part of the program: then there is nothing to correct. */
    void *library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    int rc = library ? swi_own_symbols(library, err) : 0;
    if (library)
        dlclose(library);
    atomic_store(&done, rc == 0);
    return rc;
}

static void *own_open(const char *name, struct sw_error *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *message = dlerror();
        sw_error_set(err, SW_EIO, "%s", message ? message : name);
    } else if (swi_own_symbols(library, err) < 0) {
        dlclose(library);
        library = NULL;
    }
    return library;
}

void *swi_library_open(const char *const *names, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    void *library = own_open(*names, err);
    while (!library && *++names) {
        library = own_open(*names, &ignored);
        sw_error_free(library ? err : &ignored);
    }
    return library;
}
