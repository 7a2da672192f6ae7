/* SPDX-License-Identifier: MIT */
/* loop.c - the training loop that tests/faults treats badly.
 *
 *     loop CONFIG.yaml [KEY=VALUE]...
 *
 * CONFIG.yaml may be empty: then it is the one that sw_open(NULL) finds.
 *
 *     steps=N        training steps, 100
 *     rate=N         steps a second; 0, the default: as fast as it can
 *     fake=1         a clock of its own, so that two runs write the same files
 *     stamps=FILE    where each step leaves the time at which it ended: int64_t, CLOCK_MONOTONIC
 *     times=FILE     where each step leaves how many nanoseconds it took: int64_t
 *     fork=STEP      before this step makes a child that measures as well and ends by exit()
 *     pause=STEP     before this step waits for a line on standard input
 *     inside=1       waits so within the step, in its batch
 *     rest=1         and is paused (sw_pause) meanwhile
 *     closes=STEP    before this step closes all descriptors but the standard ones, and opens 100
 *                    files mine/N, each with the line "mine"
 *     work=NS        each batch takes at least so long
 *     threads=N      has so many threads besides, which decode 200 times a second
 *     decoded=FILE   where each decoding leaves when it ended: 100,000 int64_t for each of them
 *     touch=BYTES    so much memory is written to between two steps
 *     counters=N     names so many counters, and counts only the last one, in each batch
 *     handler=1      has handlers of its own for SIGINT, SIGTERM and SIGUSR1, which exit with 42
 *     trap=1         makes the CPU's counter a trap for itself, before it opens its profiler
 *     floats=1       an invalid operation, a division by zero or an overflow raises SIGFPE
 *     environment=1  changes its environment and its time zone without a pause for 0.3 s after it
 * has opened its profiler end=HOW        close, exit, _exit, abort, thread (exit from another one),
 * segv; close status=N       of exit; 3 quiet=1        says nothing of what follows
 *
 * Says on standard output "step" when the first step has ended, "paused", and at the end "slowest
 * N", the nanoseconds of the longest step, "lasted N", those of fit, "closed N", those of
 * sw_close(), and "decimal C", what the locale writes between units and tenths; on standard error
 * what sw_close() had to say. */
#include "tests/support/sanitized.h"

#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char **arguments;
static int64_t fake_ns;
static int64_t *stamps, *times, *decoded;
static int64_t slowest_ns, began_ns;

static const char *value_of(const char *key, const char *fallback)
{
    size_t length = strlen(key);
    for (char **at = arguments; *at; at++)
        if (strncmp(*at, key, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return fallback;
}

static int64_t number_of(const char *key, int64_t fallback)
{
    const char *text = value_of(key, NULL);
    return text ? strtoll(text, NULL, 10) : fallback;
}

static void say(const char *text)
{
    if (!number_of("quiet", 0) && write(STDOUT_FILENO, text, strlen(text)) < 0)
        return;
}

static int64_t monotonic_ns(void)
{
    struct timespec t;
    /* The C library reads the counter. */
    if (number_of("trap", 0))
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    else
        clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Names all of them, and returns the last one. */
static int last_counter(int64_t counters)
{
    char name[32];
    int last = 0;
    for (int64_t i = 0; i < counters; i++) {
        snprintf(name, sizeof name, "counter %d", (int)i);
        last = sw_counter(name);
    }
    return last;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int64_t fake_clock(void *arg)
{
    (void)arg;
    return fake_ns;
}

static void wait_for_line(struct sw_profiler *sw)
{
    char c = 0;
    if (number_of("rest", 0))
        sw_pause(sw);
    say("paused\n");
    while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
        continue;
    sw_resume(sw);
}

static void work(struct sw_profiler *sw, int64_t number)
{
    int64_t begin = monotonic_ns(), ns = number_of("work", 0);
    if (number_of("inside", 0) && number == number_of("pause", -1))
        wait_for_line(sw);
    while (ns && monotonic_ns() - begin < ns)
        continue;
}

static void step(struct sw_profiler *sw, int64_t number)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    sw_begin(sw, SW_DRAW);
    fake_ns += 1000;
    sw_next(sw, SW_BATCH);
    sw_begin(sw, sw_action("augment"));
    if (number_of("counters", 0))
        sw_count(sw, last_counter(number_of("counters", 0)), 1);
    work(sw, number);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        fake_ns += 1000 + number;
        sw_next(sw, actions[i]);
    }
    fake_ns += 500;
    sw_end(sw, SW_ZERO_GRAD);
    sw_log(sw, "train/loss", 1.0 / (double)(number + 1));
    sw_end_batch(sw, 64);
}

/* What is left of the caches is the program's. */
static void touch(void)
{
    static char *memory;
    int64_t bytes = number_of("touch", 0);
    if (bytes && !memory)
        memory = calloc((size_t)bytes, 1);
    for (int64_t i = 0; memory && i < bytes; i += 64)
        memory[i]++;
}

static void timed_step(struct sw_profiler *sw, int64_t number)
{
    int64_t begin = monotonic_ns();
    step(sw, number);
    int64_t end = monotonic_ns();
    slowest_ns = end - begin > slowest_ns ? end - begin : slowest_ns;
    if (stamps)
        stamps[number] = end;
    if (times)
        times[number] = end - begin;
    if (number == 0)
        say("step\n");
}

static void child(struct sw_profiler *sw, int64_t number)
{
    for (int64_t i = number; i < number + 10; i++)
        step(sw, i);
    child_exit(0);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { DECODED_MAX = 100000, THREADS_MAX = 16 };
static struct sw_profiler *decoded_by;
static atomic_int threads_begun;
static atomic_bool threads_end;
static pthread_t decoders[THREADS_MAX];
static int64_t decoder_count;

static void *decode(void *arg)
{
    const struct timespec gap = {.tv_nsec = 5000000};
    int64_t *ends = decoded ? decoded + (intptr_t)arg * DECODED_MAX : NULL;
    for (int64_t i = 0; i < DECODED_MAX && !atomic_load(&threads_end); i++) {
        sw_begin(decoded_by, sw_action("decode"));
        sw_end(decoded_by, sw_action("decode"));
        if (ends)
            ends[i] = monotonic_ns();
        if (i == 0)
            atomic_fetch_add(&threads_begun, 1);
        nanosleep(&gap, NULL);
    }
    return NULL;
}

static void threads_start(struct sw_profiler *sw, int64_t threads)
{
    decoded_by = sw;
    for (intptr_t i = 0; i < threads; i++)
        if (i == THREADS_MAX || pthread_create(&decoders[i], NULL, decode, (void *)i) != 0)
            exit(99);
    decoder_count = threads;
    while (atomic_load(&threads_begun) < threads)
        sched_yield();
}

/* No thread may use a profiler that is closed. */
static void threads_join(void)
{
    atomic_store(&threads_end, true);
    for (int64_t i = 0; i < decoder_count; i++)
        pthread_join(decoders[i], NULL);
}

enum { MINE = 100 };
static int mine[MINE];

/* A program that becomes a daemon closes what it does not know, and opens its own files. */
static void descriptors_take(void)
{
    enum { DESCRIPTORS = 1024 };
    char path[32];
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
        close(fd);
    for (int i = 0; i < MINE; i++) {
        snprintf(path, sizeof path, "mine/%d", i);
        mine[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (mine[i] < 0 || write(mine[i], "mine\n", 5) != 5)
            exit(99);
    }
}

/* They are still open, and have what was written. */
static void descriptors_check(void)
{
    for (int i = 0; i < MINE; i++)
        if (lseek(mine[i], 0, SEEK_END) != 5)
            exit(98);
}

static void train(struct sw_profiler *sw, int64_t steps)
{
    int64_t rate = number_of("rate", 0), pause = number_of("pause", -1);
    int64_t fork_at = number_of("fork", -1), closes_at = number_of("closes", -1);
    const struct timespec gap = {.tv_nsec = rate ? 1000000000 / rate : 0};
    began_ns = monotonic_ns();
    sw_begin(sw, SW_FIT);
    threads_start(sw, number_of("threads", 0));
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int64_t i = 0; i < steps; i++) {
        if (i == pause && !number_of("inside", 0))
            wait_for_line(sw);
        if (i == fork_at && fork() == 0)
            child(sw, i);
        if (i == closes_at)
            descriptors_take();
        touch();
        timed_step(sw, i);
        if (rate)
            nanosleep(&gap, NULL);
    }
}

/* The sinks open meanwhile, on threads of their own. */
static void environment_change(void)
{
    char name[32];
    int64_t until = monotonic_ns() + 300000000;
    for (int i = 0; monotonic_ns() < until; i++) {
        snprintf(name, sizeof name, "CHANGED_%d", i % 5000);
        setenv(name, "there", 1);
        setenv("WANDB_DIR", "after", 1);
        setenv("TZ", i % 2 ? "EAST-5:30" : "WEST+3", 1);
        tzset();
        if (i % 5000 == 4999)
            clearenv();
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

static void finish(struct sw_profiler *sw)
{
    struct sw_error err;
    char line[128];
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    int64_t lasted_ns = monotonic_ns() - began_ns;
    threads_join();
    int64_t begin = monotonic_ns();
    int rc = sw_close(sw, &err);
    int64_t closed_ns = monotonic_ns() - begin;
    if (number_of("closes", -1) >= 0)
        descriptors_check();
    if (rc < 0)
        sw_error_print(stderr, &err);
    snprintf(line, sizeof line,
             "slowest %" PRId64 "\nlasted %" PRId64 "\nclosed %" PRId64 "\ndecimal %s\n",
             slowest_ns, lasted_ns, closed_ns, localeconv()->decimal_point);
    say(line);
    exit(rc < 0 ? 1 : 0);
}

static void *exit_there(void *arg)
{
    (void)arg;
    exit((int)number_of("status", 3));
}

static void end(struct sw_profiler *sw)
{
    const char *how = value_of("end", "close");
    int status = (int)number_of("status", 3);
    pthread_t thread;
    if (strcmp(how, "exit") == 0)
        exit(status);
    if (strcmp(how, "_exit") == 0)
        _exit(status);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "thread") == 0 && pthread_create(&thread, NULL, exit_there, NULL) == 0)
        for (;;)
            pause();
    finish(sw);
}

static void own_handler(int signal)
{
    (void)signal;
    _exit(42);
}

/* A number for each step, which outlive the process; NULL if that was not asked for. */
static int64_t *numbers_open(const char *key, int64_t steps)
{
    const char *path = value_of(key, NULL);
    if (!path)
        return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    size_t size = (size_t)steps * sizeof(int64_t);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        exit(99);
    void *numbers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (numbers == MAP_FAILED)
        exit(99);
    return numbers;
}

int main(int argc, char **argv)
{
    struct sw_error err;
    setlocale(LC_ALL, "");
    arguments = argv + (argc > 1 ? 2 : 1);
    int64_t steps = number_of("steps", 100);
    stamps = numbers_open("stamps", steps);
    times = numbers_open("times", steps);
    decoded = numbers_open("decoded", DECODED_MAX * number_of("threads", 0));
    if (number_of("handler", 0)) {
        signal(SIGINT, own_handler);
        signal(SIGTERM, own_handler);
        signal(SIGUSR1, own_handler);
    }
    if (number_of("trap", 0) && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        exit(77);
    if (number_of("floats", 0) && feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) < 0)
        exit(77);
    struct sw_profiler *sw = sw_open(argc > 1 && *argv[1] ? argv[1] : NULL, &err);
    if (!sw)
        sw_error_print(stderr, &err);
    if (sw && number_of("fake", 0)) {
        sw_set_clock(sw, fake_clock, NULL);
        sw_set_start(sw, 1767225600);
    }
    if (number_of("environment", 0))
        environment_change();
    train(sw, steps);
    end(sw);
}
