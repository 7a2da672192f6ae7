/* SPDX-License-Identifier: MIT */
#include "probes/functions/waiting.h"
#include "core/files/own_table.h"
#include "probes/functions/nodes.h"
#include "probes/functions/sampler.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/thread_state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool ended;
static int64_t period;

/* ---- what the kernel tells of a thread: the file `syscall` ---- */

enum state { GONE, RUNS, WAITS };

/* "running", or "NUMBER ARGUMENTS... STACK PC", all but the number in hexadecimal. */
static enum state state_of(char *text, struct fn_wait *wait)
{
    char *pc = strrchr(text, ' ');
    if (!pc)
        return *text == 'r' ? RUNS : GONE;
    *pc = '\0';
    const char *stack = strrchr(text, ' ');
    wait->pc = strtoul(pc + 1, NULL, 16);
    wait->stack = stack ? strtoul(stack + 1, NULL, 16) : 0;
    return wait->stack && wait->pc ? WAITS : GONE;
}

/* A program may give up the right to look at itself: then times are of CPU time from now on. */
static void unseen_because(int why)
{
    if (why == EACCES || why == EPERM)
        atomic_store(&fn_file->unseen, (uint32_t)why);
}

static enum state look(int tasks, uint32_t thread, struct fn_wait *wait)
{
    char text[256];
    snprintf(text, sizeof text, "%u/syscall", (unsigned)thread);
    int fd = openat(tasks, text, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (size < 0)
        unseen_because(errno);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    return state_of(text, wait);
}

/* ---- a thread ---- */

/* CPU time of a thread; the kernel makes the number of the clock like this. */
static int64_t used_ns(const struct fn_own *own)
{
    struct timespec used = {0, 0};
    clock_gettime((clockid_t)(~own->part->tid << 3 | 6), &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* The stack is that of this wait only if the thread still waits there. */
static enum state wait_find(struct fn_own *own, int tasks)
{
    struct fn_wait before, after;
    struct fn_stack stack;
    enum state state = look(tasks, own->part->tid, &before);
    if (state != WAITS)
        return state;
    fn_stack_of_waiting(&stack, &before, own->bottom);
    int64_t used = used_ns(own);
    state = look(tasks, own->part->tid, &after);
    if (state != WAITS || before.pc != after.pc || before.stack != after.stack)
        return state == GONE ? GONE : RUNS;
    own->waited = fn_sampled_node(own, &stack, atomic_load(&own->innermost));
    own->used_ns = used;
    return WAITS;
}

/* A thread that was woken and has not run since still waits, for a CPU. */
static bool is_only_woken(const struct fn_own *own)
{
    return own->waited && used_ns(own) == own->used_ns;
}

static void state_note(struct fn_own *own, int tasks, int64_t samples)
{
    enum state state = wait_find(own, tasks);
    if (state == WAITS || (state == RUNS && is_only_woken(own)))
        fn_sampled_count(own->waited, samples);
    else if (state == RUNS)
        atomic_fetch_add(&own->owed, samples);
}

/* What a look needs. */
struct looking {
    int tasks;
    int64_t samples;
};

/* A thread whose handler has the tree runs. */
static void thread_note(struct fn_own *own, void *arg)
{
    const struct looking *looking = arg;
    if (!atomic_load(&own->watched) || atomic_load(&ended))
        return;
    if (!fn_sampled_take(own)) {
        atomic_fetch_add(&own->owed, looking->samples);
        return;
    }
    if (atomic_load(&own->watched))
        state_note(own, looking->tasks, looking->samples);
    fn_sampled_release(own);
}

void fn_waiting_join(struct fn_own *own)
{
    atomic_store(&own->innermost, FN_NO_REGION);
    atomic_store(&own->owed, 0);
    own->waited = NULL;
    atomic_store(&own->watched, true);
}

void fn_waiting_leave(struct fn_own *own)
{
    atomic_store(&own->watched, false);
    while (!fn_sampled_take(own))
        sched_yield();
    fn_sampled_release(own);
}

int64_t fn_waiting_owed(struct fn_own *own)
{
    return atomic_exchange(&own->owed, 0);
}

/* ---- the thread that looks ---- */

/* A table of files of its own: a number that the program expects is not taken for a moment. */
static int tasks_open(void)
{
    struct fn_wait wait;
    swi_own_table();
    int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0 || look(tasks, (uint32_t)gettid(), &wait) == GONE)
        atomic_store(&fn_file->unseen, (uint32_t)errno);
    return tasks;
}

/* If this thread could not run for a while, a sample counts for all that were missed. */
static void *run(void *unused)
{
    int64_t due = swi_now_ns();
    struct looking looking = {.tasks = tasks_open()};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (!atomic_load(&ended) && !atomic_load(&fn_file->unseen)) {
        looking.samples = fn_looking_wait(&due, period);
        if (atomic_load(&ended))
            break;
        fn_owns_each(thread_note, &looking);
        fn_start_look();
    }
    if (looking.tasks >= 0)
        close(looking.tasks);
    return unused;
}

bool fn_waiting_start(int64_t period_ns)
{
    period = period_ns;
    atomic_store(&ended, false);
    return fn_looking_start(run);
}

void fn_waiting_stop(void)
{
    atomic_store(&ended, true);
}
