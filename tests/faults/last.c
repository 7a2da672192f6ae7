/* SPDX-License-Identifier: MIT */
/* last.c - programs that end in odd ways while stepwatch measures.
 *
 *     last CONFIG.yaml HOW [A [B]]
 *
 *     signal US SIG     signal SIG comes US microseconds after sw_close() begins (before, if < 0)
 *     raise HOW SIG     raise(), and at once: close, return or exit
 *     pause, poll, sleep US SIG
 *                       waits so; SIG comes US microseconds later; then _exit(0)
 *     exit US           exit(3) on another thread, US microseconds after sw_close() begins
 *     sink WHEN         a sink calls exit(4) at its WHEN-th record; run, then close
 *     atexit            sw_close() from a handler of exit() that is older than sw_open()
 *     threads N         three threads that open and close N profilers each
 *     pthread_exit      main() ends, and then the thread that trains; HOW closed: after sw_close()
 *     cancel N          N threads that are cancelled in the middle of calls
 *     fork HOW WHAT     a child by fork, _Fork, clone or vfork while a thread is at WHAT: action,
 *                       report, open or stdout
 *     daemon HOW        daemon() or a double fork after sw_open(); the child measures
 *     fit               sw_cancel(SW_FIT)
 *     callback          a function for messages that calls back
 *     stack             misuse on a thread with a stack of 16 KiB
 *     segv, thread_segv crashes after 20 steps
 *     fold WHO          crashes in the allocator where stepwatch folds what was noted: WHO is
 *                       loop (the loop's thread, which asks for a report), stepwatch (a thread of
 *                       its own), close, exit or TERM (the thread that ends the run), or beside (a
 *                       thread of stepwatch while the loop's thread closes)
 *
 * What sw_close() says goes to standard error. A call that hangs ends by SIGALRM. */
#include "tests/support/sanitized.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sw_profiler *sw;
static const char *config, *first = "", *second = "";

static void step(struct sw_profiler *of)
{
    sw_begin(of, SW_DRAW);
    sw_next(of, SW_BATCH);
    sw_begin(of, SW_FORWARD);
    sw_end(of, SW_FORWARD);
    sw_log(of, "train/loss", 0.5);
    sw_end_batch(of, 64);
}

static void train(struct sw_profiler *of, int steps)
{
    sw_begin(of, SW_FIT);
    for (int i = 0; i < steps; i++)
        step(of);
}

static int closed(struct sw_profiler *of)
{
    struct sw_error err;
    int rc = sw_close(of, &err);
    if (rc < 0)
        sw_error_print(stderr, &err);
    return rc < 0;
}

static void wait_us(long us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static pthread_t start(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, arg) != 0)
        exit(99);
    return thread;
}

static int signal_of(const char *name)
{
    return strcmp(name, "INT") == 0 ? SIGINT : strcmp(name, "HUP") == 0 ? SIGHUP : SIGTERM;
}

/* ---- two that end it ------------------------------------------------------------------------- */

static atomic_int ready;

static void *end_there(void *arg)
{
    int signal = *(int *)arg;
    long after = atol(first);
    while (!atomic_load(&ready))
        sched_yield();
    wait_us(after > 0 ? after : 0);
    if (signal)
        kill(getpid(), signal);
    else
        exit(3);
    return NULL;
}

static _Noreturn void wait_for_the_end(void)
{
    for (;;)
        pause();
}

static _Noreturn void close_beside(int signal)
{
    long before = -atol(first);
    train(sw, 20);
    start(end_there, &signal);
    atomic_store(&ready, 1);
    wait_us(before > 0 ? before : 0);
    closed(sw);
    wait_for_the_end();
}

static int by_signal(void)
{
    close_beside(signal_of(second));
}

static int by_exit(void)
{
    close_beside(0);
}

static int by_raise(void)
{
    train(sw, 20);
    raise(signal_of(second));
    if (strcmp(first, "close") == 0)
        closed(sw);
    if (strcmp(first, "exit") == 0)
        exit(0);
    return 0;
}

static int signal_coming;

static void signal_soon(void)
{
    train(sw, 20);
    signal_coming = signal_of(second);
    start(end_there, &signal_coming);
    atomic_store(&ready, 1);
}

/* Without stepwatch, none of these waits comes back. */
static int by_pause(void)
{
    signal_soon();
    pause();
    _exit(0);
}

static int by_poll(void)
{
    signal_soon();
    poll(NULL, 0, -1);
    _exit(0);
}

static int by_sleep(void)
{
    signal_soon();
    sleep(1000);
    _exit(0);
}

/* ---- a sink that calls exit(), and one that is slow ------------------------------------------ */

static atomic_bool trained;

/* Calls exit() only when all steps are made: how many came before is not what is tried here. */
static int exit_at(void *state, const struct sw_record *record, struct sw_error *err)
{
    static int number;
    (void)state, (void)record, (void)err;
    if (++number != atoi(first))
        return 0;
    while (!trained)
        wait_us(1000);
    exit(4);
}

static int sleep_at_the_end(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    if (record->type == SW_RECORD_END)
        sleep(2);
    return 0;
}

static int hang_at_the_end(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    while (record->type == SW_RECORD_END)
        pause();
    return 0;
}

static const struct sw_sink_plugin sinks[] = {
    {SW_SINK_HEADER, .name = "exiting", .version = "1", .license = "MIT", .summary = "calls exit()",
     .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REPORT) |
              SW_WANT(SW_RECORD_END),
     .record = exit_at},
    {SW_SINK_HEADER, .name = "sleepy", .version = "1", .license = "MIT",
     .summary = "takes two seconds to end", .wants = SW_WANT(SW_RECORD_END),
     .record = sleep_at_the_end},
    {SW_SINK_HEADER, .name = "hung_at_end", .version = "1", .license = "MIT",
     .summary = "never ends", .wants = SW_WANT(SW_RECORD_END), .record = hang_at_the_end},
};

static int by_sink(void)
{
    train(sw, 20);
    trained = true;
    wait_us(rand() % 100000);
    closed(sw);
    wait_for_the_end();
}

static void close_at_exit(void)
{
    int rc = closed(sw);
    printf("closed: %d\n", rc);
}

static int by_atexit(void)
{
    train(sw, 20);
    exit(5);
}

/* ---- many that open and close ---------------------------------------------------------------- */

static void *open_and_close(void *arg)
{
    (void)arg;
    for (int i = 0; i < atoi(first); i++) {
        struct sw_error err;
        struct sw_profiler *mine = sw_open_text("profiler: { show_report: false }", &err);
        if (!mine)
            sw_error_print(stderr, &err);
        train(mine, 2);
        if (!mine || closed(mine))
            exit(98);
    }
    return NULL;
}

/* The last one that closes ends the thread that waits for signals, the next one starts it. */
static int by_threads(void)
{
    pthread_t thread[3];
    train(sw, 20);
    int rc = closed(sw);
    for (int i = 0; i < 3; i++)
        thread[i] = start(open_and_close, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return rc;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *train_there(void *arg)
{
    (void)arg;
    train(sw, 20);
    return NULL;
}

static int by_pthread_exit(void)
{
    if (strcmp(first, "closed") == 0) {
        train(sw, 20);
        closed(sw);
        pthread_exit(NULL);
    }
    pthread_detach(start(train_there, NULL));
    pthread_exit(NULL);
}

static void call_all(int i)
{
    struct sw_report *report;
    char name[32];
    snprintf(name, sizeof name, "name %d", i % 100);
    sw_action(name);
    sw_log(sw, name, i);
    sw_flush(sw, 10000000);
    sw_end(sw, SW_LOSS);
    if (sw_report_new(sw, &report, NULL) > 0)
        sw_report_free(report);
    sw_close(sw_open_text("profiler: { show_report: false }", NULL), NULL);
}

static void *call_for_ever(void *arg)
{
    (void)arg;
    for (int i = 0;; i++) {
        call_all(i);
        pthread_testcancel();
    }
    return NULL;
}

static int by_cancel(void)
{
    train(sw, 20);
    for (int i = 0; i < atoi(first); i++) {
        pthread_t thread = start(call_for_ever, NULL);
        wait_us(rand() % 3000);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    call_all(0);
    return closed(sw);
}

static void *misuse(void *arg)
{
    struct sw_report *report;
    (void)arg;
    sw_end(sw, SW_LOSS);
    sw_begin(sw, SW_LOSS);
    sw_begin(sw, SW_LOSS);
    sw_end(sw, sw_action("never begun"));
    sw_cancel(sw, SW_FIT);
    sw_log(sw, "own", 1);
    if (sw_report_new(sw, &report, NULL) > 0)
        sw_report_free(report);
    return NULL;
}

static int by_stack(void)
{
    pthread_attr_t small;
    pthread_t thread;
    train(sw, 20);
    pthread_attr_init(&small);
    /* The red zones of a sanitizer do not count, nor do frames without optimization. */
    pthread_attr_setstacksize(&small, SANITIZED ? 131072 : 16384);
    if (pthread_create(&thread, &small, misuse, NULL) != 0)
        return 97;
    pthread_join(thread, NULL);
    return closed(sw);
}

/* ---- children -------------------------------------------------------------------------------- */

static atomic_bool stopped;

static void *act(void *arg)
{
    (void)arg;
    for (int i = 0; !atomic_load(&stopped); i++) {
        char name[32];
        snprintf(name, sizeof name, "name %d", i % 9000);
        sw_action(name);
    }
    return NULL;
}

static void *make_reports(void *arg)
{
    struct sw_report *report;
    (void)arg;
    while (!atomic_load(&stopped))
        if (sw_report_new(sw, &report, NULL) > 0)
            sw_report_free(report);
    return NULL;
}

static void *open_others(void *arg)
{
    (void)arg;
    while (!atomic_load(&stopped))
        sw_close(sw_open_text("profiler: { show_report: false }", NULL), NULL);
    return NULL;
}

static void *print(void *arg)
{
    (void)arg;
    while (!atomic_load(&stopped)) {
        struct sw_profiler *mine = sw_open_text("profiler: { plain: true }", NULL);
        train(mine, 2);
        puts("a line of the program");
        sw_close(mine, NULL);
    }
    return NULL;
}

static const struct {
    const char *name;
    void *(*run)(void *);
} works[] = {{"action", act}, {"report", make_reports}, {"open", open_others}, {"stdout", print}};

/* All that a program may do that does not know of its fork. exit() takes the loader's lock, which
 * _Fork() and clone() leave to a thread that is not there. */
static _Noreturn void child(bool loader_is_free)
{
    struct sw_report *report;
    char name[32];
    alarm(20);
    snprintf(name, sizeof name, "child %d", (int)getpid());
    sw_action(name);
    train(sw, 15);
    sw_hparam_int(sw, "child", 1);
    sw_log(sw, name, 1);
    sw_pause(sw);
    sw_resume(sw);
    sw_flush(sw, 1000000);
    if (sw_report_new(sw, &report, NULL) > 0)
        sw_report_free(report);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    if (loader_is_free)
        exit(0);
    _exit(0);
}

static pid_t child_make(void)
{
    pid_t pid;
    if (strcmp(first, "vfork") == 0) {
        pid = vfork();
        if (pid == 0) {
            sw_close(sw, NULL);
            _exit(0);
        }
        return pid;
    }
    if (strcmp(first, "_Fork") == 0)
        pid = _Fork();
    else if (strcmp(first, "clone") == 0)
        pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    else
        pid = fork();
    if (pid == 0)
        child(strcmp(first, "fork") == 0);
    return pid;
}

static int by_fork(void)
{
    int status = 0, wrong = 0;
    pthread_t thread = pthread_self();
    train(sw, 20);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(second, works[i].name) == 0)
            thread = start(works[i].run, NULL);
    for (int i = 0; i < 10; i++) {
        wait_us(rand() % 2000);
        pid_t pid = child_make();
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            wrong++;
            fprintf(stderr, "a child ended with status 0x%x\n", (unsigned)status);
        }
    }
    atomic_store(&stopped, true);
    pthread_join(thread, NULL);
    return closed(sw) || wrong;
}

/* The last child measures, and may open a profiler of its own. */
static int by_daemon(void)
{
    if (strcmp(first, "daemon") == 0 && daemon(1, 1) != 0)
        return 97;
    if (strcmp(first, "double") == 0) {
        pid_t pid = fork();
        int status;
        if (pid > 0) {
            train(sw, 20);
            return waitpid(pid, &status, 0) != pid || closed(sw);
        }
        if (fork() > 0)
            _exit(0);
    }
    /* Not before the parent is gone for certain. */
    wait_us(50000);
    train(sw, 20);
    if (strcmp(second, "exit") == 0)
        return 0;
    closed(sw);
    sw = sw_open(config, NULL);
    train(sw, 20);
    return closed(sw);
}

/* ---- calls at odd places --------------------------------------------------------------------- */

static int by_cancelled_fit(void)
{
    for (int fit = 0; fit < 2; fit++) {
        train(sw, 20);
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_cancel(sw, SW_FIT);
    }
    return closed(sw);
}

static void say_second(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level;
    printf("second: %s\n", text);
}

static void say_first(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level;
    printf("first: %s\n", text);
    sw_log(sw, "from the callback", 1);
    sw_end(sw, SW_BACKWARD);
    sw_set_messages(sw, say_second, NULL);
}

static int by_callback(void)
{
    sw_set_messages(sw, say_first, NULL);
    train(sw, 20);
    sw_end(sw, SW_LOSS);
    return closed(sw);
}

static void *crash(void *arg)
{
    volatile int *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *forbidden = 1;
    return arg;
}

static int by_crash(void)
{
    train(sw, 20);
    crash(NULL);
    return 0;
}

static int by_crash_there(void)
{
    train(sw, 20);
    start(crash, NULL);
    wait_for_the_end();
}

#if SANITIZED
static int by_fold(void)
{
    return by_crash();
}
#else
static atomic_bool broken, waits, within, closing;

/* Until the loop's thread is in sw_close() and waits for what this one has. */
static void wait_for_the_close(void)
{
    atomic_store(&within, true);
    while (!atomic_load(&closing))
        sched_yield();
    wait_us(20000);
}

/* The compiler must not make a call of calloc() of it. */
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    static void *(*volatile take)(size_t) = malloc;
    if (atomic_exchange(&broken, false)) {
        if (atomic_load(&waits))
            wait_for_the_close();
        abort();
    }
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *block = take(count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

static void fold_now(void)
{
    struct sw_report *report;
    if (strcmp(first, "loop") == 0 && sw_report_new(sw, &report, NULL) >= 0)
        sw_report_free(report);
    if (strcmp(first, "TERM") == 0)
        raise(SIGTERM);
    if (strcmp(first, "exit") == 0)
        exit(3);
    while (atomic_load(&waits) && !atomic_load(&within))
        sched_yield();
    atomic_store(&closing, true);
    if (strcmp(first, "close") == 0 || atomic_load(&waits))
        closed(sw);
}

/* The row of an action takes memory when its first call is folded. */
static int by_fold(void)
{
    int fresh = sw_action("fresh");
    atomic_store(&waits, strcmp(first, "beside") == 0);
    train(sw, 10);
    sw_flush(sw, INT64_C(10000000000));
    atomic_store(&broken, true);
    sw_begin(sw, fresh);
    sw_end(sw, fresh);
    for (int i = 0; i < 10; i++)
        step(sw);
    fold_now();
    wait_for_the_end();
}
#endif

static const struct {
    const char *name;
    int (*run)(void);
} ways[] = {
    {"signal", by_signal},
    {"exit", by_exit},
    {"raise", by_raise},
    {"pause", by_pause},
    {"poll", by_poll},
    {"sleep", by_sleep},
    {"sink", by_sink},
    {"atexit", by_atexit},
    {"threads", by_threads},
    {"cancel", by_cancel},
    {"pthread_exit", by_pthread_exit},
    {"stack", by_stack},
    {"fork", by_fork},
    {"daemon", by_daemon},
    {"fit", by_cancelled_fit},
    {"callback", by_callback},
    {"segv", by_crash},
    {"thread_segv", by_crash_there},
    {"fold", by_fold},
};

int main(int argc, char **argv)
{
    struct sw_error err;
    config = argc > 1 ? argv[1] : NULL;
    const char *how = argc > 2 ? argv[2] : "";
    first = argc > 3 ? argv[3] : "";
    second = argc > 4 ? argv[4] : "";
    srand((unsigned)getpid());
    alarm(100);
    if (strcmp(how, "atexit") == 0)
        atexit(close_at_exit);
    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        sw_sink_register(&sinks[i], NULL, &err);
    sw = sw_open(config, &err);
    if (!sw)
        sw_error_print(stderr, &err);
    for (size_t i = 0; sw && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].name) == 0)
            return ways[i].run();
    return 99;
}
