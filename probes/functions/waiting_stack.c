/* SPDX-License-Identifier: MIT */
/* The tables for exceptions lead from a function to its caller. Those of libc compute all from the
 * stack pointer. Functions that keep a frame pointer need its value, which the kernel does not tell
 * and which is on the stack only if a callee saved it. Otherwise it is searched for: it points to
 * the caller's frame pointer, which the return address follows, and the instruction before the
 * return address calls the function.
 *
 * No library does this. _Unwind_Backtrace() walks only the stack of its caller, so a signal would
 * have to interrupt the thread: then 9 of 10 ways to wait with a limit end early, SA_RESTART or not
 * (nanosleep, poll, epoll_wait, sem_timedwait, ...). libunwind 1.6.2 needs the frame pointer:
 * without it, it found 3 of 36 functions of programs that keep frame pointers, and its own search
 * for objects takes the loader's lock. */
#include "probes/functions/waiting.h"
#include "probes/functions/frame_rules.h"
#include "probes/functions/table_bytes.h"

#include <stdint.h>
#include <string.h>

/* ---- whether a word on a stack is a return address ------------------------------------------- */

/* What the instruction before an address does. */
enum fn_called {
    FN_CALLED_NOTHING,
    FN_CALLED_OTHER,   /* calls another function, which may have jumped to this one */
    FN_CALLED_UNKNOWN, /* calls what a register or memory says */
    FN_CALLED_IT       /* calls the function, perhaps through an entry of the linker's table */
};

enum { LEAST = 64 << 10 }; /* the program has no code below */

#if defined(__aarch64__)
/* Looks for bl and blr. function: 0 if unknown. */
static enum fn_called fn_called(uintptr_t back, uintptr_t function)
{
    uint32_t code;
    if (back < LEAST || back % sizeof code || !fn_safe_read(&code, back - sizeof code, sizeof code))
        return FN_CALLED_NOTHING;
    if ((code & 0xfc000000) == 0x94000000) {
        int64_t words = ((int64_t)(code & 0x3ffffff) ^ 0x2000000) - 0x2000000;
        return back - 4 + (uintptr_t)(words * 4) == function ? FN_CALLED_IT : FN_CALLED_OTHER;
    }
    return (code & 0xfffffc1f) == 0xd63f0000 ? FN_CALLED_UNKNOWN : FN_CALLED_NOTHING;
}
#else
enum { BEFORE = 7 }; /* the longest call */

static uintptr_t relative(uintptr_t after, const uint8_t *bytes)
{
    int32_t distance;
    memcpy(&distance, bytes, sizeof distance);
    return after + (uintptr_t)(intptr_t)distance;
}

/* An entry of the linker's table jumps on, perhaps behind a landing pad (endbr64) or a prefix. */
static bool leads_to(uintptr_t entry, uintptr_t function)
{
    uint8_t code[11];
    uintptr_t target;
    size_t at = 0;
    if (entry == function)
        return true;
    if (!fn_safe_read(code, entry, sizeof code))
        return false;
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        at = 4;
    at += code[at] == 0xf2;
    return code[at] == 0xff && code[at + 1] == 0x25 &&
           fn_safe_read(&target, relative(entry + at + 6, code + at + 2), sizeof target) &&
           target == function;
}

/* call *%reg, call *offset(%reg). `code` ends at the return address. */
static bool is_indirect(const uint8_t *code)
{
    enum { CALL = 2 }; /* the middle bits of the second byte */
    static const struct {
        int size, mode;
    } forms[] = {{2, 3}, {2, 0}, {3, 1}, {6, 2}};
    for (int i = 0; i < 4; i++) {
        const uint8_t *at = code + BEFORE - forms[i].size;
        if (at[0] == 0xff && at[1] >> 6 == forms[i].mode && (at[1] >> 3 & 7) == CALL)
            return true;
    }
    return false;
}

/* function: 0 if unknown. */
static enum fn_called fn_called(uintptr_t back, uintptr_t function)
{
    uint8_t code[BEFORE];
    uintptr_t target;
    if (back < LEAST || !fn_safe_read(code, back - BEFORE, BEFORE))
        return FN_CALLED_NOTHING;
    if (code[2] == 0xe8)
        return leads_to(relative(back, code + 3), function) ? FN_CALLED_IT : FN_CALLED_OTHER;
    if (code[1] == 0xff && code[2] == 0x15 &&
        fn_safe_read(&target, relative(back, code + 3), sizeof target))
        return target == function ? FN_CALLED_IT : FN_CALLED_OTHER;
    return is_indirect(code) ? FN_CALLED_UNKNOWN : FN_CALLED_NOTHING;
}
#endif

/* ---- the functions that are open on a thread that waits in the kernel ------------------------ */

struct waiting_walk {
    uintptr_t pc, stack, frame; /* of the function */
    bool known;                 /* frame, the frame pointer */
    bool interrupted;           /* pc is not a return address */
    uintptr_t bottom;
    uintptr_t page; /* that `words` has a copy of; 0: none */
    uintptr_t words[512];
};

/* Memory can be read in whole pages. */
static bool word_at(struct waiting_walk *walk, uintptr_t address, uintptr_t *word)
{
    uintptr_t page = address - address % sizeof walk->words;
    if (address % sizeof *word)
        return fn_safe_read(word, address, sizeof *word);
    if (page != walk->page && !fn_safe_read(walk->words, page, sizeof walk->words))
        return false;
    walk->page = page;
    *word = walk->words[(address - page) / sizeof *word];
    return true;
}

/* ---- the frame pointer ---- */

enum { FAR = 256 << 10 }; /* larger frames are not searched */

/* A handler of a signal returns to code that nothing calls. */
static bool is_signal_return(uintptr_t back)
{
    struct fn_rule rule;
    return fn_rule_find(back, &rule) && rule.signal;
}

/* Returns how sure it is that the frame pointer of a function is `at`. */
static enum fn_called frame_at(struct waiting_walk *walk, uintptr_t at, uintptr_t function)
{
    uintptr_t saved, back;
    if (!word_at(walk, at + sizeof back, &back) || (back >= at && back < walk->bottom) ||
        !fn_rule_is_object(back) || !word_at(walk, at, &saved))
        return FN_CALLED_NOTHING;
    enum fn_called called = fn_called(back, function);
    if (called == FN_CALLED_OTHER && (saved <= at || (walk->bottom && saved > walk->bottom)))
        return FN_CALLED_NOTHING;
    return called == FN_CALLED_NOTHING && is_signal_return(back) ? FN_CALLED_UNKNOWN : called;
}

/* Returned functions leave their frames behind in memory that a function has not written to yet, so
 * the first one that fits is not always the right one. */
static bool frame_search(struct waiting_walk *walk, uintptr_t function)
{
    enum fn_called best = FN_CALLED_NOTHING;
    uintptr_t at = (walk->stack + sizeof at - 1) / sizeof at * sizeof at, end = at + FAR;
    if (walk->bottom && end > walk->bottom)
        end = walk->bottom;
    for (; at < end && best != FN_CALLED_IT; at += sizeof at) {
        enum fn_called called = frame_at(walk, at, function);
        if (called <= best)
            continue;
        best = called;
        walk->frame = at;
    }
    return walk->known = best != FN_CALLED_NOTHING;
}

/* ---- from a function to its caller ---- */

/* Returns false if it needs something unknown. end: of the frame. */
static bool address_of(struct waiting_walk *walk, const struct fn_place *place, uintptr_t end,
                       uintptr_t *address)
{
    uintptr_t from = place->base == FN_FROM_END     ? end
                     : place->base == FN_FROM_FRAME ? walk->frame
                                                    : walk->stack;
    if (place->base < FN_FROM_END || (place->base == FN_FROM_FRAME && !walk->known))
        return false;
    *address = from + (uintptr_t)place->offset;
    return !place->indirect || word_at(walk, *address, address);
}

static bool saved_value(struct waiting_walk *walk, const struct fn_place *place, uintptr_t end,
                        uintptr_t *value)
{
    return address_of(walk, place, end, value) && word_at(walk, *value, value);
}

/* Frames lie one above the other, unless the program has a stack of its own for signals. */
static bool is_above(const struct waiting_walk *walk, const struct fn_rule *rule, uintptr_t end)
{
    return rule->signal || (end > walk->stack && (!walk->bottom || end <= walk->bottom));
}

static bool to_caller(struct waiting_walk *walk, const struct fn_rule *rule)
{
    uintptr_t end, back, frame;
    if (rule->end.base == FN_FROM_FRAME && !walk->known && !frame_search(walk, rule->start))
        return false;
    if (!address_of(walk, &rule->end, 0, &end) || !is_above(walk, rule, end) ||
        !saved_value(walk, &rule->back, end, &back) || back == 0)
        return false;
    bool saved = saved_value(walk, &rule->frame, end, &frame);
    walk->known = saved || (walk->known && rule->frame.base == FN_UNCHANGED);
    walk->frame = saved ? frame : walk->frame;
    walk->stack = end;
    walk->pc = back;
    walk->interrupted = rule->signal;
    return true;
}

/* Without a table, a function is believed to keep a frame pointer. */
static bool step(struct waiting_walk *walk)
{
    static const struct fn_rule by_pointer = {
        .end = {FN_FROM_FRAME, 2 * sizeof(uintptr_t), false},
        .frame = {FN_FROM_END, -2 * (int64_t)sizeof(uintptr_t), false},
        .back = {FN_FROM_END, -(int64_t)sizeof(uintptr_t), false}};
    struct fn_rule rule;
    bool found = fn_rule_find(walk->interrupted ? walk->pc : walk->pc - 1, &rule);
    return to_caller(walk, found ? &rule : &by_pointer);
}

void fn_stack_of_waiting(struct fn_stack *stack, const struct fn_wait *wait, uintptr_t bottom)
{
    struct waiting_walk walk = {
        .stack = wait->stack, .pc = wait->pc, .bottom = bottom, .interrupted = true};
    stack->count = 0;
    stack->deeper = false;
    while (fn_stack_add(stack, walk.pc) && step(&walk) && !fn_stack_is_end(walk.pc))
        continue;
}
