/* SPDX-License-Identifier: MIT */
#include "core/rows/row_copies.h"
#include "core/process/leak_roots.h"

#include <sys/mman.h>

/* Only rows of regions that are open at a moment may use this part of the memory, because they
 * cannot wait. */
#define SPARE ((size_t)1 << 20)

/* All memory: the ring, and a slot for each moment. */
#define MAPPED (SWI_PAST_BYTES + SWI_MOMENTS * sizeof(struct swi_past_slot))

/* More moments or more memory than this are many. */
enum { MANY_MOMENTS = 64 };
#define MANY_BYTES (SWI_PAST_BYTES / 8)

void swi_past_init(struct swi_past *past, void (*relieve)(void *arg), void *arg)
{
    pthread_mutex_init(&past->lock, NULL);
    past->relieve = relieve;
    past->arg = arg;
}

void swi_past_fini(struct swi_past *past)
{
    if (past->memory && swi_leak_root_remove)
        swi_leak_root_remove(past->memory, MAPPED);
    if (past->memory)
        munmap(past->memory, MAPPED);
    past->memory = NULL;
    pthread_mutex_destroy(&past->lock);
}

/* Uses small pages: at the first byte of a large page, the loop would wait for two MiB to be
 * zeroed. */
bool swi_past_reserve(struct swi_past *past)
{
    if (past->memory)
        return true;
    char *memory = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, MAPPED, MADV_NOHUGEPAGE);
    past->slot = (struct swi_past_slot *)(memory + SWI_PAST_BYTES);
    past->memory = memory;
    if (swi_leak_root_add)
        swi_leak_root_add(memory, MAPPED);
    return true;
}

/* ---- the ring -------------------------------------------------------------------------------- */

static struct swi_past_slot *slot_of(const struct swi_past *past, uint64_t number)
{
    return &past->slot[number % SWI_MOMENTS];
}

/* Frees everything before the oldest waiting moment. */
static void reclaim(struct swi_past *past)
{
    uint64_t made = atomic_load_explicit(&past->made, memory_order_acquire);
    bool waits = made < SWI_GET(past->newest);
    past->tail = waits ? SWI_GET(slot_of(past, made + 1)->at) : SWI_GET(past->head);
}

/* Returns contiguous memory, or NULL if there is not enough. */
static void *take(struct swi_past *past, size_t size, size_t spare)
{
    uint64_t at = SWI_GET(past->head);
    size_t rounded = (size + 15) / 16 * 16, place = at % SWI_PAST_BYTES;
    if (!past->memory || rounded > SWI_PAST_BYTES)
        return NULL;
    if (place + rounded > SWI_PAST_BYTES)
        at += SWI_PAST_BYTES - place;
    reclaim(past);
    if (at + rounded - past->tail > SWI_PAST_BYTES - spare)
        return NULL;
    SWI_SET(past->head, at + rounded);
    return past->memory + at % SWI_PAST_BYTES;
}

/* ---- moments --------------------------------------------------------------------------------- */

/* If nothing waits, starts again with memory that was touched before. */
static void start_over(struct swi_past *past)
{
    if (atomic_load_explicit(&past->made, memory_order_acquire) == SWI_GET(past->newest))
        SWI_SET(past->head, past->tail = 0);
}

static bool has_slot(const struct swi_past *past)
{
    return SWI_GET(past->newest) - SWI_GET(past->made) < SWI_MOMENTS - 1;
}

uint64_t swi_past_post(struct swi_past *past, const void *moment, size_t size, uint64_t *number)
{
    uint64_t next = 0;
    pthread_mutex_lock(&past->lock);
    start_over(past);
    uint64_t at = SWI_GET(past->head);
    void *copy = has_slot(past) ? take(past, size, SPARE) : NULL;
    if (copy) {
        next = *number = SWI_GET(past->newest) + 1;
        memcpy(copy, moment, size);
        SWI_SET(slot_of(past, next)->at, at);
        atomic_store_explicit(&slot_of(past, next)->kept, NULL, memory_order_relaxed);
        atomic_store_explicit(&slot_of(past, next)->moment, copy, memory_order_relaxed);
        atomic_store_explicit(&past->newest, next, memory_order_release);
    }
    pthread_mutex_unlock(&past->lock);
    return next;
}

uint64_t swi_past_skip(struct swi_past *past)
{
    pthread_mutex_lock(&past->lock);
    uint64_t next = SWI_GET(past->newest) + 1;
    atomic_store(&past->made, next);
    atomic_store(&past->newest, next);
    pthread_mutex_unlock(&past->lock);
    return next;
}

void *swi_past_due(struct swi_past *past)
{
    uint64_t made = SWI_GET(past->made);
    if (made >= atomic_load_explicit(&past->newest, memory_order_acquire))
        return NULL;
    return atomic_load_explicit(&slot_of(past, made + 1)->moment, memory_order_relaxed);
}

void swi_past_made(struct swi_past *past, uint64_t number)
{
    atomic_store_explicit(&past->made, number, memory_order_release);
}

/* Another thread may change the numbers in between. Then the result may be wrong once, which does
 * no harm. */
static uint64_t waiting_of(const struct swi_past *past)
{
    uint64_t newest = atomic_load_explicit(&past->newest, memory_order_acquire);
    uint64_t made = SWI_GET(past->made);
    /* In this order: the memory is there before the first number. */
    return made < newest && past->memory ? newest - made : 0;
}

/* Returns the memory that the moments that wait have taken; there is at least one. */
static size_t bytes_of(const struct swi_past *past)
{
    return SWI_GET(past->head) - SWI_GET(slot_of(past, SWI_GET(past->made) + 1)->at);
}

bool swi_past_is_crowded(const struct swi_past *past)
{
    uint64_t waiting = waiting_of(past);
    return waiting > MANY_MOMENTS || (waiting && bytes_of(past) > MANY_BYTES);
}

bool swi_past_is_behind(const struct swi_past *past)
{
    uint64_t waiting = waiting_of(past);
    return waiting > MANY_MOMENTS &&
           (waiting > 2 * MANY_MOMENTS || bytes_of(past) > SWI_PAST_BYTES / 2);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t octaves_of(const struct swi_histogram *histogram)
{
    return swi_histogram_copy(histogram, NULL, 0);
}

static struct swi_kept *kept_new(struct swi_past *past, const struct swi_row *row, bool spare)
{
    struct swi_rates *rates = SWI_GET(row->rates);
    bool any = rates && SWI_GET(rates->count);
    size_t durations = octaves_of(&row->histogram), more = any ? octaves_of(&rates->histogram) : 0;
    size_t copied = any ? sizeof(struct swi_row_copy) : offsetof(struct swi_row_copy, rate_origin);
    size_t before = (sizeof(struct swi_kept) + copied + 15) / 16 * 16;
    size_t octaves = (durations + more) * sizeof(struct swi_octave_copy);
    size_t uses = swi_row_counter_use_copy(row, NULL, 0);
    struct swi_kept *kept =
        take(past, before + octaves + uses * sizeof(struct swi_use), spare ? 0 : SPARE);
    if (!kept)
        return NULL;
    struct swi_octave_copy *octave = (struct swi_octave_copy *)((char *)kept + before);
    *kept = (struct swi_kept){
        .row = row, .durations = durations, .rates = more, .octave = octave, .copied = copied};
    kept->uses = uses;
    kept->use = (const struct swi_use *)((const char *)octave + octaves);
    swi_row_counter_use_copy(row, (struct swi_use *)kept->use, uses);
    swi_histogram_copy(&row->histogram, octave, durations);
    if (any)
        swi_histogram_copy(&rates->histogram, octave + durations, more);
    return kept;
}

bool swi_past_row(struct swi_past *past, const struct swi_thread *thread, const struct swi_row *row,
                  uint64_t changed, uint64_t until, bool spare)
{
    struct swi_row_copy copy;
    swi_row_copy(row, &copy);
    pthread_mutex_lock(&past->lock);
    bool waits = swi_past_waits(past, until);
    struct swi_kept *kept = waits ? kept_new(past, row, spare) : NULL;
    if (kept) {
        memcpy(kept->copy, &copy, kept->copied);
        kept->thread = thread;
        kept->changed = changed;
        kept->until = until;
        struct swi_past_slot *slot = slot_of(past, SWI_GET(past->newest));
        kept->next = SWI_GET(slot->kept);
        atomic_store_explicit(&slot->kept, kept, memory_order_release);
    }
    pthread_mutex_unlock(&past->lock);
    return kept || !waits;
}

void swi_kept_copy(const struct swi_kept *kept, struct swi_row_copy *copy)
{
    *copy = (struct swi_row_copy){0};
    memcpy(copy, kept->copy, kept->copied);
}
