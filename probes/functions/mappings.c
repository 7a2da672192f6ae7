/* SPDX-License-Identifier: MIT */
#include "probes/functions/mappings.h"
#include "probes/functions/held_signals.h"
#include "probes/functions/store.h"
#include "probes/functions/thread_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READS_IN_VAIN = 64 };

static atomic_bool reading;
static atomic_int in_vain;     /* addresses in no object: code made at run time */
static bool seen[FN_MAPPINGS]; /* while reading */

/* ---- one mapping ---- */

/* Reads "start-end perms offset device inode path". Returns false if it is not an object with code.
 */
static bool line_read(const char *line, struct fn_mapping *place, const char **path)
{
    char *at;
    place->start = strtoull(line, &at, 16);
    if (*at++ != '-')
        return false;
    place->end = strtoull(at, &at, 16);
    if (strlen(at) < 7 || at[3] != 'x')
        return false;
    place->offset = strtoull(at + 6, NULL, 16);
    *path = strchr(at, '/');
    return *path != NULL;
}

static void file_look(const char *path, struct fn_mapping *place)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return;
    place->size = (uint64_t)status.st_size;
    place->mtime_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
}

static bool is_same(const struct fn_mapping *a, const struct fn_mapping *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           a->size == b->size && a->mtime_ns == b->mtime_ns;
}

/* Returns the offset of the path among the names; UINT32_MAX if they are full. */
static uint32_t name_keep(const char *path)
{
    uint32_t size = (uint32_t)strlen(path) + 1, used = atomic_load(&fn_file->names);
    char *names = fn_store_names();
    for (uint32_t at = 0; at < used; at += (uint32_t)strlen(names + at) + 1)
        if (strcmp(names + at, path) == 0)
            return at;
    if (used + size > FN_NAMES)
        return UINT32_MAX;
    fn_store_need(names + used, size);
    memcpy(names + used, path, size);
    atomic_store(&fn_file->names, used + size);
    return used;
}

static void place_add(struct fn_mapping *place)
{
    uint32_t count = atomic_load(&fn_file->places);
    struct fn_mapping *all = fn_store_places();
    if (count >= FN_MAPPINGS)
        return;
    fn_store_need(&all[count], sizeof *all);
    all[count] = *place;
    seen[count] = true;
    atomic_store(&fn_file->places, count + 1);
}

static void place_take(struct fn_mapping *place, const char *path)
{
    struct fn_mapping *all = fn_store_places();
    file_look(path, place);
    place->path = name_keep(path);
    for (uint32_t i = 0; i < atomic_load(&fn_file->places); i++) {
        if (!seen[i] && is_same(&all[i], place) && all[i].path == place->path) {
            all[i].gone = 0;
            seen[i] = true;
            return;
        }
    }
    if (place->path != UINT32_MAX)
        place_add(place);
}

/* ---- all of them ---- */

static void line_take(const char *line)
{
    struct fn_mapping place = {0};
    const char *path;
    if (line_read(line, &place, &path))
        place_take(&place, path);
}

/* Does not use a stream, which would take memory and locks. Returns false if the file cannot be
 * read: a program may give up the right to do so after it is open. */
static bool maps_read(void)
{
    char text[PATH_MAX + 256];
    size_t size = 0;
    ssize_t got;
    bool any = false;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((got = read(fd, text + size, sizeof text - 1 - size)) > 0) {
        any = true;
        size += (size_t)got;
        text[size] = '\0';
        char *line = text, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            line_take(line);
        }
        size = strlen(line);
        memmove(text, line, size);
        if (size == sizeof text - 1)
            size = 0;
    }
    close(fd);
    return any && got == 0;
}

/* The loader's list names the program itself only as it was started. */
static const char *object_path(const char *name, char *buffer)
{
    const char *started = (const char *)getauxval(AT_EXECFN);
    if (*name == '/')
        return name;
    return *name || !started ? NULL : realpath(started, buffer);
}

static int object_take(struct dl_phdr_info *object, size_t size, void *arg)
{
    char buffer[PATH_MAX];
    const char *path = object_path(object->dlpi_name, buffer);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    (void)size;
    (void)arg;
    for (int i = 0; path && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uint64_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        struct fn_mapping place = {.start = start - start % page,
                                   .end = start + part->p_memsz,
                                   .offset = part->p_offset - start % page};
        place_take(&place, path);
    }
    return 0;
}

/* Without /proc, as in a chroot, the objects that the program was started with. Only then, when no
 * other thread can be in the loader, whose lock this takes. */
static void objects_read(void)
{
    if (atomic_load(&fn_file->places) == 0)
        dl_iterate_phdr(object_take, NULL);
}

/* ---- objects that were unmapped ---- */

static uint64_t gone_address(uint32_t number, const struct fn_mapping *place, uint64_t fn)
{
    return FN_GONE | (uint64_t)number << 40 | (fn - place->start + place->offset);
}

static bool is_in(const struct fn_mapping *place, uint64_t fn)
{
    return fn >= place->start && fn < place->end;
}

/* Threads that call other functions meanwhile see the old or the new address. */
static void nodes_leave(struct fn_own *own, void *left)
{
    const struct fn_mapping *place = left;
    uint32_t number = (uint32_t)(place - fn_store_places());
    uint32_t count = atomic_load(&own->part->count), more = atomic_load(&own->part->more);
    for (uint32_t i = 1; i < more; i = i + 1 == count ? FN_NODES : i + 1) {
        struct fn_node *node = &own->nodes[i];
        if (is_in(place, node->fn) && !(node->flags & FN_ROOT))
            atomic_store(&node->fn, gone_address(number, place, node->fn));
        if ((node->flags & FN_BEYOND) && is_in(place, node->caller))
            node->caller = gone_address(number, place, node->caller);
    }
}

static void place_leave(struct fn_mapping *place)
{
    place->gone = 1;
    fn_owns_each(nodes_leave, place);
}

static void read_all(void)
{
    struct fn_mapping *all = fn_store_places();
    memset(seen, 0, sizeof seen);
    if (!maps_read()) {
        objects_read();
        return;
    }
    for (uint32_t i = 0; i < atomic_load(&fn_file->places); i++)
        if (!seen[i] && !all[i].gone)
            place_leave(&all[i]);
}

/* Waits for other threads: what they have read may be older than the address that is looked up.
 * Neither a signal nor a cancellation ends the reader, for which others wait. */
static void read_in_turn(void)
{
    static _Thread_local bool here __attribute__((tls_model("initial-exec")));
    if (here)
        return;
    here = true;
    int cancel;
    uint64_t signals = fn_signals_hold();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    while (atomic_exchange(&reading, true))
        sched_yield();
    read_all();
    atomic_store(&reading, false);
    pthread_setcancelstate(cancel, NULL);
    fn_signals_set(signals);
    here = false;
}

/* Children have the file, too, but their mappings are their own. */
void fn_places_read(void)
{
    int before = errno;
    if (fn_file && fn_file->pid == (uint32_t)getpid())
        read_in_turn();
    errno = before;
}

/* ---- looking one up ---- */

static const struct fn_mapping *place_of(uintptr_t fn)
{
    const struct fn_mapping *all = fn_store_places();
    uint32_t count = atomic_load(&fn_file->places);
    for (uint32_t i = 0; i < count; i++)
        if (!all[i].gone && is_in(&all[i], fn))
            return &all[i];
    return NULL;
}

void fn_places_know(uintptr_t fn)
{
    if (place_of(fn) || atomic_load(&in_vain) >= READS_IN_VAIN)
        return;
    fn_places_read();
    if (!place_of(fn))
        atomic_fetch_add(&in_vain, 1);
}
