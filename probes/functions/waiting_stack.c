/* SPDX-License-Identifier: MIT */
/* The tables for exceptions lead from a function to its caller. Those of libc compute all from the
 * stack pointer. Functions that keep a frame pointer need its value, which the kernel does not tell
 * and which is on the stack only if a callee saved it. Otherwise it is searched for: it points to
 * the caller's frame pointer, which the return address follows, and the instruction before the
 * return address calls the function. */
#include "probes/functions/waiting_stack.h"
#include "probes/functions/called.h"
#include "probes/functions/dwarf_expression.h"
#include "probes/functions/frame_rules.h"
#include "probes/functions/safe_read.h"

#include <string.h>

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
