/* SPDX-License-Identifier: MIT */
#include <ggml-opt.h>

ggml_backend_t ggml_backend_cpu_init(void);
void ggml_backend_cpu_set_n_threads(ggml_backend_t backend, int n_threads);
