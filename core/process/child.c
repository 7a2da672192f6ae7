/* SPDX-License-Identifier: MIT */
#include "core/process/child.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COPY, OWN, CHANGING };

static atomic_uchar no_page =
    OWN; /* for a kernel that cannot clear pages: then only getpid() shows a child */
atomic_uchar *swi_process_mark = &no_page;
static atomic_int home; /* the process that measures; 0: no profiler was opened yet */

/* Runs at program start, because a child that is forked in the middle of it could not notice. */
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

/* The second test is for vfork(), and for the first process of a new namespace: the first test
 * alone would miss these. */
bool swi_is_child(void)
{
    int opener = atomic_load(&home);
    return swi_is_copy() || (opener && opener != getpid());
}

/* In the process that measures from now on. become() initialises its locks again. */
static void enter(void (*become)(void))
{
    unsigned char mark = COPY;
    if (atomic_compare_exchange_strong(swi_process_mark, &mark, CHANGING)) {
        atomic_store(&home, getpid());
        become();
        atomic_store(swi_process_mark, OWN);
    }
    while (atomic_load(swi_process_mark) == CHANGING)
        sched_yield();
}

bool swi_child_claim(void)
{
    int nobody = 0;
    return !atomic_compare_exchange_strong(&home, &nobody, getpid()) && swi_is_child();
}

void swi_child_enter(void (*become)(void))
{
    atomic_store(swi_process_mark, COPY);
    enter(become);
}
