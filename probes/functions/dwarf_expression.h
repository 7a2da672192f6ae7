/* SPDX-License-Identifier: MIT */
/* dwarf_expression.h - computes what the tables for exceptions say by an expression of DWARF:
 * frames of signals, and of functions that align the stack. */
#ifndef PROBES_FUNCTIONS_DWARF_EXPRESSION_H
#define PROBES_FUNCTIONS_DWARF_EXPRESSION_H

#include "probes/functions/frame_rules.h"

/* What is known of the registers of a function. */
struct fn_frame {
    uintptr_t stack, pointer;
    bool known; /* pointer */
};

/* Returns whether it begins with this register. */
bool fn_expression_needs(const struct fn_expression *by, int number);

/* Computes it; false if it needs something unknown. end: of the frame. */
bool fn_expression_value(const struct fn_expression *by, const struct fn_frame *frame,
                         uintptr_t end, uintptr_t *value);

#endif
