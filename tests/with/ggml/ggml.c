/* SPDX-License-Identifier: MIT */
/* ggml.c - the part of ggml that stepwatch/ggml.h and docs/with/ggml.md use, without any
 * arithmetic. The data and the tensors are there, the batches come in their order, each step must
 * have been prepared, and the loss of a result falls with each step. */
#include <ggml-alloc.h>
#include <ggml-cpu.h>

#include <string.h>

struct ggml_context {
    struct ggml_tensor tensor[8];
    int count;
};
struct ggml_backend {
    int unused;
};
struct ggml_backend_sched {
    int unused;
};
struct ggml_backend_buffer {
    int unused;
};
struct ggml_opt_dataset {
    struct ggml_tensor data, labels;
};
struct ggml_opt_context {
    struct ggml_opt_params params;
    struct ggml_tensor labels;
    bool prepared, backward;
    int steps;
};
struct ggml_opt_result {
    int steps;
};

static struct ggml_backend the_backend;
static struct ggml_backend_sched the_sched;
static struct ggml_backend_buffer the_buffer;

int64_t ggml_time_us(void)
{
    return 0;
}

size_t ggml_tensor_overhead(void)
{
    return sizeof(struct ggml_tensor);
}

size_t ggml_graph_overhead(void)
{
    return sizeof(struct ggml_tensor);
}

size_t ggml_nbytes(const struct ggml_tensor *tensor)
{
    return (size_t)(tensor->ne[0] * tensor->ne[1]) * sizeof(float);
}

struct ggml_context *ggml_init(struct ggml_init_params params)
{
    return params.no_alloc ? calloc(1, sizeof(struct ggml_context)) : NULL;
}

void ggml_free(struct ggml_context *ctx)
{
    for (int i = 0; i < ctx->count; i++)
        free(ctx->tensor[i].data);
    free(ctx);
}

static void make(struct ggml_tensor *tensor, int64_t ne0, int64_t ne1)
{
    tensor->ne[0] = ne0;
    tensor->ne[1] = ne1;
    tensor->ne[2] = tensor->ne[3] = 1;
    tensor->data = calloc((size_t)(ne0 * ne1), sizeof(float));
}

struct ggml_tensor *ggml_new_tensor_2d(struct ggml_context *ctx, enum ggml_type type, int64_t ne0,
                                       int64_t ne1)
{
    struct ggml_tensor *tensor = &ctx->tensor[ctx->count++];
    GGML_ASSERT(type == GGML_TYPE_F32 && ctx->count <= 8);
    make(tensor, ne0, ne1);
    return tensor;
}

struct ggml_tensor *ggml_mul_mat(struct ggml_context *ctx, struct ggml_tensor *a,
                                 struct ggml_tensor *b)
{
    return ggml_new_tensor_2d(ctx, GGML_TYPE_F32, a->ne[1], b->ne[1]);
}

void ggml_set_input(struct ggml_tensor *tensor)
{
    (void)tensor;
}

void ggml_set_output(struct ggml_tensor *tensor)
{
    (void)tensor;
}

void ggml_set_param(struct ggml_tensor *tensor)
{
    (void)tensor;
}

float *ggml_get_data_f32(const struct ggml_tensor *tensor)
{
    return tensor->data;
}

ggml_backend_t ggml_backend_cpu_init(void)
{
    return &the_backend;
}

void ggml_backend_cpu_set_n_threads(ggml_backend_t backend, int n_threads)
{
    GGML_ASSERT(backend == &the_backend && n_threads > 0);
}

ggml_backend_sched_t ggml_backend_sched_new(ggml_backend_t *backends,
                                            ggml_backend_buffer_type_t *bufts, int n_backends,
                                            size_t graph_size, bool parallel, bool op_offload)
{
    (void)bufts, (void)graph_size, (void)parallel, (void)op_offload;
    GGML_ASSERT(*backends == &the_backend && n_backends == 1);
    return &the_sched;
}

void ggml_backend_sched_free(ggml_backend_sched_t sched)
{
    (void)sched;
}

void ggml_backend_free(ggml_backend_t backend)
{
    (void)backend;
}

void ggml_backend_buffer_free(ggml_backend_buffer_t buffer)
{
    (void)buffer;
}

void ggml_backend_tensor_memset(struct ggml_tensor *tensor, uint8_t value, size_t offset,
                                size_t size)
{
    memset((char *)tensor->data + offset, value, size);
}

ggml_backend_buffer_t ggml_backend_alloc_ctx_tensors(struct ggml_context *ctx,
                                                     ggml_backend_t backend)
{
    return ctx && backend ? &the_buffer : NULL;
}

ggml_opt_dataset_t ggml_opt_dataset_init(enum ggml_type type_data, enum ggml_type type_label,
                                         int64_t ne_datapoint, int64_t ne_label, int64_t ndata,
                                         int64_t ndata_shard)
{
    ggml_opt_dataset_t dataset = calloc(1, sizeof *dataset);
    GGML_ASSERT(type_data == GGML_TYPE_F32 && type_label == GGML_TYPE_F32 && ndata_shard > 0);
    make(&dataset->data, ne_datapoint, ndata);
    make(&dataset->labels, ne_label, ndata);
    return dataset;
}

void ggml_opt_dataset_free(ggml_opt_dataset_t dataset)
{
    free(dataset->data.data);
    free(dataset->labels.data);
    free(dataset);
}

struct ggml_tensor *ggml_opt_dataset_data(ggml_opt_dataset_t dataset)
{
    return &dataset->data;
}

struct ggml_tensor *ggml_opt_dataset_labels(ggml_opt_dataset_t dataset)
{
    return &dataset->labels;
}

void ggml_opt_dataset_get_batch(ggml_opt_dataset_t dataset, struct ggml_tensor *data_batch,
                                struct ggml_tensor *labels_batch, int64_t ibatch)
{
    size_t size = ggml_nbytes(data_batch), label_size = ggml_nbytes(labels_batch);
    GGML_ASSERT(size * (size_t)(ibatch + 1) <= ggml_nbytes(&dataset->data));
    memcpy(data_batch->data, (char *)dataset->data.data + size * (size_t)ibatch, size);
    memcpy(labels_batch->data, (char *)dataset->labels.data + label_size * (size_t)ibatch,
           label_size);
}

struct ggml_opt_params ggml_opt_default_params(ggml_backend_sched_t backend_sched,
                                               enum ggml_opt_loss_type loss_type)
{
    struct ggml_opt_params params = {backend_sched, NULL, NULL, NULL, loss_type};
    return params;
}

ggml_opt_context_t ggml_opt_init(struct ggml_opt_params params)
{
    ggml_opt_context_t opt_ctx = calloc(1, sizeof *opt_ctx);
    opt_ctx->params = params;
    make(&opt_ctx->labels, params.outputs->ne[0], params.outputs->ne[1]);
    return opt_ctx;
}

void ggml_opt_free(ggml_opt_context_t opt_ctx)
{
    free(opt_ctx->labels.data);
    free(opt_ctx);
}

bool ggml_opt_static_graphs(ggml_opt_context_t opt_ctx)
{
    return opt_ctx->params.ctx_compute != NULL;
}

struct ggml_tensor *ggml_opt_inputs(ggml_opt_context_t opt_ctx)
{
    return opt_ctx->params.inputs;
}

struct ggml_tensor *ggml_opt_labels(ggml_opt_context_t opt_ctx)
{
    return &opt_ctx->labels;
}

void ggml_opt_alloc(ggml_opt_context_t opt_ctx, bool backward)
{
    GGML_ASSERT(!opt_ctx->prepared);
    opt_ctx->prepared = true;
    opt_ctx->backward = backward;
}

void ggml_opt_eval(ggml_opt_context_t opt_ctx, ggml_opt_result_t result)
{
    GGML_ASSERT(opt_ctx->prepared);
    opt_ctx->prepared = false;
    opt_ctx->steps += opt_ctx->backward;
    if (result)
        result->steps++;
}

ggml_opt_result_t ggml_opt_result_init(void)
{
    return calloc(1, sizeof(struct ggml_opt_result));
}

void ggml_opt_result_free(ggml_opt_result_t result)
{
    free(result);
}

void ggml_opt_result_reset(ggml_opt_result_t result)
{
    result->steps = 0;
}

void ggml_opt_result_loss(ggml_opt_result_t result, double *loss, double *unc)
{
    (void)unc;
    *loss = 1.0 / (1 + result->steps);
}
