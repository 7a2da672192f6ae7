/* SPDX-License-Identifier: MIT */
/* ggml-opt.h - the part of ggml that stepwatch/ggml.h and docs/with/ggml.md use, for machines
 * without ggml. ggml.c defines it: it computes nothing. */
#ifndef GGML_OPT_H
#define GGML_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GGML_DEFAULT_GRAPH_SIZE 2048
#define GGML_ASSERT(condition) ((condition) ? (void)0 : abort())

enum ggml_type { GGML_TYPE_F32 };
enum ggml_opt_loss_type { GGML_OPT_LOSS_TYPE_MEAN_SQUARED_ERROR };

struct ggml_context;
struct ggml_tensor {
    int64_t ne[4]; /* elements of each dimension */
    float *data;
};
struct ggml_init_params {
    size_t mem_size;
    void *mem_buffer;
    bool no_alloc;
};

typedef struct ggml_backend *ggml_backend_t;
typedef struct ggml_backend_sched *ggml_backend_sched_t;
typedef struct ggml_backend_buffer *ggml_backend_buffer_t;
typedef void *ggml_backend_buffer_type_t;
typedef struct ggml_opt_dataset *ggml_opt_dataset_t;
typedef struct ggml_opt_context *ggml_opt_context_t;
typedef struct ggml_opt_result *ggml_opt_result_t;

struct ggml_opt_params {
    ggml_backend_sched_t backend_sched;
    struct ggml_context *ctx_compute;
    struct ggml_tensor *inputs, *outputs;
    enum ggml_opt_loss_type loss_type;
};

typedef void (*ggml_opt_epoch_callback)(bool train, ggml_opt_context_t opt_ctx,
                                        ggml_opt_dataset_t dataset, ggml_opt_result_t result,
                                        int64_t ibatch, int64_t ibatch_max, int64_t t_start_us);

int64_t ggml_time_us(void);
size_t ggml_tensor_overhead(void);
size_t ggml_graph_overhead(void);
size_t ggml_nbytes(const struct ggml_tensor *tensor);
struct ggml_context *ggml_init(struct ggml_init_params params);
void ggml_free(struct ggml_context *ctx);
struct ggml_tensor *ggml_new_tensor_2d(struct ggml_context *ctx, enum ggml_type type, int64_t ne0,
                                       int64_t ne1);
struct ggml_tensor *ggml_mul_mat(struct ggml_context *ctx, struct ggml_tensor *a,
                                 struct ggml_tensor *b);
void ggml_set_input(struct ggml_tensor *tensor);
void ggml_set_output(struct ggml_tensor *tensor);
void ggml_set_param(struct ggml_tensor *tensor);
float *ggml_get_data_f32(const struct ggml_tensor *tensor);

ggml_backend_sched_t ggml_backend_sched_new(ggml_backend_t *backends,
                                            ggml_backend_buffer_type_t *bufts, int n_backends,
                                            size_t graph_size, bool parallel, bool op_offload);
void ggml_backend_sched_free(ggml_backend_sched_t sched);
void ggml_backend_free(ggml_backend_t backend);
void ggml_backend_buffer_free(ggml_backend_buffer_t buffer);
void ggml_backend_tensor_memset(struct ggml_tensor *tensor, uint8_t value, size_t offset,
                                size_t size);

ggml_opt_dataset_t ggml_opt_dataset_init(enum ggml_type type_data, enum ggml_type type_label,
                                         int64_t ne_datapoint, int64_t ne_label, int64_t ndata,
                                         int64_t ndata_shard);
void ggml_opt_dataset_free(ggml_opt_dataset_t dataset);
struct ggml_tensor *ggml_opt_dataset_data(ggml_opt_dataset_t dataset);
struct ggml_tensor *ggml_opt_dataset_labels(ggml_opt_dataset_t dataset);
void ggml_opt_dataset_get_batch(ggml_opt_dataset_t dataset, struct ggml_tensor *data_batch,
                                struct ggml_tensor *labels_batch, int64_t ibatch);

struct ggml_opt_params ggml_opt_default_params(ggml_backend_sched_t backend_sched,
                                               enum ggml_opt_loss_type loss_type);
ggml_opt_context_t ggml_opt_init(struct ggml_opt_params params);
void ggml_opt_free(ggml_opt_context_t opt_ctx);
bool ggml_opt_static_graphs(ggml_opt_context_t opt_ctx);
struct ggml_tensor *ggml_opt_inputs(ggml_opt_context_t opt_ctx);
struct ggml_tensor *ggml_opt_labels(ggml_opt_context_t opt_ctx);
void ggml_opt_alloc(ggml_opt_context_t opt_ctx, bool backward);
void ggml_opt_eval(ggml_opt_context_t opt_ctx, ggml_opt_result_t result);

ggml_opt_result_t ggml_opt_result_init(void);
void ggml_opt_result_free(ggml_opt_result_t result);
void ggml_opt_result_reset(ggml_opt_result_t result);
void ggml_opt_result_loss(ggml_opt_result_t result, double *loss, double *unc);

#ifdef __cplusplus
}
#endif
#endif
