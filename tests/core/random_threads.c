/* SPDX-License-Identifier: MIT */
/* Random programs of one to eight threads, legal and not, with one or two profilers: what they
 * measure is what a direct count of each call comes to, whenever the events are folded, by whom,
 * and whatever else happens: reports, pauses, children, signal handlers that measure, sinks that
 * want every region, counters, and so little memory for events that the threads fold their own. */
#include "tests/core/direct.h"
#include "tests/core/inside.h"
#include "core/loop/state.h"
#include "tests/support/sanitized.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, PROFILERS = 2, SEEDS = 24, CALLS = SANITIZED ? 3000 : 12000 };

static const char *const sinks[] = {
    "",
    "logger_callback: [{runlog: {path: /dev/null, detail: regions}}]\n",
    "logger_callback: [{trace: {path: /dev/null}}]\n",
    "logger_callback: [{runlog: {path: /dev/null, detail: regions}}, {csv: {path: /dev/null}}]\n",
};

static const char *const others[] = {"", ", counters: [page_faults, switches]",
                                     ", schedule: {wait: 3, warmup: 1, active: 2, repeat: 0}"};

/* What a seed decides. */
struct plan {
    uint64_t seed;
    int threads, profilers;
    bool deep, signals, forks, pauses;
    bool timed; /* by a clock of the test; else by the processor's counter: calls are compared */
};

static struct sw_profiler *profiler[PROFILERS];
static int own_first, in_handler;
static struct plan plan;
static _Thread_local int64_t tick;

struct worker {
    int number;
    uint64_t random;
    struct direct *direct[PROFILERS];
};

static int64_t clock_read(void *arg)
{
    (void)arg;
    return tick;
}

/* Marsaglia's xorshift. */
static uint64_t below(uint64_t *random, uint64_t of)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (*random >> 11) % of;
}

/* ---- what else happens ----------------------------------------------------------------------- */

static void on_signal(int signal)
{
    (void)signal;
    for (int i = 0; i < plan.profilers; i++) {
        sw_begin(profiler[i], in_handler);
        sw_end(profiler[i], in_handler);
    }
}

static void report_made(struct sw_profiler *sw)
{
    struct sw_report *report;
    if (sw_report_new(sw, &report, NULL) > 0)
        sw_report_free(report);
}

/* A child has only a copy, and changes nothing. */
static void child_made(struct sw_profiler *sw)
{
    pid_t child = fork();
    if (child == 0) {
        sw_begin(sw, own_first);
        sw_end_batch(sw, 4);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void paused(struct sw_profiler *sw, struct direct *direct, int64_t ticks)
{
    sw_pause(sw);
    sw_begin(sw, own_first);
    tick += ticks;
    sw_end(sw, own_first);
    sw_resume(sw);
    direct_pause(direct, ticks);
}

static void count(struct sw_profiler *sw, struct direct *direct, int64_t n)
{
    sw_count(sw, sw_counter("random things"), n);
    direct_count(direct, n);
}

static void rare(struct worker *worker, struct sw_profiler *sw, struct direct *direct)
{
    uint64_t which = below(&worker->random, 64);
    if (which < 4)
        report_made(sw);
    else if (which < 8 && plan.pauses)
        paused(sw, direct, (int64_t)below(&worker->random, 1000));
    else if (which == 8 && plan.forks && worker->number == 0)
        child_made(sw);
    else if (which < 16)
        count(sw, direct, (int64_t)which);
    else
        sw_log(sw, which & 1 ? "loss" : "accuracy", (double)which);
}

/* ---- a thread's program ---------------------------------------------------------------------- */

/* The loop's thread leaves its fit alone. */
static int action_any(struct worker *worker)
{
    static const int builtin[] = {SW_EPOCH, SW_TRAIN,   SW_VALID, SW_DRAW,     SW_BATCH,
                                  SW_BATCH, SW_FORWARD, SW_LOSS,  SW_BACKWARD, SW_PREDICT};
    enum { BUILTIN = sizeof builtin / sizeof *builtin };
    uint64_t any = below(&worker->random, BUILTIN + DIRECT_OWN);
    return any < BUILTIN ? builtin[any] : own_first + (int)any - BUILTIN;
}

static void call(struct worker *worker, struct sw_profiler *sw, struct direct *direct)
{
    uint64_t which = below(&worker->random, 100);
    int action = action_any(worker), top = direct->open[direct->depth].action;
    int64_t samples = (int64_t)below(&worker->random, 40);
    if (which < (plan.deep ? 55 : 34)) {
        sw_begin(sw, action);
        direct_begin(direct, action, tick);
    } else if (which < 75 && top > SW_FIT) {
        sw_end(sw, top);
        direct_end(direct, top, 0, tick);
    } else if (which < 82 && top >= SW_FIT) {
        sw_next(sw, action);
        direct_next(direct, action, tick);
    } else if (which < 88) {
        sw_end_batch(sw, samples);
        direct_end(direct, SW_BATCH, samples, tick);
    } else if (which < 92) {
        sw_end(sw, action);
        direct_end(direct, action, 0, tick);
    } else if (which < 95) {
        sw_cancel(sw, action);
        direct_cancel(direct, action);
    } else {
        rare(worker, sw, direct);
    }
}

/* The first call of a thread allocates memory, which a signal handler must not. */
static void *program(void *arg)
{
    struct worker *worker = arg;
    sigset_t signals;
    for (int i = 0; i < plan.profilers; i++)
        count(profiler[i], worker->direct[i], 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    for (int i = 0; i < CALLS; i++) {
        int which = (int)below(&worker->random, (uint64_t)plan.profilers);
        tick += (int64_t)below(&worker->random, below(&worker->random, 50) ? 3000 : 100000000);
        call(worker, profiler[which], worker->direct[which]);
    }
    return NULL;
}

static atomic_bool over;
static pthread_t thread_of[THREADS];

static void *disturb(void *arg)
{
    const struct timespec moment = {.tv_nsec = 30000};
    for (int i = 0; !atomic_load(&over); i++) {
        pthread_kill(thread_of[i % plan.threads], SIGUSR1);
        nanosleep(&moment, NULL);
    }
    return arg;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static struct direct_sum sum_of(struct worker *workers, int which, int phase, int action)
{
    struct direct_sum all = {0, {0, 0}, {0, 0}};
    for (int i = 0; i < plan.threads; i++) {
        const struct direct_sum *sum = &workers[i].direct[which]->sum[phase][action];
        all.calls += sum->calls;
        all.total.ns += sum->total.ns;
        all.total.counted += sum->total.counted;
        all.self.ns += sum->self.ns;
        all.self.counted += sum->self.counted;
    }
    return all;
}

static int64_t known(int64_t counted)
{
    return counted == SW_COUNTER_NONE ? 0 : counted;
}

static struct direct_sum sum_of_row(const struct sw_report *report, const struct sw_report_row *row)
{
    bool step = row->action_id == SW_STEP; /* it has no self */
    struct direct_sum sum = {
        row->calls, {(int64_t)row->total_ns, 0}, {step ? 0 : (int64_t)row->self_ns, 0}};
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        if (strcmp(counter->name, "random things") != 0)
            continue;
        sum.total.counted = known(counter->total);
        sum.self.counted = known(counter->self);
    }
    return sum;
}

static struct direct_sum row_of(const struct sw_report *report, int phase, int action)
{
    int id = action < SW_BUILTIN_ACTIONS ? action : own_first + action - SW_BUILTIN_ACTIONS;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if ((int)row->phase_id == phase && row->action_id == id && row->calls)
            return sum_of_row(report, row);
    }
    return (struct direct_sum){0, {0, 0}, {0, 0}};
}

static void sum_print(const char *name, const struct direct_sum *sum)
{
    fprintf(stderr,
            "  %s: %" PRId64 " calls, %" PRId64 " ns, %" PRId64 " ns self, %" PRId64
            " counted, %" PRId64 " self\n",
            name, sum->calls, sum->total.ns, sum->self.ns, sum->total.counted, sum->self.counted);
}

/* The fit of the loop is still open. */
static int differences(const struct sw_report *report, struct worker *workers, int which)
{
    int found = 0;
    for (int phase = 0; phase < 4; phase++)
        for (int action = SW_FIT + 1; action < DIRECT_ACTIONS; action++) {
            struct direct_sum direct = sum_of(workers, which, phase, action),
                              row = row_of(report, phase, action);
            if (!plan.timed)
                direct.total.ns = direct.self.ns = row.total.ns = row.self.ns = 0;
            if (memcmp(&direct, &row, sizeof row) == 0)
                continue;
            found++;
            fprintf(stderr, "seed %d, profiler %d, phase %d, action %d:\n", (int)plan.seed, which,
                    phase, action);
            sum_print("reported", &row);
            sum_print("counted directly", &direct);
        }
    return found;
}

static int mistakes(const struct sw_report *report, struct worker *workers, int which)
{
    int64_t discarded = 0, misuses = 0;
    for (int i = 0; i < plan.threads; i++) {
        discarded += workers[i].direct[which]->discarded;
        misuses += workers[i].direct[which]->misuses;
    }
    const struct sw_accounting *made = &report->accounting;
    if (made->discarded == discarded && made->misuses == misuses)
        return 0;
    /* Those of signal handlers come on top. */
    if (plan.signals && made->discarded >= discarded && made->misuses >= misuses)
        return 0;
    fprintf(stderr, "seed %d, profiler %d: %lld discarded, %lld misuses; counted %lld, %lld\n",
            (int)plan.seed, which, (long long)made->discarded, (long long)made->misuses,
            (long long)discarded, (long long)misuses);
    return 1;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool profiler_open(int which)
{
    char text[512];
    struct sw_error err;
    snprintf(text, sizeof text,
             "profiler: {mode: simple, show_report: false, signals: false, "
             "drop_first_batch: false%s}\n%s",
             others[plan.seed / 4 % 3], sinks[plan.seed % 4]);
    struct sw_profiler *sw = profiler[which] = sw_open_text(text, &err);
    if (!sw) {
        fprintf(stderr, "%s\n", sw_error_text(&err));
        return false;
    }
    sw_set_messages(sw, NULL, NULL);
    if (plan.timed)
        sw_set_clock(sw, clock_read, NULL);
    sw_begin(sw, SW_FIT);
    if (plan.seed % 3 == 0 && !SANITIZED) { /* the dispatcher reads it, too */
        sw->measured.pool.most = 12;
        sw->measured.own_folds = 2;
    }
    return true;
}

static void workers_make(struct worker *workers)
{
    for (int i = 0; i < plan.threads; i++) {
        workers[i].number = i;
        workers[i].random = (plan.seed * THREADS + (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (int k = 0; k < plan.profilers; k++) {
            workers[i].direct[k] = malloc(sizeof(struct direct));
            if (!workers[i].direct[k])
                abort();
            direct_init(workers[i].direct[k], i == 0, own_first, 0);
        }
    }
}

/* The calling thread runs the loop. */
static void workers_run(struct worker *workers)
{
    pthread_t disturbing;
    sigset_t signals;
    atomic_store(&over, false);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    thread_of[0] = pthread_self();
    for (int i = 1; i < plan.threads; i++)
        pthread_create(&thread_of[i], NULL, program, &workers[i]);
    if (plan.signals)
        pthread_create(&disturbing, NULL, disturb, NULL);
    program(&workers[0]);
    /* A thread that has ended may not be signalled. */
    atomic_store(&over, true);
    if (plan.signals)
        pthread_join(disturbing, NULL);
    for (int i = 1; i < plan.threads; i++)
        pthread_join(thread_of[i], NULL);
}

static int compare(struct worker *workers)
{
    int found = 0;
    for (int k = 0; k < plan.profilers; k++) {
        struct sw_report *report;
        if (sw_report_new(profiler[k], &report, NULL) <= 0)
            return 1;
        found += differences(report, workers, k) + mistakes(report, workers, k);
        sw_report_free(report);
        sw_close(profiler[k], NULL);
    }
    return found;
}

static int run(uint64_t seed)
{
    static struct worker workers[THREADS];
    bool deep = seed % 5 == 4;
    plan = (struct plan){.seed = seed,
                         .threads = 1 + (int)(seed * 3 % THREADS),
                         .profilers = seed % 4 == 3 ? 2 : 1,
                         .deep = deep,
                         .signals = seed % 2 && !deep,
                         .timed = seed % 7 < 5};
    plan.pauses = plan.threads == 1;
    plan.forks = seed % 6 == 0 && (!SANITIZED || plan.threads == 1);
    tick = 0;
    for (int k = 0; k < plan.profilers; k++)
        if (!profiler_open(k))
            return 1;
    workers_make(workers);
    workers_run(workers);
    int found = compare(workers);
    for (int i = 0; i < plan.threads; i++)
        for (int k = 0; k < plan.profilers; k++) {
            direct_free(workers[i].direct[k]);
            free(workers[i].direct[k]);
        }
    return found;
}

int random_threads(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    char name[32];
    int found = 0;
    for (int i = 0; i < DIRECT_OWN; i++) {
        snprintf(name, sizeof name, "random %d", i);
        int own = sw_action(name);
        own_first = i ? own_first : own;
    }
    in_handler = sw_action("in a handler");
    sigaction(SIGUSR1, &action, NULL);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        found += run(seed);
    return found != 0;
}
