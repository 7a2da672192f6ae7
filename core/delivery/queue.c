/* SPDX-License-Identifier: MIT */
#include "core/delivery/queue.h"
#include "core/clock/deadline.h"
#include "core/clock/now.h"
#include "core/delivery/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CERTAIN_FIRST = 64 };

/* ---- rings ----------------------------------------------------------------------------------- */

static bool ring_init(struct swi_ring *ring, size_t capacity)
{
    *ring = (struct swi_ring){.capacity = capacity};
    ring->item = capacity ? malloc(capacity * sizeof *ring->item) : NULL;
    return ring->item;
}

/* Avoids a division, because this runs on the loop's thread. */
static size_t ring_index(const struct swi_ring *ring, size_t i)
{
    size_t index = ring->head + i;
    return index < ring->capacity ? index : index - ring->capacity;
}

static void ring_put(struct swi_ring *ring, struct swi_waiting waiting)
{
    ring->item[ring_index(ring, ring->count++)] = waiting;
    ring->bytes += waiting.record->bytes;
}

static struct swi_waiting ring_take(struct swi_ring *ring)
{
    enum { AHEAD = 4 };
    struct swi_waiting waiting = ring->item[ring->head];
    if (ring->count > AHEAD) /* another processor has written it */
        __builtin_prefetch(&ring->item[ring_index(ring, AHEAD)].record->bytes, 1);
    /* An empty ring begins anew, so that it touches no more memory than it needs. */
    ring->head = ring->count > 1 ? ring_index(ring, 1) : 0;
    ring->count--;
    ring->bytes -= waiting.record->bytes;
    return waiting;
}

/* Returns whether a record fits. A single record always fits. */
static bool ring_has_bytes(const struct swi_ring *ring, const struct swi_record *record,
                           size_t most)
{
    return !ring->count || ring->bytes + record->bytes <= most;
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

/* ---- the queue ------------------------------------------------------------------------------- */

int swi_queue_init(struct swi_queue *queue, size_t capacity, enum sw_queue_policy policy)
{
    *queue = (struct swi_queue){.policy = policy, .value_kinds = UINT32_MAX};
    pthread_mutex_init(&queue->lock, NULL);
    swi_cond_init(&queue->wake);
    if (ring_init(&queue->droppable, capacity) && ring_init(&queue->certain, CERTAIN_FIRST))
        return 0;
    swi_queue_fini(queue);
    return SW_ENOMEM;
}

void swi_queue_fini(struct swi_queue *queue)
{
    ring_fini(&queue->droppable);
    ring_fini(&queue->certain);
    ring_fini(&queue->values);
    pthread_cond_destroy(&queue->wake);
    pthread_mutex_destroy(&queue->lock);
}

/* Returns the counters of lost records. Losses that were not reported yet are reported together. */
static struct sw_lost *lost_since(struct swi_queue *queue, uint64_t number)
{
    struct sw_lost *lost = &queue->lost;
    if (!lost->metrics && !lost->steps && !lost->regions && !lost->spans)
        queue->lost_at = number;
    return lost;
}

static void lost_note(struct swi_queue *queue, enum sw_record_type type, int64_t lost,
                      uint64_t number)
{
    if (type == SW_RECORD_METRICS)
        lost_since(queue, number)->metrics += lost;
    else if (type == SW_RECORD_STEP)
        lost_since(queue, number)->steps += lost;
    else if (type == SW_RECORD_REGIONS)
        lost_since(queue, number)->regions += lost;
    else if (type == SW_RECORD_SPAN)
        lost_since(queue, number)->spans += lost;
}

/* Drops the record and counts it. */
static void go(struct swi_queue *queue, struct swi_record *record)
{
    queue->dropped[record->record.type]++;
    lost_note(queue, record->record.type, swi_record_holds(record), queue->pushed - 1);
    swi_record_unref(record);
}

static bool droppable_fits(const struct swi_ring *ring, const struct swi_record *record)
{
    return ring->count < ring->capacity && ring_has_bytes(ring, record, SWI_RING_BYTES);
}

static void put_droppable(struct swi_queue *queue, struct swi_waiting waiting)
{
    struct swi_ring *ring = &queue->droppable;
    /* A large record may need the room of several small ones. */
    while (queue->policy == SW_QUEUE_DROP_OLDEST && !droppable_fits(ring, waiting.record))
        go(queue, ring_take(ring).record);
    if (droppable_fits(ring, waiting.record))
        ring_put(ring, waiting);
    else
        go(queue, waiting.record);
}

/* Returns whether to drop a mark. If its begin is dropped, everything up to its end is dropped too,
 * so that marks stay nested. */
static bool mark_skips(struct swi_queue *queue, const struct swi_record *record, bool full)
{
    bool begins = record->record.regions.item->event == SW_REGION_BEGIN;
    if (!queue->marks_skipped && !(begins && full))
        return false;
    queue->marks_skipped += begins ? 1 : -1;
    return true;
}

static bool pause_skips(struct swi_queue *queue, const struct swi_record *record, bool full)
{
    bool begins = record->record.pause->paused;
    if (!queue->pause_skipped && !(begins && full))
        return false;
    queue->pause_skipped = begins;
    return true;
}

/* Returns whether to drop a record of the `certain` ring. Ends of what began before have as much
 * room again, and so have reports of fits and the end of the run. */
static bool certain_skips(struct swi_queue *queue, const struct swi_record *record)
{
    bool full = !ring_has_bytes(&queue->certain, record, SWI_RING_BYTES);
    switch (record->record.type) {
    case SW_RECORD_MARK:
        return mark_skips(queue, record, full);
    case SW_RECORD_PAUSE:
        return pause_skips(queue, record, full);
    default:
        return full && swi_record_kinds[record->record.type].drops_when_full;
    }
}

/* Replaces a waiting report of a fit, if one is among the newest records. */
static bool report_replace(struct swi_queue *queue, struct swi_record *record)
{
    enum { NEWEST = 8 };
    struct swi_ring *ring = &queue->certain;
    for (size_t i = 1; i <= NEWEST && i <= ring->count; i++) {
        struct swi_waiting *waiting = &ring->item[ring_index(ring, ring->count - i)];
        if (waiting->record->record.type != SW_RECORD_REPORT)
            continue;
        ring->bytes += record->bytes - waiting->record->bytes;
        go(queue, waiting->record);
        waiting->record = record;
        return true;
    }
    return false;
}

static void put_certain(struct swi_queue *queue, struct swi_waiting waiting)
{
    struct swi_ring *ring = &queue->certain;
    bool replaces = waiting.record->record.type == SW_RECORD_REPORT &&
                    !ring_has_bytes(ring, waiting.record, 2 * SWI_RING_BYTES);
    if (waiting.record->record.type == SW_RECORD_EPOCH)
        queue->epoch_bytes = waiting.record->bytes;
    bool skipped = certain_skips(queue, waiting.record);
    if (!skipped && replaces && report_replace(queue, waiting.record))
        return;
    if (skipped || (ring->count == ring->capacity && !ring_grow(ring)))
        go(queue, waiting.record);
    else
        ring_put(ring, waiting);
}

/* The newest goes: what waits was logged earlier, and the loop must not wait. */
static void put_value(struct swi_queue *queue, struct swi_waiting waiting)
{
    struct swi_ring *ring = &queue->values;
    bool there = ring->item || ring_init(ring, SWI_VALUES_WAITING);
    if (there && ring->count < ring->capacity)
        ring_put(ring, waiting);
    else
        go(queue, waiting.record);
}

size_t swi_queue_values(struct swi_queue *queue, uint64_t *taken)
{
    pthread_mutex_lock(&queue->lock);
    size_t count = queue->values.count;
    *taken = queue->values_taken;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

void swi_queue_drop_values(struct swi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->values.count)
        go(queue, ring_take(&queue->values).record);
    pthread_mutex_unlock(&queue->lock);
}

/* Notes whether an epoch as large as the last one would not fit. Call it with the lock held after
 * each change. */
static void refusal_note(struct swi_queue *queue)
{
    bool refuses = queue->epoch_bytes && queue->certain.count &&
                   queue->certain.bytes + queue->epoch_bytes > SWI_RING_BYTES;
    atomic_store_explicit(&queue->refuses_epoch, refuses, memory_order_relaxed);
}

bool swi_queue_refuses_epoch(struct swi_queue *queue)
{
    return atomic_load_explicit(&queue->refuses_epoch, memory_order_relaxed);
}

void swi_queue_count_epoch(struct swi_queue *queue)
{
    atomic_fetch_add(&queue->epochs_unmade, 1);
}

/* Takes over the reference. */
static void put(struct swi_queue *queue, struct swi_record *record)
{
    if (queue->sealed) {
        swi_record_unref(record);
        return;
    }
    queue->sealed = record->wanted == SW_RECORD_END;
    struct swi_waiting waiting = {queue->pushed++, record};
    if (swi_record_is_value(record))
        put_value(queue, waiting);
    else if (swi_record_is_droppable(record))
        put_droppable(queue, waiting);
    else
        put_certain(queue, waiting);
}

static bool is_wanted(const struct swi_queue *queue, const struct swi_record *record,
                      uint32_t wants)
{
    if (!(wants & SW_WANT(record->wanted)))
        return false;
    const struct sw_value *value = swi_record_is_value(record) ? record->record.value : NULL;
    return !value || (queue->value_kinds & SW_WANT_VALUE(value->kind));
}

void swi_queue_push_list(struct swi_queue *queue, struct swi_record *first, uint32_t wants)
{
    struct swi_record *record = first;
    while (record && !is_wanted(queue, record, wants))
        record = record->next;
    if (!record)
        return;
    pthread_mutex_lock(&queue->lock);
    for (; record; record = record->next) {
        if (!is_wanted(queue, record, wants))
            continue;
        swi_record_ref(record);
        put(queue, record);
    }
    refusal_note(queue);
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->wake);
}

void swi_queue_count_dropped(struct swi_queue *queue, enum sw_record_type type, int64_t count,
                             int64_t lost)
{
    pthread_mutex_lock(&queue->lock);
    lost_note(queue, type, lost, queue->pushed);
    queue->pushed += (uint64_t)count;
    queue->dropped[type] += count;
    pthread_mutex_unlock(&queue->lock);
}

bool swi_queue_is_half_full(struct swi_queue *queue)
{
    const struct swi_ring *ring = &queue->droppable;
    pthread_mutex_lock(&queue->lock);
    bool half = 2 * ring->count >= ring->capacity || 2 * ring->bytes >= SWI_RING_BYTES;
    pthread_mutex_unlock(&queue->lock);
    return half;
}

/* Of two rings the one whose oldest record came first; NULL when both are empty. */
static struct swi_ring *ring_earlier(struct swi_ring *a, struct swi_ring *b)
{
    if (!a || !a->count || !b->count)
        return a && a->count ? a : b->count ? b : NULL;
    return a->item[a->head].number < b->item[b->head].number ? a : b;
}

/* Returns the ring with the oldest record; NULL if all are empty. */
static struct swi_ring *ring_next(struct swi_queue *queue)
{
    return ring_earlier(ring_earlier(&queue->droppable, &queue->certain), &queue->values);
}

void swi_queue_wait(struct swi_queue *queue, int64_t max_ns)
{
    struct swi_deadline deadline = swi_deadline_in(max_ns);
    int rc = 0;
    pthread_mutex_lock(&queue->lock);
    while (!ring_next(queue) && !queue->urgent && !queue->closing && rc == 0)
        rc = swi_deadline_wait(&queue->wake, &queue->lock, &deadline);
    pthread_mutex_unlock(&queue->lock);
}

bool swi_queue_idle(struct swi_queue *queue, int64_t max_ns)
{
    struct swi_deadline deadline = swi_deadline_in(max_ns);
    int rc = 0;
    pthread_mutex_lock(&queue->lock);
    while (!queue->urgent && !queue->closing && rc == 0)
        rc = swi_deadline_wait(&queue->wake, &queue->lock, &deadline);
    queue->urgent = false;
    bool closing = queue->closing;
    pthread_mutex_unlock(&queue->lock);
    return closing;
}

/* What was dropped is reported before the first record that arrived after it. */
struct swi_taken swi_queue_take(struct swi_queue *queue, struct swi_record **records, size_t room)
{
    struct swi_taken taken = {0};
    struct swi_ring *ring;
    size_t bytes = 0, value_bytes = 0;
    pthread_mutex_lock(&queue->lock);
    while (taken.count < room && bytes < SWI_TAKE_BYTES && value_bytes < SWI_TAKE_VALUE_BYTES &&
           (ring = ring_next(queue))) {
        struct swi_waiting waiting = ring_take(ring);
        records[taken.count++] = waiting.record;
        taken.lost_before += waiting.number < queue->lost_at;
        bytes += waiting.record->bytes + waiting.record->value_bytes;
        value_bytes += waiting.record->value_bytes;
        queue->values_taken += swi_record_is_value(waiting.record);
    }
    ring = ring_next(queue);
    taken.number = ring ? ring->item[ring->head].number : queue->pushed;
    if (!ring || taken.number > queue->lost_at) {
        taken.lost = queue->lost;
        queue->lost = (struct sw_lost){0};
    }
    taken.closing = queue->closing && !ring;
    queue->urgent = false;
    refusal_note(queue);
    pthread_mutex_unlock(&queue->lock);
    return taken;
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
    int64_t unmade = atomic_load(&queue->epochs_unmade);
    int64_t pushed = (int64_t)queue->pushed + unmade;
    memcpy(dropped, queue->dropped, sizeof queue->dropped);
    dropped[SW_RECORD_EPOCH] += unmade;
    pthread_mutex_unlock(&queue->lock);
    return pushed;
}
