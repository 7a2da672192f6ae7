/* SPDX-License-Identifier: MIT */
#include "core/delivery/record.h"
#include "core/trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Functions of the leak sanitizer, NULL if the program does not have it. It does not search mapped
 * memory by itself, but what only such memory points to is not a leak if a sink was abandoned.
 * https://github.com/google/sanitizers/wiki/AddressSanitizerLeakSanitizer */
void swi_leak_root_add(const void *begin, size_t size) __asm__("__lsan_register_root_region")
    __attribute__((weak));
void swi_leak_root_remove(const void *begin, size_t size) __asm__("__lsan_unregister_root_region")
    __attribute__((weak));

/* As much as the list and the queues of several sinks may hold together. Beyond it, each record is
 * allocated. */
#define RESERVE ((size_t)64 << 20)

/* Most records are of steps and of a few values, and thousands of them may wait, so the first sizes
 * fill whole lines of the cache: 448, 576 and 768 bytes. */
static const size_t rooms[SWI_POOL_SIZES] = {5, 10, 16, SWI_POOL_METRICS, 256, 1024};
_Static_assert(sizeof(struct swi_record) + 5 * sizeof(struct sw_metric) <= 448,
               "a record of a step needs more than 7 cache lines");

_Static_assert(offsetof(struct swi_record, references) / 64 ==
                   (offsetof(struct swi_record, bytes) + sizeof(size_t) - 1) / 64,
               "the dispatcher needs more than one cache line of a record");

static size_t bytes_of(size_t room)
{
    size_t bytes = sizeof(struct swi_record) + room * sizeof(struct sw_metric);
    return (bytes + 63) / 64 * 64;
}

/* ---- the pool -------------------------------------------------------------------------------- */

void swi_pool_init(struct swi_pool *pool)
{
    *pool = (struct swi_pool){.taken = ATOMIC_FLAG_INIT};
    for (int i = 0; i < SWI_POOL_SIZES; i++)
        atomic_init(&pool->returned[i], NULL);
}

/* Records are cut from the end of the reserve. The first ones are made by the first calls of a
 * loop, which do not wait for the kernel then. */
static void first_touch(char *reserve)
{
    enum { FIRST = 1 << 14, EACH = 1024 };
    for (volatile char *at = reserve + RESERVE - FIRST; at < reserve + RESERVE; at += EACH)
        *at = 0;
}

/* Uses small pages: at the first byte of a large page, the loop would wait for two MiB to be
 * zeroed. */
void swi_pool_reserve(struct swi_pool *pool)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return; /* the program has better use for the little there is */
    void *memory = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    madvise(memory, RESERVE, MADV_NOHUGEPAGE);
    first_touch(memory);
    pool->reserve = memory;
    pool->reserve_left = RESERVE;
    if (swi_leak_root_add)
        swi_leak_root_add(memory, RESERVE);
}

static void list_free(struct swi_record *record)
{
    for (struct swi_record *next; record; record = next) {
        next = record->next;
        if (!record->reserved)
            free(record);
    }
}

void swi_pool_fini(struct swi_pool *pool)
{
    for (int i = 0; i < SWI_POOL_SIZES; i++) {
        list_free(pool->ready[i]);
        list_free(atomic_load(&pool->returned[i]));
    }
    if (!pool->reserve)
        return;
    if (swi_leak_root_remove)
        swi_leak_root_remove(pool->reserve, RESERVE);
    munmap(pool->reserve, RESERVE);
}

static struct swi_record *reserve_cut(struct swi_pool *pool, size_t bytes)
{
    if (pool->reserve_left < bytes)
        return NULL;
    pool->reserve_left -= bytes;
    struct swi_record *record = (struct swi_record *)(pool->reserve + pool->reserve_left);
    record->reserved = true;
    return record;
}

/* Takes everything that was returned at once: if records were taken one by one while others add
 * some, a record could be returned again in the middle. */
static struct swi_record *ready_take(struct swi_pool *pool, unsigned size)
{
    struct swi_record **ready = &pool->ready[size], *record;
    if (!*ready)
        *ready = atomic_exchange_explicit(&pool->returned[size], NULL, memory_order_acquire);
    if (!(record = *ready))
        return reserve_cut(pool, bytes_of(rooms[size]));
    *ready = record->next;
    if (*ready)
        swi_record_fetch(*ready);
    return record;
}

static struct swi_record *pool_take(struct swi_pool *pool, unsigned size)
{
    struct swi_record *record = NULL;
    if (!atomic_flag_test_and_set_explicit(&pool->taken, memory_order_acquire)) {
        record = ready_take(pool, size);
        atomic_flag_clear_explicit(&pool->taken, memory_order_release);
    }
    return record;
}

static void pool_give(struct swi_pool *pool, struct swi_record *record)
{
    _Atomic(struct swi_record *) *returned = &pool->returned[record->size];
    record->next = atomic_load_explicit(returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(returned, &record->next, record,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns the smallest size with enough room, or SWI_POOL_SIZES. */
static unsigned size_of(size_t metrics)
{
    unsigned size = 0;
    while (size < SWI_POOL_SIZES && metrics > rooms[size])
        size++;
    return size;
}

static struct swi_record *record_alloc(size_t room)
{
    struct swi_record *record = malloc(bytes_of(room));
    if (record)
        record->reserved = false;
    return record;
}

struct swi_record *swi_record_new(struct swi_pool *pool, enum sw_record_type type, size_t metrics)
{
    unsigned size = size_of(metrics);
    bool pooled = size < SWI_POOL_SIZES;
    size_t room = pooled ? rooms[size] : metrics;
    struct swi_record *record = pooled ? pool_take(pool, size) : NULL;
    if (!record && !(record = record_alloc(room)))
        return NULL;
    bool reserved = record->reserved;
    memset(record, 0, sizeof *record);
    atomic_init(&record->references, 1);
    record->pool = pooled ? pool : NULL;
    record->size = (uint8_t)size;
    record->reserved = reserved;
    record->bytes = bytes_of(room);
    record->record.size = sizeof record->record;
    record->record.type = type;
    record->wanted = (uint8_t)type;
    record->record.metrics.stride = sizeof *record->metric;
    record->record.metrics.item = record->metric;
    record->record.regions.stride = sizeof(struct sw_region);
    return record;
}

int64_t swi_record_holds(const struct swi_record *record)
{
    if (record->slice)
        return swi_slice_events(record->slice);
    bool one = record->record.type == SW_RECORD_STEP || record->record.type == SW_RECORD_SPAN;
    return one ? 1 : (int64_t)record->record.metrics.count;
}

void swi_record_ref(struct swi_record *record)
{
    atomic_fetch_add_explicit(&record->references, 1, memory_order_relaxed);
}

void swi_record_unref(struct swi_record *record)
{
    if (atomic_fetch_sub_explicit(&record->references, 1, memory_order_acq_rel) > 1)
        return;
    if (record->release)
        record->release(record->owned);
    if (record->pool)
        pool_give(record->pool, record);
    else
        free(record);
}
