/* SPDX-License-Identifier: MIT */
/* The tables for exceptions lead from a function to its caller. Those of libc compute all from the
 * stack pointer. Functions that keep a frame pointer need its value, which the kernel does not tell
 * and which is on the stack only if a callee saved it. Otherwise it is searched for: it points to
 * the caller's frame pointer, which the return address follows, and the instruction before the
 * return address calls the function.
 *
 * libunwind 1.6.2 cannot do this: without that value it found 3 of 36 functions of programs that
 * keep frame pointers, and its own search for objects takes the loader's lock. */

#include "probes/functions/waiting.h"
#include "probes/functions/frame_rules.h"
#include "probes/functions/table_bytes.h"

#include <stdint.h>
#include <string.h>

/* ---- computes what the tables for exceptions say by an expression of DWARF ------------------- */

/* Frames of signals have such expressions, and those of functions that align the stack. */

/* What is known of the registers of a function. */
struct fn_frame {
    uintptr_t stack, pointer;
    bool known; /* pointer */
};

enum { MOST = 64, DEPTH = 8, REGISTER = 0x70, REGISTERS = 32, LITERAL = 0x30, LITERALS = 32 };

/* A register plus an offset, a number, a memory access and a sum are all that compilers and libc
 * use. */
struct stack {
    uintptr_t word[DEPTH];
    int count;
};

static bool program_of(const struct fn_expression *by, struct fn_block *block, struct fn_bytes *in)
{
    if (by->size == 0 || by->size > MOST || !fn_safe_read(block->data, by->at, by->size))
        return false;
    block->address = by->at;
    *in = (struct fn_bytes){block, block->data, block->data + by->size, false};
    return true;
}

/* Returns whether it begins with this register. */
static bool fn_expression_needs(const struct fn_expression *by, int number)
{
    struct fn_block block;
    struct fn_bytes in;
    return program_of(by, &block, &in) &&
           fn_bytes_number(&in, 1) == (uint64_t)REGISTER + (uint64_t)number;
}

static bool push(struct stack *stack, uintptr_t word)
{
    if (stack->count == DEPTH)
        return false;
    stack->word[stack->count++] = word;
    return true;
}

static bool push_register(struct stack *stack, const struct fn_frame *frame, int number,
                          int64_t offset)
{
    if (number == FN_REG_STACK)
        return push(stack, frame->stack + (uintptr_t)offset);
    return number == FN_REG_FRAME && frame->known &&
           push(stack, frame->pointer + (uintptr_t)offset);
}

static bool evaluate(struct stack *stack, struct fn_bytes *in, const struct fn_frame *frame)
{
    uint8_t code = (uint8_t)fn_bytes_number(in, 1);
    uintptr_t *top = stack->count ? &stack->word[stack->count - 1] : NULL;
    if (code >= REGISTER && code < REGISTER + REGISTERS)
        return push_register(stack, frame, code - REGISTER, fn_bytes_sleb(in));
    if (code >= LITERAL && code < LITERAL + LITERALS)
        return push(stack, (uintptr_t)(code - LITERAL));
    if (code == 0x06) /* deref */
        return top && fn_safe_read(top, *top, sizeof *top);
    if (code == 0x23) { /* plus a number */
        uintptr_t more = (uintptr_t)fn_bytes_uleb(in);
        if (top)
            *top += more;
        return top != NULL;
    }
    if (code != 0x22 || stack->count < 2) /* plus */
        return false;
    stack->count--;
    top[-1] += *top;
    return true;
}

/* Computes it; false if it needs something unknown. end: of the frame. */
static bool fn_expression_value(const struct fn_expression *by, const struct fn_frame *frame,
                                uintptr_t end, uintptr_t *value)
{
    struct fn_block block;
    struct fn_bytes in;
    struct stack stack = {.count = 0};
    if (!program_of(by, &block, &in) || (end && !push(&stack, end)))
        return false;
    while (in.at < in.end && !in.bad)
        if (!evaluate(&stack, &in, frame))
            return false;
    if (in.bad || stack.count == 0)
        return false;
    *value = stack.word[stack.count - 1];
    return true;
}

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
    struct fn_frame frame; /* of the function */
    uintptr_t pc, bottom;
    bool interrupted; /* pc is not a return address */
    uintptr_t page;   /* that `words` has a copy of; 0: none */
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
    uintptr_t at = (walk->frame.stack + sizeof at - 1) / sizeof at * sizeof at, end = at + FAR;
    if (walk->bottom && end > walk->bottom)
        end = walk->bottom;
    for (; at < end && best != FN_CALLED_IT; at += sizeof at) {
        enum fn_called called = frame_at(walk, at, function);
        if (called <= best)
            continue;
        best = called;
        walk->frame.pointer = at;
    }
    return walk->frame.known = best != FN_CALLED_NOTHING;
}

/* ---- from a function to its caller ---- */

static bool end_of(struct waiting_walk *walk, const struct fn_rule *rule, uintptr_t *end)
{
    struct fn_frame *frame = &walk->frame;
    bool by_pointer = rule->base == FN_REG_FRAME ||
                      (rule->base < 0 && fn_expression_needs(&rule->end, FN_REG_FRAME));
    if (by_pointer && !frame->known && !frame_search(walk, rule->start))
        return false;
    if (rule->base < 0)
        return fn_expression_value(&rule->end, frame, 0, end);
    *end = (rule->base == FN_REG_FRAME ? frame->pointer : frame->stack) + (uintptr_t)rule->offset;
    return rule->base == FN_REG_FRAME || rule->base == FN_REG_STACK;
}

static bool register_value(struct waiting_walk *walk, const struct fn_register *reg, uintptr_t end,
                           uintptr_t *value)
{
    uintptr_t at = end + (uintptr_t)reg->offset;
    if (reg->saved == FN_SAVED_BY && !fn_expression_value(&reg->by, &walk->frame, end, &at))
        return false;
    return (reg->saved == FN_SAVED_AT || reg->saved == FN_SAVED_BY) && word_at(walk, at, value);
}

/* Frames lie one above the other, unless the program has a stack of its own for signals. */
static bool is_above(const struct waiting_walk *walk, const struct fn_rule *rule, uintptr_t end)
{
    return rule->signal || (end > walk->frame.stack && (!walk->bottom || end <= walk->bottom));
}

static bool to_caller(struct waiting_walk *walk, const struct fn_rule *rule)
{
    uintptr_t end, back, pointer;
    if (!end_of(walk, rule, &end) || !is_above(walk, rule, end) ||
        !register_value(walk, &rule->back, end, &back) || back == 0)
        return false;
    if (register_value(walk, &rule->frame, end, &pointer)) {
        walk->frame.pointer = pointer;
        walk->frame.known = true;
    } else if (rule->frame.saved != FN_SAVED_NOT) {
        walk->frame.known = false;
    }
    walk->frame.stack = end;
    walk->pc = back;
    walk->interrupted = rule->signal;
    return true;
}

/* Without a table, a function is believed to keep a frame pointer. */
static bool step(struct waiting_walk *walk)
{
    static const struct fn_rule by_pointer = {
        .base = FN_REG_FRAME,
        .offset = 2 * sizeof(uintptr_t),
        .frame = {.saved = FN_SAVED_AT, .offset = -2 * (int64_t)sizeof(uintptr_t)},
        .back = {.saved = FN_SAVED_AT, .offset = -(int64_t)sizeof(uintptr_t)}};
    struct fn_rule rule;
    bool found = fn_rule_find(walk->interrupted ? walk->pc : walk->pc - 1, &rule);
    return to_caller(walk, found ? &rule : &by_pointer);
}

void fn_stack_of_waiting(struct fn_stack *stack, const struct fn_wait *wait, uintptr_t bottom)
{
    struct waiting_walk walk = {
        .frame = {.stack = wait->stack}, .pc = wait->pc, .bottom = bottom, .interrupted = true};
    stack->count = 0;
    stack->deeper = false;
    while (fn_stack_add(stack, walk.pc) && step(&walk) && !fn_stack_is_end(walk.pc))
        continue;
}
