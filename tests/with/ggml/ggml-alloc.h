/* SPDX-License-Identifier: MIT */
#include <ggml-opt.h>

ggml_backend_buffer_t ggml_backend_alloc_ctx_tensors(struct ggml_context *ctx,
                                                     ggml_backend_t backend);
