/* SPDX-License-Identifier: MIT */
/* frame_rules.h - how the caller of a function is found from its stack, as the tables for
 * exceptions (.eh_frame) say. Only one thread may call these functions. */
#ifndef PROBES_FUNCTIONS_FRAME_RULES_H
#define PROBES_FUNCTIONS_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of registers in the tables. */
#if defined(__aarch64__)
enum { FN_REG_FRAME = 29, FN_REG_STACK = 31, FN_REG_RETURN = 30 };
#else
enum { FN_REG_FRAME = 6, FN_REG_STACK = 7, FN_REG_RETURN = 16 };
#endif

/* What an address is computed from. */
enum fn_base {
    FN_UNCHANGED, /* of a register: the function does not change it */
    FN_NOWHERE,   /* it has no value: of the return address, the first function */
    FN_FROM_END,
    FN_FROM_FRAME,
    FN_FROM_STACK
};

/* An address: the end of the frame or a register, plus a number. */
struct fn_place {
    enum fn_base base;
    int64_t offset;
    bool indirect; /* the word there is the address */
};

/* The end of a frame is where the stack pointer is after the return. */
struct fn_rule {
    uintptr_t start; /* of the function */
    struct fn_place end;
    struct fn_place frame, back; /* of the caller's frame pointer, and of the return address */
    bool signal;                 /* the kernel called it: the return address was interrupted */
};

/* Finds the rule of the instruction at pc. Returns false if no table covers it. */
bool fn_rule_find(uintptr_t pc, struct fn_rule *rule);

/* Whether an object has this address. True where that cannot be known. */
bool fn_rule_is_object(uintptr_t pc);

/* A library is unmapped: other code may come in its place. Any thread may call it. */
void fn_rules_forget(void);

#endif
