/* SPDX-License-Identifier: MIT */
#include "probes/functions/dwarf_expression.h"
#include "probes/functions/safe_read.h"
#include "probes/functions/table_bytes.h"

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

bool fn_expression_needs(const struct fn_expression *by, int number)
{
    struct fn_block block;
    struct fn_bytes in;
    return program_of(by, &block, &in) && fn_bytes_u8(&in) == REGISTER + number;
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

static bool step(struct stack *stack, struct fn_bytes *in, const struct fn_frame *frame)
{
    uint8_t code = fn_bytes_u8(in);
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

bool fn_expression_value(const struct fn_expression *by, const struct fn_frame *frame,
                         uintptr_t end, uintptr_t *value)
{
    struct fn_block block;
    struct fn_bytes in;
    struct stack stack = {.count = 0};
    if (!program_of(by, &block, &in) || (end && !push(&stack, end)))
        return false;
    while (in.at < in.end && !in.bad)
        if (!step(&stack, &in, frame))
            return false;
    if (in.bad || stack.count == 0)
        return false;
    *value = stack.word[stack.count - 1];
    return true;
}
