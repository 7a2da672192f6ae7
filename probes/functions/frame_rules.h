/* SPDX-License-Identifier: MIT */
/* frame_rules.h - how the caller of a function is found from its stack, as the tables for
 * exceptions
 * (.eh_frame) say. Only one thread may call these functions. */
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

/* Where the caller's value of a register is. */
enum fn_saved {
    FN_SAVED_NOT, /* the function does not change it */
    FN_SAVED_AT,  /* in memory, at `offset` from the end of the frame */
    FN_SAVED_BY,  /* in memory; an expression computes the address */
    FN_SAVED_NONE /* the register has no value: of the return address, the first function */
};

/* A DWARF expression, at an address of this process. */
struct fn_expression {
    uintptr_t at;
    uint32_t size;
};

struct fn_register {
    enum fn_saved saved;
    int64_t offset;
    struct fn_expression by;
};

/* The end of a frame is where the stack pointer is after the return. */
struct fn_rule {
    uintptr_t start; /* of the function */
    int base;        /* register that the end is computed from; -1: by an expression */
    int64_t offset;
    struct fn_expression end;
    struct fn_register frame, back; /* the frame pointer, and the return address */
    bool signal;                    /* the kernel called it: the return address was interrupted */
};

/* Finds the rule of the instruction at pc. Returns false if no table covers it. */
bool fn_rule_find(uintptr_t pc, struct fn_rule *rule);

/* Whether an object has this address. True where that cannot be known. */
bool fn_rule_is_object(uintptr_t pc);

/* A library is unmapped: other code may come in its place. Any thread may call it. */
void fn_rules_forget(void);

#endif
