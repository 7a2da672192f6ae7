/* SPDX-License-Identifier: MIT */
/* crowd.c - calls in an order and a number that no loop has.
 *
 *     crowd CONFIG.yaml HOW [N]
 *
 *     forks      N children that measure, log and exit; the parent goes on
 *     handlers   N steps while a signal handler begins and ends a region every 50 microseconds; the
 *                hyper-parameter handled says how often
 *     threads    N threads with regions of their own
 *     depth      N regions inside of each other, twice
 *     names      N actions and N metrics
 *     epochs     N epochs of a step
 *     configs    N hyper-parameters
 *     metrics    N names of metrics, a value each; prints what a value took at first and at last
 *     unmatched  N ends without a begin, and N regions that cross
 *     clock      N steps under a clock that jumps an hour forth and back
 *     endless    N steps of eight actions; prints the memory after a hundredth of them and after
 * all values     N steps with NaN, infinities, denormal and huge values, and absurd numbers of
 * samples names-of   the texts on standard input, each ended by NUL, as names of actions and
 * metrics
 *
 * epochs, configs and metrics print "peak N", the most memory in KiB until sw_close().
 *
 * What sw_close() had to say goes to standard error, and makes the exit status 1. */
#include <stepwatch/stepwatch.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sw_profiler *sw;
static int number;

static void step(void)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_end(sw, SW_FORWARD);
    sw_log(sw, "train/loss", 0.5);
    sw_end_batch(sw, 64);
}

/* ---- ways ------------------------------------------------------------------------------------ */

static void child(int i)
{
    step();
    sw_hparam_int(sw, "child", i);
    sw_flush(sw, 1000000);
    if (i % 3 == 0)
        sw_close(sw, NULL);
    if (i % 3 == 1)
        _exit(0);
    exit(0);
}

static void forks(void)
{
    int status = 0, wrong = 0;
    for (int i = 0; i < number; i++) {
        step();
        pid_t pid = fork();
        if (pid == 0)
            child(i);
        wrong += pid < 0;
    }
    for (int i = 0; i < number; i++)
        wrong += wait(&status) < 0 || status != 0;
    if (wrong)
        exit(99);
}

static int in_handler;
static volatile sig_atomic_t handled;

static void handler(int signal)
{
    (void)signal;
    sw_begin(sw, in_handler);
    sw_end(sw, in_handler);
    handled = handled + 1;
}

static void handlers(void)
{
    struct sigaction own = {.sa_handler = handler, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    in_handler = sw_action("in handler");
    /* A handler must not be the first to use an action. */
    handler(0);
    sigaction(SIGALRM, &own, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < number; i++) {
        step();
        if (i % 512 == 0)
            sw_flush(sw, INT64_C(100000000000));
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sw_hparam_int(sw, "handled", handled);
}

static void *thread(void *arg)
{
    int own = sw_action("augment");
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        sw_begin(sw, own);
        sw_begin(sw, SW_LOSS);
        sw_end(sw, SW_LOSS);
        sw_end(sw, own);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t *id = calloc((size_t)number, sizeof *id);
    step();
    for (int i = 0; id && i < number; i++)
        if (pthread_create(&id[i], NULL, thread, NULL) != 0)
            exit(99);
    for (int i = 0; i < 100; i++)
        step();
    for (int i = 0; id && i < number; i++)
        pthread_join(id[i], NULL);
    free(id);
}

static void depth(void)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < number; i++) {
            char name[32];
            snprintf(name, sizeof name, "level %d", i);
            sw_begin(sw, sw_action(name));
        }
        for (int i = number - 1; i >= 0; i--) {
            char name[32];
            snprintf(name, sizeof name, "level %d", i);
            sw_end(sw, sw_action(name));
        }
        step();
    }
}

static void names(void)
{
    char name[32];
    for (int i = 0; i < number; i++) {
        snprintf(name, sizeof name, "name %d", i);
        int action = sw_action(name);
        sw_begin(sw, action);
        sw_end(sw, action);
        if (i % 100 == 0)
            sw_log(sw, name, i);
    }
    step();
}

/* ---- as many as there is memory for ---------------------------------------------------------- */

static void peak_print(void)
{
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            printf("peak %ld\n", strtol(line + 6, NULL, 10));
    if (status)
        fclose(status);
}

static void epochs(void)
{
    for (int i = 0; i < number; i++) {
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        step();
        sw_end(sw, SW_TRAIN);
        sw_end(sw, SW_EPOCH);
    }
    peak_print();
}

static void configs(void)
{
    char name[32];
    for (int i = 0; i < number; i++) {
        snprintf(name, sizeof name, "config %d", i);
        sw_hparam_int(sw, name, i);
    }
    peak_print();
}

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The least that one of ten blocks of 100 values took, in nanoseconds a value. */
static int64_t log_thousand(int first)
{
    int64_t least = INT64_MAX;
    char name[64];
    for (int block = 0; block < 10; block++) {
        int64_t begin = monotonic_ns();
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "a/metric/%d", first + 100 * block + i);
            sw_log(sw, name, i);
        }
        int64_t taken = (monotonic_ns() - begin) / 100;
        least = taken < least ? taken : least;
    }
    return least;
}

static void metrics(void)
{
    int64_t before = log_thousand(0), after = before;
    for (int i = 1000; i < number; i += 1000)
        after = log_thousand(i);
    printf("first %" PRId64 "\nlast %" PRId64 "\n", before, after);
    peak_print();
}

static void unmatched(void)
{
    int a = sw_action("a"), b = sw_action("b");
    for (int i = 0; i < number; i++) {
        sw_end(sw, SW_LOSS);
        sw_begin(sw, a);
        sw_begin(sw, b);
        sw_end(sw, a); /* discards b */
        sw_end(sw, b); /* was never begun any more */
    }
    step();
}

static int64_t clock_ns;

static int64_t jumping(void *arg)
{
    (void)arg;
    return clock_ns;
}

static void clock_jumps(void)
{
    const int64_t hour = INT64_C(3600000000000);
    for (int i = 0; i < number; i++) {
        clock_ns += i % 7 == 3 ? hour : i % 7 == 5 ? -hour : 1000;
        step();
    }
}

static void values(void)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_TRUE_MIN, 1e308, -1e308, 0};
    static const int64_t samples[] = {0, -1, INT64_MIN, INT64_MAX, 1};
    for (int i = 0; i < number; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_log(sw, "odd", odd[i % 8]);
        if (i % 1000 == 0)
            sw_set_step(sw, i % 2000 ? INT64_MAX : i);
        sw_end_batch(sw, samples[i % 5]);
        if (i % 1000 == 999) /* no queue is to overflow */
            sw_flush(sw, INT64_C(100000000000));
    }
    sw_hparam_float(sw, "nan", NAN);
    sw_hparam_int(sw, "min", INT64_MIN);
    sw_expect_steps(sw, INT64_MIN);
}

static void eight_actions(void)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP};
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, sw_action("augment"));
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        sw_next(sw, actions[i]);
    sw_next(sw, SW_ZERO_GRAD);
    sw_end(sw, SW_ZERO_GRAD);
    sw_end_batch(sw, 64);
}

/* Whoever reads what this prints looks at the process and answers with a line. */
static void be_looked_at(void)
{
    puts("look");
    fflush(stdout);
    while (getchar() != '\n' && !feof(stdin))
        continue;
}

/* The sinks catch up now and then, as with any loop that does some work. */
static void endless(void)
{
    for (int i = 0; i < number; i++) {
        eight_actions();
        if (i % 512 == 0)
            sw_flush(sw, INT64_C(100000000000));
        if (i == number / 10)
            be_looked_at();
    }
    be_looked_at();
}

static void names_of(void)
{
    char *name = NULL;
    size_t room = 0;
    while (getdelim(&name, &room, '\0', stdin) > 0) {
        int action = sw_action(name);
        step();
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, action);
        sw_end(sw, action);
        sw_log(sw, name, 1);
        sw_end_batch(sw, 1);
        sw_hparam_string(sw, name, name);
    }
    free(name);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"handlers", handlers}, {"forks", forks},         {"threads", threads},   {"depth", depth},
    {"names", names},       {"unmatched", unmatched}, {"clock", clock_jumps}, {"endless", endless},
    {"values", values},     {"names-of", names_of},   {"epochs", epochs},     {"configs", configs},
    {"metrics", metrics},
};

int main(int argc, char **argv)
{
    struct sw_error err;
    const char *how = argc > 2 ? argv[2] : "";
    number = argc > 3 ? atoi(argv[3]) : 1;
    sw = sw_open(argc > 1 ? argv[1] : NULL, &err);
    if (!sw)
        sw_error_print(stderr, &err);
    if (sw && strcmp(how, "clock") == 0)
        sw_set_clock(sw, jumping, NULL);
    sw_begin(sw, SW_FIT);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].name) == 0)
            ways[i].run();
    sw_end(sw, SW_FIT);
    int rc = sw_close(sw, &err);
    if (rc < 0)
        sw_error_print(stderr, &err);
    return rc < 0;
}
