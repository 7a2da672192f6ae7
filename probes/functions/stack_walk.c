/* SPDX-License-Identifier: MIT */
/* Frame pointers are fast, but only some programs have them. The tables for exceptions are slow,
 * but nearly all programs have them. The first samples are taken both ways; if they agree, only
 * frame pointers are used from then on. Where tables end too early, in code that has none, frame
 * pointers are tried again. */
#include "probes/functions/stack_walk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#ifdef __GLIBC__
#include <execinfo.h>
#include <gnu/libc-version.h>
#else
/* musl has neither; frame pointers remain. */
static const char *gnu_get_libc_version(void)
{
    return "";
}

static int backtrace(void **frame, int size)
{
    (void)frame;
    (void)size;
    return 0;
}
#endif

/* Number of samples that are taken both ways. */
enum { TRIALS = 10 };

static atomic_int agreed, trials;
static bool has_tables; /* backtrace() takes no lock */

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern const char __start_sw_fn_begin[] __attribute__((visibility("hidden")));
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern const char __stop_sw_fn_begin[] __attribute__((visibility("hidden")));

bool fn_stack_is_end(uintptr_t pc)
{
    return pc > (uintptr_t)__start_sw_fn_begin && pc <= (uintptr_t)__stop_sw_fn_begin;
}

/* Before glibc 2.35, backtrace() takes the loader's lock, which the interrupted thread may hold. */
void fn_stack_prepare(void)
{
    void *frame[1];
    int major = 0, minor = 0;
    if (sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2)
        has_tables = major > 2 || (major == 2 && minor >= 35);
    if (has_tables)
        backtrace(frame, 1);
}

struct registers {
    uintptr_t pc, stack, frame;
};

static struct registers registers_of(const void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (struct registers){(uintptr_t)c->uc_mcontext.gregs[REG_RIP],
                              (uintptr_t)c->uc_mcontext.gregs[REG_RSP],
                              (uintptr_t)c->uc_mcontext.gregs[REG_RBP]};
#elif defined(__aarch64__)
    return (struct registers){c->uc_mcontext.pc, c->uc_mcontext.sp, c->uc_mcontext.regs[29]};
#else
    (void)c;
    return (struct registers){0, 0, 0};
#endif
}

bool fn_stack_add(struct fn_stack *stack, uintptr_t pc)
{
    stack->deeper = stack->count == FN_FRAMES;
    if (!stack->deeper)
        stack->pc[stack->count++] = pc;
    return !stack->deeper;
}

/* All memory between the stack pointer and the bottom of the stack is readable; a stack that the
 * program made itself is elsewhere. A frame has the caller's frame pointer and the return address.
 * Returns whether the walk reached the function that the thread began with. A frame pointer that is
 * used for other things ends it earlier. */
static bool by_frames(struct fn_stack *stack, const struct registers *at, uintptr_t low,
                      uintptr_t bottom)
{
    uintptr_t frame = at->frame, above = at->stack;
    stack->count = 0;
    fn_stack_add(stack, at->pc);
    if (above < low)
        return false;
    while (frame >= above && frame < bottom && frame % sizeof frame == 0) {
        const uintptr_t *word = (const uintptr_t *)frame;
        if (fn_stack_is_end(word[1]))
            return true;
        if (!word[1] || !fn_stack_add(stack, word[1]))
            return stack->deeper;
        above = frame + 2 * sizeof frame;
        frame = word[0];
    }
    return false;
}

/* Returns whether the walk reached that function, too. Code without tables ends it earlier. */
static bool by_tables(struct fn_stack *stack, const struct registers *at)
{
    enum { OWN = 8 }; /* frames of the handler */
    void *found[FN_FRAMES + OWN + 1];
    int count = backtrace(found, FN_FRAMES + OWN + 1), i = 0;
    while (i < count && (uintptr_t)found[i] != at->pc)
        i++;
    stack->count = 0;
    stack->deeper = false;
    if (i == count)
        fn_stack_add(stack, at->pc);
    while (i < count && !fn_stack_is_end((uintptr_t)found[i]) &&
           fn_stack_add(stack, (uintptr_t)found[i]))
        i++;
    return stack->deeper || (i < count && fn_stack_is_end((uintptr_t)found[i]));
}

void fn_stack_take(struct fn_stack *stack, const void *context, uintptr_t low, uintptr_t bottom)
{
    struct registers at = registers_of(context);
    struct fn_stack by_pointers;
    int trial = atomic_load(&trials);
    bool whole = (trial < TRIALS || atomic_load(&agreed) == TRIALS || !has_tables) &&
                 by_frames(stack, &at, low, bottom);
    int count = whole ? stack->count : 0;
    if (!has_tables || (whole && trial >= TRIALS))
        return;
    bool complete = by_tables(stack, &at);
    if (trial < TRIALS && atomic_fetch_add(&trials, 1) < TRIALS && count == stack->count)
        atomic_fetch_add(&agreed, 1);
    if (!complete && by_frames(&by_pointers, &at, low, bottom))
        *stack = by_pointers;
}
