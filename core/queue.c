/* SPDX-License-Identifier: MIT */
#include "core/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Whether losing one of them loses no more than a few points of a curve. */
static bool is_droppable(enum sw_record_type type)
{
    return type == SW_RECORD_METRICS || type == SW_RECORD_STEP || type == SW_RECORD_REGIONS;
}

int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy)
{
    pthread_condattr_t attributes;
    *queue = (struct swi_queue){.capacity = capacity, .policy = policy};
    queue->overflow_end = &queue->overflow;
    queue->ring = malloc(capacity * sizeof(*queue->ring));
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return queue->ring ? 0 : SW_ENOMEM;
}

static struct swi_record *ring_at(const struct swi_queue *queue, size_t i)
{
    return queue->ring[(queue->head + i) % queue->capacity];
}

static struct swi_record *ring_take(struct swi_queue *queue)
{
    struct swi_record *record = ring_at(queue, 0);
    queue->head = (queue->head + 1) % queue->capacity;
    queue->count--;
    return record;
}

static void ring_put(struct swi_queue *queue, struct swi_record *record)
{
    queue->ring[(queue->head + queue->count++) % queue->capacity] = record;
}

/* A record may wait in several queues, so the list is not made of the records themselves. */
struct swi_waiting {
    struct swi_waiting *next;
    struct swi_record *record;
};

static struct swi_record *overflow_take(struct swi_queue *queue)
{
    struct swi_waiting *first = queue->overflow;
    struct swi_record *record = first->record;
    queue->overflow = first->next;
    if (!queue->overflow)
        queue->overflow_end = &queue->overflow;
    free(first);
    return record;
}

static bool overflow_put(struct swi_queue *queue, struct swi_record *record)
{
    struct swi_waiting *last = malloc(sizeof *last);
    if (!last)
        return false;
    *last = (struct swi_waiting){.record = record};
    *queue->overflow_end = last;
    queue->overflow_end = &last->next;
    return true;
}

void swi_queue_fini(struct swi_queue *queue)
{
    while (queue->count)
        swi_record_unref(ring_take(queue));
    while (queue->overflow)
        swi_record_unref(overflow_take(queue));
    free(queue->ring);
    pthread_cond_destroy(&queue->wake);
    pthread_mutex_destroy(&queue->lock);
}

/* Takes the oldest droppable record out of the ring; those before it, which are few, move up. NULL:
 * there is none. */
static struct swi_record *ring_give_up_oldest(struct swi_queue *queue)
{
    size_t i = 0;
    while (i < queue->count && !is_droppable(ring_at(queue, i)->record.type))
        i++;
    if (i == queue->count)
        return NULL;
    struct swi_record *given_up = ring_at(queue, i);
    for (; i > 0; i--)
        queue->ring[(queue->head + i) % queue->capacity] = ring_at(queue, i - 1);
    ring_take(queue);
    return given_up;
}

static void count_dropped(struct swi_queue *queue, const struct swi_record *record)
{
    queue->dropped[record->record.type]++;
    queue->taken++;
}

/* Puts a record into a queue that has no room; returns one that had to go, or NULL. */
static struct swi_record *put_into_full(struct swi_queue *queue, struct swi_record *record)
{
    bool droppable = is_droppable(record->record.type);
    if (queue->policy == SW_QUEUE_DROP_OLDEST && !queue->overflow) {
        struct swi_record *oldest = ring_give_up_oldest(queue);
        if (oldest) {
            ring_put(queue, record);
            return oldest;
        }
    }
    return droppable || !overflow_put(queue, record) ? record : NULL;
}

void swi_queue_push(struct swi_queue *queue, struct swi_record *record)
{
    struct swi_record *dropped = NULL;
    pthread_mutex_lock(&queue->lock);
    queue->pushed++;
    if (queue->count < queue->capacity && !queue->overflow)
        ring_put(queue, record);
    else if ((dropped = put_into_full(queue, record)))
        count_dropped(queue, dropped);
    bool half_full = queue->count == queue->capacity / 2;
    bool wake = !queue->urgent && (half_full || !is_droppable(record->record.type));
    queue->urgent |= wake;
    pthread_mutex_unlock(&queue->lock);
    if (wake)
        pthread_cond_signal(&queue->wake);
    if (dropped)
        swi_record_unref(dropped);
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
    while (!queue->urgent && !queue->closing && !queue->flush)
        if (pthread_cond_timedwait(&queue->wake, &queue->lock, &deadline) == ETIMEDOUT)
            return;
}

size_t swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room,
                      bool *closing, bool *flush)
{
    size_t n = 0;
    pthread_mutex_lock(&queue->lock);
    wait_a_while(queue);
    while (n < room && queue->count)
        records[n++] = ring_take(queue);
    while (n < room && queue->overflow)
        records[n++] = overflow_take(queue);
    bool empty = !queue->count && !queue->overflow;
    queue->urgent = !empty;
    *closing = queue->closing && empty;
    *flush = queue->flush && empty;
    if (*flush)
        queue->flush = false;
    queue->taken += n;
    pthread_mutex_unlock(&queue->lock);
    return n;
}

static void ask(struct swi_queue *queue, bool *what)
{
    pthread_mutex_lock(&queue->lock);
    *what = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->wake);
}

void swi_queue_close(struct swi_queue *queue)
{
    ask(queue, &queue->closing);
}

void swi_queue_flush(struct swi_queue *queue)
{
    ask(queue, &queue->flush);
}

int64_t swi_queue_dropped(struct swi_queue *queue)
{
    int64_t dropped = 0;
    pthread_mutex_lock(&queue->lock);
    for (int type = 0; type < SW_RECORD_TYPES; type++)
        dropped += queue->dropped[type];
    pthread_mutex_unlock(&queue->lock);
    return dropped;
}

size_t swi_queue_waiting(struct swi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t waiting = (size_t)(queue->pushed - queue->taken);
    pthread_mutex_unlock(&queue->lock);
    return waiting;
}
