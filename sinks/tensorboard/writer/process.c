/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/writer/process.h"

#include <stdint.h>
#include <sys/mman.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that is empty in every child, however it was made: _Fork() and clone() do not call the
 * handlers of pthread_atfork(). */
void swi_tb_process_init(struct swi_tb_process *process)
{
    *process = (struct swi_tb_process){.pid = getpid()};
#ifdef MADV_WIPEONFORK
    char *page =
        mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, page_size(), MADV_WIPEONFORK) < 0) {
        munmap(page, page_size());
        return;
    }
    *page = 1;
    process->page = page;
#endif
}

void swi_tb_process_fini(struct swi_tb_process *process)
{
    if (process->page)
        munmap((void *)(uintptr_t)process->page, page_size());
    process->page = NULL;
}
