/* SPDX-License-Identifier: MIT */
/* leak_roots.h - functions of the leak sanitizer, NULL if the program does not have it.
 *
 * It does not search mapped memory by itself, but what only such memory points to is not a leak if
 * a sink was abandoned. https://github.com/google/sanitizers/wiki/AddressSanitizerLeakSanitizer */
#ifndef CORE_PROCESS_LEAK_ROOTS_H
#define CORE_PROCESS_LEAK_ROOTS_H

#include <stddef.h>

void swi_leak_root_add(const void *begin, size_t size) __asm__("__lsan_register_root_region")
    __attribute__((weak));
void swi_leak_root_remove(const void *begin, size_t size) __asm__("__lsan_unregister_root_region")
    __attribute__((weak));

#endif
