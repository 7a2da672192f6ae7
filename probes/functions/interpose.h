/* SPDX-License-Identifier: MIT */
/* interpose.h - interposes functions of libc that must see their caller. */
#ifndef PROBES_FUNCTIONS_INTERPOSE_H
#define PROBES_FUNCTIONS_INTERPOSE_H

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

#endif
