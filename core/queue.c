/* SPDX-License-Identifier: MIT */
#include "core/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CERTAIN_FIRST = 64 };

/* ---- rings --------------------------------------------------------------------------------------
 */

static bool ring_init(struct swi_ring *ring, size_t capacity)
{
    *ring = (struct swi_ring){.capacity = capacity};
    ring->item = malloc(capacity * sizeof *ring->item);
    return ring->item;
}

/* No division: this is on the loop's thread. */
static size_t ring_index(const struct swi_ring *ring, size_t i)
{
    size_t index = ring->head + i;
    return index < ring->capacity ? index : index - ring->capacity;
}

static void ring_put(struct swi_ring *ring, struct swi_waiting waiting)
{
    ring->item[ring_index(ring, ring->count++)] = waiting;
}

static struct swi_waiting ring_take(struct swi_ring *ring)
{
    struct swi_waiting waiting = ring->item[ring->head];
    ring->head = ring_index(ring, 1);
    ring->count--;
    return waiting;
}

static bool ring_grow(struct swi_ring *ring)
{
    struct swi_ring larger;
    if (!ring_init(&larger, 2 * ring->capacity))
        return false;
    while (ring->count)
        ring_put(&larger, ring_take(ring));
    free(ring->item);
    *ring = larger;
    return true;
}

static void ring_fini(struct swi_ring *ring)
{
    while (ring->count)
        swi_record_unref(ring_take(ring).record);
    free(ring->item);
    *ring = (struct swi_ring){0};
}

/* ---- the queue ----------------------------------------------------------------------------------
 */

int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy)
{
    pthread_condattr_t attributes;
    *queue = (struct swi_queue){.policy = policy};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (ring_init(&queue->droppable, capacity) && ring_init(&queue->certain, CERTAIN_FIRST))
        return 0;
    swi_queue_fini(queue);
    return SW_ENOMEM;
}

void swi_queue_fini(struct swi_queue *queue)
{
    ring_fini(&queue->droppable);
    ring_fini(&queue->certain);
    pthread_cond_destroy(&queue->wake);
    pthread_mutex_destroy(&queue->lock);
}

/* Whether losing one of them loses no more than a few points of a curve. */
static bool is_droppable(enum sw_record_type type)
{
    return type == SW_RECORD_METRICS || type == SW_RECORD_STEP || type == SW_RECORD_REGIONS;
}

/* Returns the record that had to go, or NULL. */
static struct swi_record *put_droppable(struct swi_queue *queue, struct swi_waiting waiting)
{
    struct swi_ring *ring = &queue->droppable;
    struct swi_record *gone = NULL;
    if (ring->count == ring->capacity) {
        if (queue->policy == SW_QUEUE_DROP_NEWEST)
            return waiting.record;
        gone = ring_take(ring).record;
    }
    ring_put(ring, waiting);
    return gone;
}

/* The same; it goes only where there is no memory. */
static struct swi_record *put_certain(struct swi_queue *queue, struct swi_waiting waiting)
{
    struct swi_ring *ring = &queue->certain;
    if (ring->count == ring->capacity && !ring_grow(ring))
        return waiting.record;
    ring_put(ring, waiting);
    return NULL;
}

void swi_queue_push(struct swi_queue *queue, struct swi_record *record)
{
    bool droppable = is_droppable(record->record.type);
    pthread_mutex_lock(&queue->lock);
    struct swi_waiting waiting = {queue->pushed++, record};
    struct swi_record *gone =
        droppable ? put_droppable(queue, waiting) : put_certain(queue, waiting);
    if (gone)
        queue->dropped[gone->record.type]++;
    bool half_full = 2 * queue->droppable.count >= queue->droppable.capacity;
    bool wake = !queue->urgent && (half_full || !droppable);
    queue->urgent |= wake;
    pthread_mutex_unlock(&queue->lock);
    if (wake)
        pthread_cond_signal(&queue->wake);
    if (gone)
        swi_record_unref(gone);
}

static struct timespec poll_deadline(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t ns = t.tv_nsec + SWI_POLL_NS;
    t.tv_sec += ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

/* The time passes even where records wait already: those that come meanwhile are taken in the same
 * go. */
static void wait_a_while(struct swi_queue *queue)
{
    struct timespec deadline = poll_deadline();
    while (!queue->urgent && !queue->closing)
        if (pthread_cond_timedwait(&queue->wake, &queue->lock, &deadline) == ETIMEDOUT)
            return;
}

void swi_queue_await(struct swi_queue *queue, int64_t max_ns)
{
    pthread_mutex_lock(&queue->lock);
    for (; max_ns > 0 && !queue->pushed && !queue->urgent && !queue->closing; max_ns -= SWI_POLL_NS)
        wait_a_while(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* Of the two rings the one whose oldest record came first; NULL when both are empty. */
static struct swi_ring *ring_next(struct swi_queue *queue)
{
    struct swi_ring *a = &queue->droppable, *b = &queue->certain;
    if (!a->count || !b->count)
        return a->count ? a : b->count ? b : NULL;
    return a->item[a->head].number < b->item[b->head].number ? a : b;
}

size_t swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room,
                      uint64_t *taken, bool *closing)
{
    size_t n = 0;
    struct swi_ring *ring;
    pthread_mutex_lock(&queue->lock);
    wait_a_while(queue);
    while (n < room && (ring = ring_next(queue)))
        records[n++] = ring_take(ring).record;
    ring = ring_next(queue);
    *taken = ring ? ring->item[ring->head].number : queue->pushed;
    queue->urgent = ring;
    *closing = queue->closing && !queue->urgent;
    pthread_mutex_unlock(&queue->lock);
    return n;
}

uint64_t swi_queue_wake(struct swi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->urgent = true;
    uint64_t pushed = queue->pushed;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->wake);
    return pushed;
}

void swi_queue_close(struct swi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->wake);
}

int64_t swi_queue_count(struct swi_queue *queue, int64_t dropped[SW_RECORD_TYPES])
{
    pthread_mutex_lock(&queue->lock);
    int64_t pushed = (int64_t)queue->pushed;
    memcpy(dropped, queue->dropped, sizeof queue->dropped);
    pthread_mutex_unlock(&queue->lock);
    return pushed;
}
