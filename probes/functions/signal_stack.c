/* SPDX-License-Identifier: MIT */
#include "probes/functions/signal_stack.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Besides the kernel's frame. Handlers of the program with SA_ONSTACK run here, too. */
enum { ROOM = 64 << 10 };

static size_t size_of_page(void)
{
    return (size_t)getpagesize();
}

static size_t size_of_stack(void)
{
    size_t least = ROOM + getauxval(AT_MINSIGSTKSZ), page = size_of_page();
    return (least + page - 1) / page * page;
}

/* The lowest page is a guard: an overflow is a fault, and overwrites nothing. */
static void *stack_new(void)
{
    size_t guard = size_of_page(), size = size_of_stack();
    char *map = mmap(NULL, guard + size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + guard, size, PROT_READ | PROT_WRITE) == 0)
        return map + guard;
    munmap(map, guard + size);
    return NULL;
}

void fn_signal_stack_set(struct fn_own *own)
{
    stack_t is;
    if (sigaltstack(NULL, &is) != 0 || !(is.ss_flags & SS_DISABLE))
        return;
    if (!own->signal_stack)
        own->signal_stack = stack_new();
    if (own->signal_stack)
        sigaltstack(&(stack_t){.ss_sp = own->signal_stack, .ss_size = size_of_stack()}, NULL);
}

void fn_signal_stack_unset(const struct fn_own *own)
{
    stack_t is;
    if (own->signal_stack && sigaltstack(NULL, &is) == 0 && is.ss_sp == own->signal_stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}
