/* SPDX-License-Identifier: MIT */
/* inside frames|counted|garbage|held|handled|threads - runs what tests need to see of the library's
 * insides; the objects of the library are linked into it. Exits with 0, with 77 where this machine
 * cannot, or says what is wrong.
 *
 * frames: after each single instruction of the calls of a loop a signal handler asks for the
 * innermost open region of the thread.
 *
 * counted: the same of a thread that counts.
 *
 * garbage: a crash may have written anything where events are: folding them ends, and damages
 * nothing else.
 *
 * held: calls that measure do not wait for the lock of the clock, which the thread may hold that a
 * signal handler with such a call interrupts.
 *
 * handled: a signal handler that fills chunks of events does not use malloc(), in which its thread
 * may be, nor fold in the middle of a fold.
 *
 * threads: random programs measure what a direct count comes to (random_threads.c). */
#include "core/loop/near_stack.h"
#include "tests/core/inside.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/sanitized.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && !SANITIZED

enum { TRAP_FLAG = 0x100, ACTIONS = 34 };

/* Actions that may be the innermost one now: before the call, after it, or in between, where one
 * call ends a region and begins another. */
static struct sw_profiler *looked_at;
static bool watched;
static volatile int allowed[3];
static volatile int depth_most;
static volatile long looks;
static volatile const char *volatile wrong;
static volatile int wrong_action;

static bool is_allowed(int action)
{
    return action == allowed[0] || action == allowed[1] || action == allowed[2];
}

/* Until the thread is known to the profiler there is nothing to see. Nobody began the first fit
 * here. */
static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    const struct swi_known *known = swi_known_of(&looked_at->measured);
    if (wrong || known->serial != atomic_load(&looked_at->measured.serial))
        return;
    looks++;
    wrong_action = swi_innermost();
    if (!is_allowed(wrong_action) && !(wrong_action == -1 && is_allowed(SW_FIT)))
        wrong = "another action is the innermost";
    if (swi_near_depth(known->thread) > depth_most)
        wrong = "there are more regions than were begun";
}

/* Beneath the 128 bytes that a function without calls may use below its stack pointer. */
static void stepping(bool on)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\torq %1, (%%rsp)\n\t"
                     "popfq\n\tlea 128(%%rsp), %%rsp" ::"r"(~(unsigned long)TRAP_FLAG),
                     "r"(on ? (unsigned long)TRAP_FLAG : 0UL)
                     : "memory", "cc");
}

/* Runs a call; then the innermost region is of that action. */
#define CALL(call, between, then)                                                                  \
    do {                                                                                           \
        allowed[0] = allowed[2];                                                                   \
        allowed[1] = (between);                                                                    \
        allowed[2] = (then);                                                                       \
        stepping(watched);                                                                         \
        call;                                                                                      \
        stepping(false);                                                                           \
        allowed[0] = allowed[1] = allowed[2];                                                      \
        if (wrong) {                                                                               \
            printf("%s: action %d: %s\n", (const char *)wrong, wrong_action, #call);               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void step(struct sw_profiler *sw, int outer)
{
    CALL((sw_begin)(sw, SW_DRAW), outer, SW_DRAW);
    CALL((sw_next)(sw, SW_BATCH), outer, SW_BATCH);
    CALL((sw_begin)(sw, SW_FORWARD), SW_BATCH, SW_FORWARD);
    CALL((sw_next)(sw, SW_LOSS), SW_BATCH, SW_LOSS);
    CALL((sw_end)(sw, SW_LOSS), SW_LOSS, SW_BATCH);
    CALL((sw_end_batch)(sw, 64), SW_BATCH, outer);
}

static int action[ACTIONS];

/* Deep enough to make a new stack. */
static void deep(struct sw_profiler *sw, int outer)
{
    for (int i = 0; i < ACTIONS; i++) {
        CALL((sw_begin)(sw, action[i]), i ? action[i - 1] : outer, action[i]);
    }
    for (int i = ACTIONS - 1; i >= 0; i--)
        CALL((sw_end)(sw, action[i]), action[i], i ? action[i - 1] : outer);
}

/* A cancelled batch ends while what was open in it goes. */
static void cancelled(struct sw_profiler *sw, int outer)
{
    CALL((sw_begin)(sw, SW_BATCH), outer, SW_BATCH);
    CALL((sw_begin)(sw, SW_FORWARD), SW_BATCH, SW_FORWARD);
    CALL((sw_cancel)(sw, SW_BATCH), SW_BATCH, outer);
}

static void repeat(struct sw_profiler *sw, int outer, int times)
{
    for (int i = 0; i < times; i++)
        step(sw, outer);
}

static void count(struct sw_profiler *sw)
{
    sw_count(sw, sw_counter("tokens"), 1);
    sw_count(sw, sw_counter("bytes"), 1);
}

/* A fit at which nobody looks: what the rows take to be made is no matter here. */
static void warm_up(struct sw_profiler *sw, int around, bool counted)
{
    char name[16];
    (sw_begin)(sw, SW_FIT);
    repeat(sw, SW_FIT, 64); /* durations are usual after some calls */
    if (counted)
        count(sw);
    cancelled(sw, SW_FIT);
    for (int i = 0; i < ACTIONS; i++) {
        snprintf(name, sizeof name, "deep%d", i);
        action[i] = sw_action(name);
        (sw_begin)(sw, action[i]);
        (sw_end)(sw, action[i]);
    }
    (sw_begin)(sw, around);
    (sw_end)(sw, around);
    (sw_end)(sw, SW_FIT);
    (sw_begin)(sw, around);
    (sw_end)(sw, around);
}

static int frames(bool counted)
{
    struct sw_error err;
    struct sigaction on_trap = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    if (!sw)
        return 1;
    looked_at = sw;
    swi_innermost_know(sw);
    sigaction(SIGTRAP, &on_trap, NULL);
    depth_most = ACTIONS + 8;
    for (int i = 0; i < 3; i++)
        allowed[i] = -1;
    /* The first batch begins a fit, below the region that is open. */
    int around = sw_action("around");
    warm_up(sw, around, counted);
    watched = true;
    CALL((sw_begin)(sw, around), -1, around);
    CALL((sw_begin)(sw, SW_BATCH), around, SW_BATCH);
    CALL((sw_end_batch)(sw, 1), around, around);
    CALL((sw_end)(sw, around), around, SW_FIT);
    repeat(sw, SW_FIT, 4);
    deep(sw, SW_FIT);
    cancelled(sw, SW_FIT);
    (sw_end)(sw, SW_FIT);
    if (looks < 2000) {
        printf("the handler looked %ld times only\n", looks);
        return 1;
    }
    return sw_close(sw, NULL);
}
#else
static int frames(bool counted)
{
    (void)counted;
    return 77;
}
#endif

/* ---- garbage --------------------------------------------------------------------------------- */

static uint64_t random_next(void)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Half of the events are of kinds and actions that there are. */
static uint64_t random_what(void)
{
    uint64_t any = random_next();
    int kind = 1 + (int)(any >> 8) % SWI_EVENT_PART, of = (int)(any >> 16) % 20;
    return any % 2 ? any | 1 : swi_event_what((enum swi_event_kind)kind, of, any >> 60);
}

/* The same of an array that is folded by itself. */
static void garbage_fold(void)
{
    uint64_t slots[2 * 100];
    for (int i = 0; i < 100; i++) {
        slots[2 * i] = random_next() >> (random_next() % 64);
        slots[2 * i + 1] = random_what();
    }
    fuzz_events((const uint8_t *)slots, sizeof slots);
}

static int garbage(void)
{
    struct sw_error err;
    struct sw_report *report;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n"
                     "logger_callback: [{runlog: {path: /dev/null, detail: regions}}]\n",
                     &err);
    if (!sw)
        return 1;
    sw_set_messages(sw, NULL, NULL);
    sw_log(sw, "loss", 1);
    /* No more at once than have room behind the end of a chunk. */
    for (int round = 0; round < 600; round++) {
        (sw_begin)(sw, sw_action("around"));
        struct swi_thread *thread = swi_known_of(&sw->measured)->thread;
        for (int i = 0; i < SWI_SPARE_EVENTS - 8; i++) {
            struct swi_event *event = thread->next++;
            event->tick = (int64_t)random_next() >> (random_next() % 64);
            atomic_store(&event->what, random_what());
        }
        (sw_end)(sw, sw_action("around"));
        if (sw_report_new(sw, &report, NULL) > 0)
            sw_report_free(report);
    }
    sw_close(sw, &err);
    for (int round = 0; round < 100; round++)
        garbage_fold();
    return 0;
}

/* ---- held ------------------------------------------------------------------------------------ */

/* Returns whether the report has so many calls of an action. */
static bool has_calls(struct sw_profiler *sw, const char *name, int64_t made)
{
    struct sw_report *report;
    int64_t calls = 0;
    if (sw_report_new(sw, &report, NULL) > 0) {
        for (size_t i = 0; i < report->count; i++)
            if (strcmp(sw_report_row(report, i)->action, name) == 0)
                calls += sw_report_row(report, i)->calls;
        sw_report_free(report);
    }
    if (calls != made)
        printf("%lld calls of %lld\n", (long long)calls, (long long)made);
    return calls == made;
}

/* Long enough for several comparisons of the clocks, and for several chunks of events. */
static int held(void)
{
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n"
                     "logger_callback: [{runlog: {path: /dev/null}}]\n",
                     NULL);
    int around = sw_action("around");
    int64_t made = 0;
    if (!sw)
        return 1;
    (sw_begin)(sw, SW_FIT);
    pthread_mutex_lock(&sw->measured.clock.lock);
    for (int burst = 0; burst < 100; burst++, usleep(2000))
        for (int i = 0; i < 50; i++, made++) {
            (sw_begin)(sw, around);
            (sw_end)(sw, around);
        }
    pthread_mutex_unlock(&sw->measured.clock.lock);
    bool right = has_calls(sw, "around", made);
    return sw_close(sw, NULL) < 0 || !right;
}

/* ---- handled --------------------------------------------------------------------------------- */

enum { IN_HANDLER = 4 * SWI_CHUNK_EVENTS / 2, HANDLED = 20 };
static struct sw_profiler *handled_in;
static volatile int64_t handled_calls;
static volatile bool folded, allocated;

/* What malloc() gave out. */
static size_t in_use(void)
{
#if defined(__GLIBC__) && !SANITIZED
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

static void around_measure(int count)
{
    int around = sw_action("around");
    for (int i = 0; i < count; i++, handled_calls++) {
        (sw_begin)(handled_in, around);
        (sw_end)(handled_in, around);
    }
}

static void on_signal(int signal)
{
    const struct swi_thread *thread = swi_known_of(&handled_in->measured)->thread;
    const struct swi_event *at = thread->at;
    size_t before = in_use();
    (void)signal;
    around_measure(IN_HANDLER);
    folded = thread->at != at;
    allocated = allocated || in_use() != before;
}

/* The first regions of many actions, deeper in each other than any before, and the first counts of
 * a counter: what is folded in the handler needs memory. */
static void handle_new(struct sw_profiler *sw, int flags, int number)
{
    const struct sigaction handle = {.sa_handler = on_signal, .sa_flags = flags};
    int new[HANDLED], counter = sw_counter((const char[]){'c', (char)('0' + number), '\0'});
    char name[32];
    for (int i = 0; i < HANDLED; i++) {
        snprintf(name, sizeof name, "new %d %d", number, i);
        new[i] = sw_action(name);
    }
    for (int i = 0; i < HANDLED; i++) {
        (sw_begin)(sw, new[i]);
        sw_count(sw, counter, 1);
    }
    sigaction(SIGUSR1, &handle, NULL);
    raise(SIGUSR1);
    for (int i = HANDLED; i-- > 0;)
        (sw_end)(sw, new[i]);
}

static bool is(bool right, const char *what)
{
    if (!right)
        printf("%s\n", what);
    return right;
}

/* A handler that blocks its own signal, and one that blocks none but comes in the middle of a fold.
 */
static int handled(void)
{
    struct sw_profiler *sw = handled_in =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", NULL);
    if (!sw)
        return 1;
    (sw_begin)(sw, SW_FIT);
    around_measure(IN_HANDLER);
    handle_new(sw, 0, 0);
    bool right = is(folded, "without sinks, nothing was folded in a handler");
    for (int i = 1; i < 4; i++) {
        struct swi_fold_lock *lock = swi_fold_take(&sw->measured);
        handle_new(sw, SA_NODEFER, i);
        right = is(!folded, "a fold was in the middle of another") && right;
        swi_fold_give(lock);
    }
    sw->measured.own_folds = 2; /* as with sinks, whose dispatcher is late */
    for (int i = 4; i < 8; i++) {
        handle_new(sw, 0, i);
        right = is(!folded, "with sinks, something was folded in a handler") && right;
        around_measure(IN_HANDLER);
    }
    right = is(!allocated, "a handler allocated") && right;
    right = is(atomic_load(&sw->measured.pool.used) < 8, "the chunks become ever more") && right;
    return !has_calls(sw, "around", handled_calls) || sw_close(sw, NULL) < 0 || !right;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "frames") == 0)
        return frames(false);
    if (argc == 2 && strcmp(argv[1], "counted") == 0)
        return frames(true);
    if (argc == 2 && strcmp(argv[1], "garbage") == 0)
        return garbage();
    if (argc == 2 && strcmp(argv[1], "held") == 0)
        return held();
    if (argc == 2 && strcmp(argv[1], "handled") == 0)
        return handled();
    if (argc == 2 && strcmp(argv[1], "threads") == 0)
        return random_threads();
    fprintf(stderr, "inside: expected frames, counted, garbage, held, handled or threads\n");
    return 2;
}
