/* SPDX-License-Identifier: MIT */
/* hot_code.h - where the linker puts the code of the loop's calls. */
#ifndef CORE_PROCESS_HOT_CODE_H
#define CORE_PROCESS_HOT_CODE_H

/* For the calls of a loop. The linker puts this section of all files together, so that a call that
 * finds cold caches needs few pages of code. */
#define SWI_HOT __attribute__((section(".text.hot.stepwatch")))
/* For those that must begin at a new cache line. */
#define SWI_HOT_LINES __attribute__((section(".text.hot.stepwatch"), aligned(64)))
/* For the first of the functions that together are shorter than 2 KiB and so fit in one page. */
#define SWI_HOT_FIRST __attribute__((section(".text.hot.stepwatch"), aligned(2048)))

#endif
