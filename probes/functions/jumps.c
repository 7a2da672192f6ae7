/* SPDX-License-Identifier: MIT */
/* Functions of libc and libstdc++ after which other calls are open. longjmp() and exceptions leave
 * functions without their exit hooks: a wrapper of setjmp() notes how many calls were open, and
 * longjmp() closes those above. */
#include "probes/functions/thread_state.h"
#include "probes/functions/frame_rules.h"
#include "probes/functions/nodes.h"
#include "probes/functions/mappings.h"
#include "probes/functions/call_context.h"
#include "probes/functions/libc_calls.h"
#include "probes/functions/threads.h"

#include <dlfcn.h>
#include <link.h>

/* Defines `name`, a function of at most two arguments: it calls noted(FIRST ARGUMENT, which) and
 * then jumps to the function that this returns, with the same arguments and the same stack.
 * Undefined on processors that it is not written for. */
#if defined(__x86_64__)
#define FN_INTERPOSE(name, noted, which)                                                           \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                    \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n"                                                                            \
            "push %rdi\n.cfi_adjust_cfa_offset 8\n"                                                \
            "push %rsi\n.cfi_adjust_cfa_offset 8\n"                                                \
            "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                             \
            "mov $" #which ", %esi\n"                                                              \
            "call " #noted "\n"                                                                    \
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                            \
            "pop %rsi\n.cfi_adjust_cfa_offset -8\n"                                                \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\n"                                                \
            "jmp *%rax\n"                                                                          \
            ".cfi_endproc\n.size " #name ", .-" #name "\n")
#elif defined(__aarch64__)
#define FN_INTERPOSE(name, noted, which)                                                           \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n"                    \
            "hint #34\n" /* bti c */                                                               \
            "stp x0, x1, [sp, #-32]!\n"                                                            \
            "str x30, [sp, #16]\n"                                                                 \
            "mov w1, #" #which "\n"                                                                \
            "bl " #noted "\n"                                                                      \
            "mov x16, x0\n"                                                                        \
            "ldr x30, [sp, #16]\n"                                                                 \
            "ldp x0, x1, [sp], #32\n"                                                              \
            "br x16\n"                                                                             \
            ".size " #name ", .-" #name "\n")
#endif

#if defined(PIC) && defined(__GLIBC__)
#define FN_PUBLIC __attribute__((visibility("default")))

static struct fn_own *own_counted(void)
{
    struct fn_own *own = fn_self;
    return fn_own_counts(own) && !(own->slow & FN_OUT) ? own : NULL;
}

/* The same, unless this is a signal handler that interrupted a hook. */
static struct fn_own *own_here(void)
{
    struct fn_own *own = own_counted();
    return own && (own->slow & FN_BUSY) ? NULL : own;
}

/* ---- setjmp ---- */

/* The entry of a buffer is one of these 16, from a place computed from its address. */
enum { JUMP_PLACES = 16 };

static struct fn_jump *jump_entry(struct fn_own *own, const void *buffer, uint32_t i)
{
    uint64_t mixed = (uint64_t)((uintptr_t)buffer >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return &own->jumps[((uint32_t)(mixed >> (64 - FN_JUMPS_BITS)) + i) % FN_JUMPS];
}

static struct fn_jump *jump_find(struct fn_own *own, const void *buffer)
{
    for (uint32_t i = 0; own && i < JUMP_PLACES; i++)
        if (jump_entry(own, buffer, i)->buffer == buffer)
            return jump_entry(own, buffer, i);
    return NULL;
}

/* Returns the entry of this buffer, else an empty one, else that of the deepest function: it is the
 * most likely one to have returned. */
static struct fn_jump *jump_place(struct fn_own *own, const void *buffer)
{
    struct fn_jump *place = jump_find(own, buffer);
    for (uint32_t i = 0; !place && i < JUMP_PLACES; i++)
        if (!jump_entry(own, buffer, i)->buffer)
            place = jump_entry(own, buffer, i);
    if (place)
        return place;
    place = jump_entry(own, buffer, 0);
    for (uint32_t i = 1; i < JUMP_PLACES; i++)
        if (jump_entry(own, buffer, i)->depth > place->depth)
            place = jump_entry(own, buffer, i);
    return place;
}

static void jump_note(const void *buffer)
{
    struct fn_own *own = own_counted();
    struct fn_jump *place = own_here() ? jump_place(own, buffer) : jump_find(own, buffer);
    if (place && (own->slow & FN_BUSY))
        place->buffer = NULL;
    else if (place)
        *place = (struct fn_jump){buffer, (uint32_t)fn_own_depth(own)};
}

enum { SETJMP, SETJMP_, SIGSETJMP, SETJMPS };
static void *(*volatile found[SETJMPS]);

/* Called by the stubs. Returns the function that they interpose. */
__attribute__((used)) FN_HIDDEN void *fn_jump_noted(const void *buffer, int which);

void *fn_jump_noted(const void *buffer, int which)
{
    static const char *const names[SETJMPS] = {"setjmp", "_setjmp", "__sigsetjmp"};
    jump_note(buffer);
    if (!found[which])
        found[which] = dlsym(RTLD_NEXT, names[which]);
    return found[which];
}

/* setjmp() must see its caller. */
#ifdef FN_INTERPOSE
FN_INTERPOSE(setjmp, fn_jump_noted, 0);
FN_INTERPOSE(_setjmp, fn_jump_noted, 1);
FN_INTERPOSE(__sigsetjmp, fn_jump_noted, 2);

/* ---- longjmp ---- */

/* A jump to a place outside of the signal handler also leaves what the handler has interrupted. */
static void jump_take(const void *buffer)
{
    struct fn_own *own = own_counted();
    struct fn_jump *jump = jump_find(own, buffer);
    if (!jump)
        return;
    fn_own_no_longer(own, FN_BUSY);
    if (own->clock)
        fn_own_slice(own, fn_now());
    if (jump->depth < fn_own_depth(own))
        fn_tree_cut(own, jump->depth);
}

/* Found before the program begins, because a signal handler must not call the loader. Assembler
 * names are used, because the compiler has its own idea of longjmp(). */
#define LONGJMP(name)                                                                              \
    static void (*next_##name)(void *, int);                                                       \
    __attribute__((constructor)) static void find_##name(void)                                     \
    {                                                                                              \
        *(void **)&next_##name = dlsym(RTLD_NEXT, #name);                                          \
    }                                                                                              \
    FN_PUBLIC void fn_##name(void *buffer, int value) __asm__(#name);                              \
    void fn_##name(void *buffer, int value)                                                        \
    {                                                                                              \
        if (!next_##name)                                                                          \
            find_##name();                                                                         \
        jump_take(buffer);                                                                         \
        next_##name(buffer, value);                                                                \
        __builtin_unreachable();                                                                   \
    }

LONGJMP(longjmp)
LONGJMP(_longjmp)
LONGJMP(siglongjmp)
LONGJMP(__longjmp_chk)
#endif

/* ---- exceptions: clang's code runs no exit hooks when one passes ---- */

typedef void *begin_catch(void *);
static const char catching[] = "__cxa_begin_catch";
static begin_catch *next_begin_catch;
static int (*next_dlclose)(void *);

__attribute__((constructor)) static void find_others(void)
{
    *(void **)&next_begin_catch = dlsym(RTLD_NEXT, catching);
    *(void **)&next_dlclose = dlsym(RTLD_NEXT, "dlclose");
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
FN_PUBLIC void *__cxa_begin_catch(void *exception);

/* The frame that catches has this stack pointer, so calls of deeper frames are closed. Only debug
 * information knows which of the functions inlined into it continues, so the command finds out from
 * the address in the handler. Code from gcc has already closed them. */
static void caught(struct fn_own *own, uintptr_t address, uintptr_t stack)
{
    size_t depth = fn_own_depth(own);
    while (depth && own->calls[depth].stack < stack)
        depth--;
    for (size_t i = depth; i && own->calls[i].stack == stack; i--)
        if (own->calls[i].node->fn == address)
            depth = i;
    fn_tree_cut(own, depth);
    bool inlined = depth > 1 && own->calls[depth].stack == stack &&
                   own->calls[depth - 1].stack == stack && own->top != own->limit &&
                   own->calls[depth].node->fn != address && !(own->slow & FN_CAPPED);
    struct fn_node *node = inlined ? fn_tree_child(own, own->cur, address, FN_CAUGHT) : NULL;
    if (!node)
        return;
    own->top[1] = (struct fn_call){node, node, stack};
    own->top++;
    fn_own_at(own, node, node->first);
}

/* Returns the function that an object and the libraries that it needs define. */
static begin_catch *begin_catch_of(const char *object)
{
    begin_catch *real = NULL;
    void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return NULL;
    *(void **)&real = dlsym(handle, catching);
    if (next_dlclose)
        next_dlclose(handle);
    return real == __cxa_begin_catch ? NULL : real;
}

/* If the program is not C++, a plugin has a libstdc++ that only it sees. It is not remembered,
 * because another plugin may have a different one, and it may be unloaded. */
static begin_catch *begin_catch_find(const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    begin_catch *real = NULL;
    if (!next_begin_catch)
        find_others();
    if (next_begin_catch)
        return next_begin_catch;
    if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name)
        real = begin_catch_of(map->l_name);
    return real ? real : begin_catch_of("libstdc++.so.6");
}

void *__cxa_begin_catch(void *exception)
{
    struct fn_own *own = own_here();
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    uintptr_t address = (uintptr_t)__builtin_return_address(0);
    begin_catch *next = begin_catch_find(__builtin_return_address(0));
    if (own) {
        if (own->clock)
            fn_own_slice(own, fn_now());
        fn_own_slow(own, FN_BUSY);
        caught(own, address, stack);
        fn_own_no_longer(own, FN_BUSY);
    }
    return next(exception);
}

/* ---- dlclose ---- */

/* Sees what was mapped since the last look before it is unmapped. */
FN_PUBLIC int dlclose(void *handle)
{
    if (!next_dlclose)
        find_others();
    fn_places_read();
    int rc = next_dlclose(handle);
    fn_rules_forget();
    fn_places_read();
    return rc;
}

/* ---- vfork ---- */

/* The child of vfork() uses the memory of its parent, which waits until the child calls exec() or
 * _exit(). Its calls are not counted, like those of other children. The library is not called when
 * the parent continues, so its next hook finds out by the number of the process. */

#ifdef FN_INTERPOSE
/* Called before vfork(). Returns libc's. A thread joins now, because its child must not. */
__attribute__((used)) FN_HIDDEN void *fn_vfork_noted(void);

void *fn_vfork_noted(void)
{
    struct fn_own *own = fn_self;
    if (own == &fn_nobody && fn_own_join())
        own = fn_self;
    if (fn_own_counts(own))
        fn_own_slow(own, FN_VFORKED);
    return *(void **)&fn_libc()->vfork;
}

FN_INTERPOSE(vfork, fn_vfork_noted, 0);
#endif
#endif
