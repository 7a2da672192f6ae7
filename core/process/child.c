/* SPDX-License-Identifier: MIT */
#include "core/process/child.h"
#include "core/rows/action.h"
#include "core/process/alone.h"
#include "core/exit.h"
#include "core/process/fault.h"
#include "core/files/file.h"
#include "core/plugins/register.h"
#include "core/process/signals.h"
#include "core/loop/state.h"
#include "core/delivery/worker.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COPY, OWN, CHANGING };

static atomic_uchar no_page =
    OWN; /* of a kernel that cannot clear pages: then only getpid() tells */
atomic_uchar *swi_process_mark = &no_page;
static atomic_int home; /* the process that measures; 0: none was opened yet */

/* At the start, because a child made in the middle of it could not tell. */
__attribute__((constructor)) static void page_map(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        return;
    }
    atomic_uchar *mark = page;
    atomic_init(mark, OWN);
    swi_process_mark = mark;
}

/* The second test is for vfork(), and for a first process of a new namespace: both may have only
 * one of the two. */
bool swi_is_child(void)
{
    int opener = atomic_load(&home);
    return swi_is_copy() || (opener && opener != getpid());
}

/* ---- what the child was told --------------------------------------------------------------------
 */

static atomic_uint calls; /* on inherited profilers */
static atomic_bool told;
static _Atomic(struct sw_profiler *) called;

/* One thread, whatever the parent had. */
static void become(void)
{
    atomic_store(&home, getpid());
    atomic_store(&calls, 0);
    atomic_store(&told, false);
    swi_action_child();
    swi_alone_child();
    swi_registered_child();
    swi_run_child();
    swi_stdout_child();
    swi_fault_child();
    swi_signals_child();
    swi_exit_inherit();
}

static void child_enter(void)
{
    unsigned char mark = COPY;
    if (atomic_compare_exchange_strong(swi_process_mark, &mark, CHANGING)) {
        become();
        atomic_store(swi_process_mark, OWN);
    }
    while (atomic_load(swi_process_mark) == CHANGING)
        sched_yield();
}

/* The child of fork(). */
static void after_fork_child(void)
{
    swi_exit_forked();
    atomic_store(swi_process_mark, COPY);
    child_enter();
}

__attribute__((constructor)) static void fork_watch(void)
{
    pthread_atfork(swi_exit_fork, swi_exit_forked, after_fork_child);
}

void swi_process_enter(void)
{
    int nobody = 0;
    if (atomic_compare_exchange_strong(&home, &nobody, getpid()) || !swi_is_child())
        return;
    swi_exit_unlock();
    atomic_store(swi_process_mark, COPY);
    child_enter();
}

/* ---- what the child is told ---------------------------------------------------------------------
 */

#define SENTENCE                                                                                   \
    "this process (%d) was forked after sw_open(), which process %d called: nothing is measured "  \
    "here; call sw_open() after fork() or daemon()"

/* Its parent is not who opened the profiler: the end of a daemon(), or of a double fork. Children
 * that work for a parent, like those of a data loader, are not told. */
static bool is_on_its_own(const struct sw_profiler *sw)
{
    return getppid() != sw->run.pid;
}

static void tell(struct sw_profiler *sw)
{
    char text[256];
    if (!is_on_its_own(sw) || atomic_exchange(&told, true))
        return;
    snprintf(text, sizeof text, SENTENCE, (int)getpid(), (int)sw->run.pid);
    swi_say_in_child(&sw->messages, text);
}

void swi_child_off(struct sw_profiler *sw)
{
    sw->forked = true;
    atomic_store(&sw->dead, true);
    atomic_store(&sw->serial, swi_serial_next());
}

/* A parent that is about to end may still be there at the first call: so it is looked for again,
 * ever more rarely. */
void swi_child_called(struct sw_profiler *sw)
{
    unsigned count = atomic_fetch_add(&calls, 1) + 1;
    atomic_store(&called, sw);
    if (!(count & (count - 1)) && !atomic_load(&told))
        tell(sw);
}

void swi_child_exit(void)
{
    struct sw_profiler *sw = atomic_load(&called);
    if (sw && atomic_load(&calls))
        tell(sw);
}

int swi_child_refuse(const struct sw_profiler *sw, struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL, SENTENCE, (int)getpid(), (int)sw->run.pid);
}

int swi_child_close(const struct sw_profiler *sw, struct sw_error *err)
{
    sw_error_clear(err);
    return is_on_its_own(sw) ? swi_child_refuse(sw, err) : 0;
}
