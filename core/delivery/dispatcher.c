/* SPDX-License-Identifier: MIT */
#include "core/delivery/dispatcher.h"
#include "core/clock/clock.h"
#include "core/clock/deadline.h"
#include "core/delivery/worker.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* The dispatcher waits this many quarters of a millisecond at most for sinks that are behind. It
 * stops waiting for a sink that took nothing in STUCK_QUARTERS of them. */
enum { WAIT_QUARTERS = 400, STUCK_QUARTERS = 200 };
#define QUARTER_NS (MS / 4)
#define SOON_NS (10 * MS)
/* While it waits for sinks, the dispatcher looks at the loop once in so many quarters. */
enum { FETCH_QUARTERS = 8 };
/* The number of records to expect at each look: it saves work to move some together. */
enum { TOGETHER = 1024, PORTION_LEAST = 4 };

/* ---- from the list to the queues ------------------------------------------------------------- */

/* Appends the list, oldest first, to the records on the way. Returns how many records it had. */
static size_t list_take(struct swi_dispatcher *dispatcher)
{
    struct swi_record *newest = atomic_exchange(&dispatcher->newest, NULL), *oldest = NULL;
    struct swi_record *last = newest;
    size_t count = 0;
    for (struct swi_record *next; newest; newest = next, count++) {
        next = newest->next;
        newest->next = oldest;
        oldest = newest;
    }
    if (dispatcher->first)
        dispatcher->last->next = oldest;
    else
        dispatcher->first = oldest;
    dispatcher->last = last ? last : dispatcher->last;
    return count;
}

/* Returns how many records to move at once, so that the queue of each sink that keeps up has room
 * for them. */
static size_t portion_of(const struct swi_dispatcher *dispatcher)
{
    size_t least = 2 * TOGETHER;
    for (size_t i = 0; i < dispatcher->count; i++) {
        struct swi_worker *worker = dispatcher->worker[i];
        size_t capacity = worker->queue.droppable.capacity;
        if ((atomic_load(&worker->wants) & SWI_DROPPABLE) && !worker->slow && capacity / 2 < least)
            least = capacity / 2;
    }
    return least > PORTION_LEAST ? least : PORTION_LEAST;
}

/* Takes up to `most` of the records on the way. Returns NULL if there are none. */
static struct swi_record *portion_take(struct swi_dispatcher *dispatcher, size_t most)
{
    struct swi_record *first = dispatcher->first, *last = first;
    if (!first)
        return NULL;
    while (--most && last->next)
        last = last->next;
    dispatcher->first = last->next;
    last->next = NULL;
    return first;
}

/* Releases the dispatcher's own references. */
static void portion_give_back(struct swi_dispatcher *dispatcher, struct swi_record *record)
{
    size_t bytes = 0;
    for (struct swi_record *next; record; record = next) {
        next = record->next;
        bytes += record->bytes;
        swi_record_unref(record);
    }
    atomic_fetch_sub(&dispatcher->bytes, bytes);
}

static int64_t wanted_count(const struct swi_record *record, uint32_t wants)
{
    int64_t count = 0;
    for (; record; record = record->next)
        count += (wants & SW_WANT(record->wanted)) != 0;
    return count;
}

static void worker_push(struct swi_worker *worker, struct swi_record *first)
{
    uint32_t wants = atomic_load(&worker->wants);
    if (atomic_load(&worker->given_up))
        worker->missed += wanted_count(first, wants);
    else
        swi_queue_push_list(&worker->queue, first, wants);
}

static void worker_count_dropped(struct swi_worker *worker, enum sw_record_type type, int64_t count,
                                 int64_t lost)
{
    if (atomic_load(&worker->wants) & SW_WANT(type))
        swi_queue_count_dropped(&worker->queue, type, count, lost);
}

/* Lets each queue count what was dropped before the records that it gets now. */
static void dropped_count(struct swi_dispatcher *dispatcher)
{
    if (!atomic_exchange(&dispatcher->any_dropped, false))
        return;
    for (int type = 0; type < SW_RECORD_TYPES; type++) {
        int64_t dropped = atomic_exchange(&dispatcher->dropped[type], 0);
        int64_t lost = atomic_exchange(&dispatcher->lost[type], 0);
        for (size_t i = 0; dropped && i < dispatcher->count; i++)
            worker_count_dropped(dispatcher->worker[i], (enum sw_record_type)type, dropped, lost);
    }
}

static void portion_push(struct swi_dispatcher *dispatcher, struct swi_record *first)
{
    for (size_t i = 0; i < dispatcher->count; i++)
        worker_push(dispatcher->worker[i], first);
    portion_give_back(dispatcher, first);
}

/* Call it with the lock held. */
static void carry_all(struct swi_dispatcher *dispatcher)
{
    struct swi_record *first;
    list_take(dispatcher);
    dropped_count(dispatcher);
    while ((first = portion_take(dispatcher, SIZE_MAX)))
        portion_push(dispatcher, first);
}

bool swi_dispatcher_carry(struct swi_dispatcher *dispatcher, const struct swi_deadline *deadline)
{
    while (pthread_mutex_trylock(&dispatcher->lock) != 0) {
        if (swi_deadline_passed(deadline))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = QUARTER_NS}, NULL);
    }
    carry_all(dispatcher);
    pthread_mutex_unlock(&dispatcher->lock);
    return true;
}

/* ---- leaving records ------------------------------------------------------------------------- */

static void wake(struct swi_dispatcher *dispatcher)
{
    if (atomic_exchange(&dispatcher->sleeping, 0) == 1)
        syscall(SYS_futex, &dispatcher->sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void put(struct swi_dispatcher *dispatcher, struct swi_record *record)
{
    record->next = atomic_load_explicit(&dispatcher->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&dispatcher->newest, &record->next, record,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

static void drop(struct swi_dispatcher *dispatcher, struct swi_record *record)
{
    atomic_fetch_add(&dispatcher->dropped[record->record.type], 1);
    atomic_fetch_add(&dispatcher->lost[record->record.type], swi_record_holds(record));
    atomic_store(&dispatcher->any_dropped, true);
    atomic_fetch_sub(&dispatcher->bytes, record->bytes);
    swi_record_unref(record);
}

/* Handles a full list, because the dispatcher did not come for long. What sinks can do without is
 * dropped and counted: no call waits or wakes a thread. For all else, the caller moves the records
 * itself. */
static void put_full(struct swi_dispatcher *dispatcher, struct swi_record *record)
{
    if (swi_record_is_droppable(record) || swi_record_is_value(record)) {
        drop(dispatcher, record);
        return;
    }
    pthread_mutex_lock(&dispatcher->lock);
    carry_all(dispatcher);
    pthread_mutex_unlock(&dispatcher->lock);
    put(dispatcher, record);
}

static bool is_half_full(const struct swi_dispatcher *dispatcher)
{
    return atomic_load_explicit(&dispatcher->bytes, memory_order_relaxed) > SWI_LEFT_BYTES / 2;
}

void swi_dispatcher_put(struct swi_dispatcher *dispatcher, struct swi_record *record)
{
    size_t bytes = record->bytes;
    record->wanted = swi_record_wanted(&record->record); /* here its caches are warm */
    size_t left =
        atomic_fetch_add_explicit(&dispatcher->bytes, bytes, memory_order_relaxed) + bytes;
    if (left > SWI_LEFT_BYTES) {
        put_full(dispatcher, record);
        return;
    }
    put(dispatcher, record);
    if (left > SWI_LEFT_BYTES / 2)
        wake(dispatcher);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void sleep_for(struct swi_dispatcher *dispatcher, int64_t ns)
{
    const struct timespec limit = {.tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS)};
    if (is_half_full(dispatcher))
        return;
    atomic_store(&dispatcher->sleeping, 1);
    if (!atomic_load(&dispatcher->stopping))
        syscall(SYS_futex, &dispatcher->sleeping, FUTEX_WAIT_PRIVATE, 1, &limit, NULL, 0);
    atomic_store(&dispatcher->sleeping, 0);
}

/* Returns whether the queue of a sink is still half full. A sink that was too slow once is not
 * waited for until it has caught up. */
static bool is_behind(struct swi_dispatcher *dispatcher)
{
    bool behind = false;
    for (size_t i = 0; i < dispatcher->count; i++) {
        struct swi_worker *worker = dispatcher->worker[i];
        bool half_full = swi_queue_is_half_full(&worker->queue);
        worker->slow = worker->slow && half_full;
        behind = behind || (half_full && !worker->slow);
    }
    return behind;
}

/* Marks sinks that are behind as slow: all, or only those that handled nothing since the last call.
 */
static void slow_note(struct swi_dispatcher *dispatcher, bool all)
{
    for (size_t i = 0; i < dispatcher->count; i++) {
        struct swi_worker *worker = dispatcher->worker[i];
        int64_t handled = atomic_load(&worker->handled);
        bool stuck = handled == worker->handled_before;
        worker->handled_before = handled;
        if (all || stuck)
            worker->slow = swi_queue_is_half_full(&worker->queue);
    }
}

bool swi_dispatcher_fetch(struct swi_dispatcher *dispatcher)
{
    swi_fetch_fn *fetch = atomic_load(&dispatcher->fetch);
    return fetch && fetch(dispatcher->fetch_arg);
}

/* Waits without the lock, so that a thread that cannot wait may move the rest. New records have
 * room in the list. */
static void wait_for_sinks(struct swi_dispatcher *dispatcher)
{
    for (int i = 0; i < WAIT_QUARTERS; i++) {
        if (atomic_load(&dispatcher->stopping) || is_half_full(dispatcher) ||
            !is_behind(dispatcher))
            return;
        nanosleep(&(struct timespec){.tv_nsec = QUARTER_NS}, NULL);
        if (i % FETCH_QUARTERS == FETCH_QUARTERS - 1)
            swi_dispatcher_fetch(dispatcher);
        if (i % STUCK_QUARTERS == STUCK_QUARTERS - 1)
            slow_note(dispatcher, false);
    }
    slow_note(dispatcher, true);
}

/* Moves the records that there are. Returns how many. */
static size_t records_move(struct swi_dispatcher *dispatcher)
{
    struct swi_record *first;
    pthread_mutex_lock(&dispatcher->lock);
    size_t count = list_take(dispatcher);
    dropped_count(dispatcher);
    while ((first = portion_take(dispatcher, portion_of(dispatcher)))) {
        portion_push(dispatcher, first);
        bool more = dispatcher->first;
        pthread_mutex_unlock(&dispatcher->lock);
        if (more)
            wait_for_sinks(dispatcher);
        pthread_mutex_lock(&dispatcher->lock);
    }
    pthread_mutex_unlock(&dispatcher->lock);
    return count;
}

/* Returns how many records there were. */
static size_t look(struct swi_dispatcher *dispatcher)
{
    size_t count = 0;
    for (bool more = true; more && !atomic_load(&dispatcher->stopping);) {
        more = swi_dispatcher_fetch(dispatcher);
        count += records_move(dispatcher);
    }
    return count;
}

static int64_t between(int64_t least, int64_t ns, int64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
}

/* Returns the time until the next look, from the number of records in the last interval: long
 * enough to move some together, short enough that no queue overflows. It is at most twice the last
 * one, because the first look at a burst may see only a few. */
static int64_t next_look(const struct swi_dispatcher *dispatcher, size_t count)
{
    int64_t together = (int64_t)(portion_of(dispatcher) / 2), twice = 2 * dispatcher->look_ns;
    int64_t due = count ? dispatcher->look_ns * together / (int64_t)count : twice;
    double waiting = dispatcher->fetch ? dispatcher->waiting(dispatcher->fetch_arg) : 0;
    if (waiting > 1.0 / 8)
        return SWI_LOOK_HASTE_NS;
    if (waiting > 1.0 / 32)
        due = dispatcher->look_ns / 2;
    return between(SWI_LOOK_LEAST_NS, due < twice ? due : twice, SWI_LOOK_MOST_NS);
}

static void *dispatcher_main(void *arg)
{
    struct swi_dispatcher *dispatcher = arg;
    int64_t compared_ns = 0;
    pthread_setname_np(pthread_self(), "sw-dispatcher");
    for (;;) {
        sleep_for(dispatcher, dispatcher->look_ns);
        if (atomic_load(&dispatcher->stopping))
            return NULL;
        compared_ns += dispatcher->look_ns;
        dispatcher->look_ns = next_look(dispatcher, look(dispatcher));
        swi_hung_sink_check(dispatcher->worker, dispatcher->count,
                            atomic_load(&dispatcher->budget));
        if (compared_ns >= SWI_LOOK_MOST_NS) {
            swi_last_thread_check();
            compared_ns = 0;
        }
    }
}

/* ---- opening and closing --------------------------------------------------------------------- */

void swi_dispatcher_init(struct swi_dispatcher *dispatcher, struct swi_worker *const *worker,
                         size_t count)
{
    *dispatcher =
        (struct swi_dispatcher){.worker = worker, .count = count, .look_ns = SWI_LOOK_LEAST_NS};
    pthread_mutex_init(&dispatcher->lock, NULL);
}

int swi_dispatcher_start(struct swi_dispatcher *dispatcher)
{
    int rc = swi_own_thread_start(&dispatcher->thread, dispatcher_main, dispatcher);
    dispatcher->started = rc == 0;
    return rc;
}

bool swi_dispatcher_stop(struct swi_dispatcher *dispatcher, const struct swi_deadline *deadline)
{
    if (!dispatcher->started)
        return true;
    dispatcher->started = false;
    atomic_store(&dispatcher->stopping, true);
    wake(dispatcher);
    bool joined = !swi_signals_has_crashed(dispatcher->thread) &&
                  swi_deadline_join(dispatcher->thread, deadline);
    if (!joined)
        pthread_detach(dispatcher->thread);
    return joined || swi_signals_has_crashed(dispatcher->thread);
}

void swi_dispatcher_fini(struct swi_dispatcher *dispatcher)
{
    struct swi_record *first;
    list_take(dispatcher);
    while ((first = portion_take(dispatcher, SIZE_MAX)))
        portion_give_back(dispatcher, first);
    pthread_mutex_destroy(&dispatcher->lock);
}
