/* SPDX-License-Identifier: MIT */
/* gpu_runtime.h - whether the program uses a GPU. */
#ifndef CORE_PROCESS_GPU_RUNTIME_H
#define CORE_PROCESS_GPU_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

/* Finds a GPU runtime among the libraries that are loaded: its base name, such as "libcuda.so.1".
 * False, and "", if there is none. */
bool swi_gpu_runtime(char *name, size_t size);

#endif
