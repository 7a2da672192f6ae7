/* SPDX-License-Identifier: MIT */
/* inside frames|counted|waits - runs what tests need to see of the library's insides; the objects
 * of the library are linked into it. Exits with 0, with 77 where this machine cannot, or says what
 * is wrong.
 *
 * waits: a report waits for a thread that stands in the middle of a change, and says so in the end;
 * no thread waits for the report.
 *
 * frames: after each single instruction of the calls of a loop a signal handler looks at the
 * innermost open region of the thread, and walks to the outermost.
 *
 * counted: the same of a thread that counts. */
#include "core/loop/innermost.h"
#include "tests/support/sanitized.h"

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

static void look_at(const struct swi_frame *frame)
{
    int depth = 0;
    wrong_action = frame->action;
    if (!is_allowed(frame->action))
        wrong = "another action is the innermost";
    else if (frame->action != -1 && (!frame->row || frame->row->action != frame->action))
        wrong = "the innermost region has the row of another";
    else if (frame->action != -1 && frame->start <= 0)
        wrong = "the innermost region has no start";
    while (frame[-depth].action != -1 && depth <= depth_most)
        depth++;
    if (depth > depth_most)
        wrong = "there are more regions than were begun";
}

/* Nobody began the first fit here. */
static void told_at(int action)
{
    int told = swi_innermost();
    if (told == action || (told == -1 && action == SW_FIT))
        return;
    wrong_action = told;
    wrong = "a probe is told of another action";
}

/* Until the thread is known to the profiler there is nothing to see. */
static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    const struct swi_thread *thread = swi_current.thread;
    if (wrong || swi_current.serial != atomic_load(&looked_at->measured.serial))
        return;
    looks++;
    look_at(thread->frame);
    told_at(thread->frame->action);
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

/* Counters of the program are read in a straight line by all calls that are not timed. */
static void count(struct sw_profiler *sw)
{
    bool straight = false;
    sw_count(sw, sw_counter("tokens"), 1);
    sw_count(sw, sw_counter("bytes"), 1);
    for (int i = 0; i < 512 && sw->measured.clock.counter && !straight; i++) {
        step(sw, SW_FIT);
        straight = swi_current.counted == -swi_current.serial;
    }
    if (sw->measured.clock.counter && !straight) {
        printf("the thread does not read its counters in a straight line\n");
        exit(1);
    }
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

/* ---- waits ----------------------------------------------------------------------------------- */

enum { PATIENCE_MS = 500 };

static char message[512];
static atomic_bool reported;

static void message_keep(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    snprintf(message, sizeof message, "%s", text);
}

static int64_t ms_of(void (*call)(struct sw_profiler *), struct sw_profiler *sw)
{
    int64_t begin = swi_monotonic_ns();
    call(sw);
    return (swi_monotonic_ns() - begin) / 1000000;
}

static void report_make(struct sw_profiler *sw)
{
    struct sw_report *report;
    if (sw_report_new(sw, &report, NULL) > 0)
        sw_report_free(report);
    atomic_store(&reported, true);
}

static void *report_thread(void *arg)
{
    static int64_t ms;
    ms = ms_of(report_make, arg);
    return &ms;
}

static void first_begin(struct sw_profiler *sw)
{
    (sw_begin)(sw, sw_action("first"));
    (sw_end)(sw, sw_action("first"));
}

static void *first_thread(void *arg)
{
    static int64_t ms;
    ms = ms_of(first_begin, arg);
    return &ms;
}

static void pause_and_resume(struct sw_profiler *sw)
{
    sw_pause(sw);
    sw_resume(sw);
}

static int64_t thread_ms(void *(*run)(void *), struct sw_profiler *sw)
{
    void *ms = NULL;
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, sw) != 0)
        exit(2);
    pthread_join(thread, &ms);
    return *(int64_t *)ms;
}

static int judge_waits(int64_t report_ms, int64_t first_ms, int64_t pause_ms, bool early)
{
    int bad = 0;
    bad += !early && printf("the report was made before anybody could have waited for it\n");
    bad += report_ms < PATIENCE_MS && printf("the report waited %d ms only\n", (int)report_ms);
    bad += first_ms >= PATIENCE_MS / 2 && printf("a first begin waited %d ms\n", (int)first_ms);
    bad += pause_ms >= PATIENCE_MS / 2 && printf("a pause waited %d ms\n", (int)pause_ms);
    bad += !strstr(message, "approximate") && printf("nothing is said of it: %s\n", message);
    return bad != 0;
}

static int waits(void)
{
    struct sw_error err;
    void *report_ms;
    pthread_t reporter;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    if (!sw)
        return 1;
    sw_set_messages(sw, message_keep, NULL);
    first_begin(sw);
    struct swi_thread *thread = swi_current.thread;
    swi_thread_change(thread); /* here a thread is stopped */
    if (pthread_create(&reporter, NULL, report_thread, sw) != 0)
        return 2;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    int64_t first_ms = thread_ms(first_thread, sw), pause_ms = ms_of(pause_and_resume, sw);
    bool early = !atomic_load(&reported);
    pthread_join(reporter, &report_ms);
    swi_thread_changed(thread);
    int bad = judge_waits(*(int64_t *)report_ms, first_ms, pause_ms, early);
    return sw_close(sw, NULL) < 0 || bad;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "frames") == 0)
        return frames(false);
    if (argc == 2 && strcmp(argv[1], "counted") == 0)
        return frames(true);
    if (argc == 2 && strcmp(argv[1], "waits") == 0)
        return waits();
    fprintf(stderr, "inside: expected frames, counted or waits\n");
    return 2;
}
