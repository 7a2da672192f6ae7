/* SPDX-License-Identifier: MIT */
/* called.h - whether a word on a stack is a return address. */
#ifndef PROBES_FUNCTIONS_CALLED_H
#define PROBES_FUNCTIONS_CALLED_H

#include <stdint.h>

/* What the instruction before an address does. */
enum fn_called {
    FN_CALLED_NOTHING,
    FN_CALLED_OTHER,   /* calls another function, which may have jumped to this one */
    FN_CALLED_UNKNOWN, /* calls what a register or memory says */
    FN_CALLED_IT       /* calls the function, perhaps through an entry of the linker's table */
};

/* function: 0 if unknown. */
enum fn_called fn_called(uintptr_t back, uintptr_t function);

#endif
