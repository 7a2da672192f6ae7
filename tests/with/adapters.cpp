/* SPDX-License-Identifier: MIT */
/* adapters.cpp - what the headers for LibTorch, ensmallen and ggml measure in the odd cases: a loop
 * that breaks or throws, last batches that are smaller, epochs without steps, results and
 * callbacks. With the stand-ins; see tests/scripts/adapters.sh. */
#include <ensmallen.hpp>
#include <stepwatch/ensmallen.hpp>
#include <stepwatch/ggml.h>
#include <stepwatch/libtorch.hpp>
#include <torch/torch.h>

#include <cstdlib>
#include <cstring>
#include <string>

static int calls_back;

/* Three batches of 4, 4 and 2 samples: all of them, two and a break, one that throws. */
static void three_ways_to_end_a_loop(struct sw_profiler *sw)
{
    torch::data::DataLoader loader(10, 4);
    int64_t samples = 0;
    for (auto &batch : stepwatch::libtorch::batches(sw, loader))
        samples += batch.data.size(0);
    if (samples != 10)
        std::exit(2);
    int batches = 0;
    for (auto &batch : stepwatch::libtorch::batches(sw, loader)) {
        batch.data.rows = 0; /* samples are counted when the batch arrives */
        if (++batches == 2)
            break;
    }
    try {
        for (auto &batch : stepwatch::libtorch::batches(sw, loader))
            throw std::string(batch.data.size(0) == 4 ? "expected" : "wrong");
    } catch (const std::string &text) {
        if (text != "expected")
            std::exit(3);
    }
    torch::data::DataLoader empty(0, 4);
    for (auto &batch : stepwatch::libtorch::batches(sw, empty))
        std::exit(4 + static_cast<int>(batch.data.size(0)));
}

/* A vector of samples has as many samples as elements, a tensor as many as rows. */
static void samples_of_other_batches(struct sw_profiler *sw)
{
    std::vector<std::vector<int>> lists = {{1, 2, 3}, {4}};
    for (auto &list : stepwatch::libtorch::batches(sw, lists))
        list.clear();
    std::vector<torch::Tensor> tensors = {{5}, {6}};
    for (auto &tensor : stepwatch::libtorch::batches(sw, tensors))
        tensor.rows = 0;
}

/* An optimizer whose step takes a closure and returns what that returns. */
struct closing {
    int calls = 0;
    template <class Closure> int step(Closure &&closure)
    {
        calls++;
        return closure();
    }
    void zero_grad(bool)
    {
    }
};

static void steps_of_optimizers(struct sw_profiler *sw)
{
    closing inner;
    auto measured = stepwatch::libtorch::optimizer(sw, inner);
    stepwatch::batch batch(sw, 3);
    if (measured.step([] { return 42; }) != 42 || measured->calls != 1)
        std::exit(5);
    measured.zero_grad(true);
}

struct nothing {
    std::size_t NumFunctions() const
    {
        return 10;
    }
    void Shuffle()
    {
    }
    double Evaluate(const arma::mat &, std::size_t, std::size_t count)
    {
        return static_cast<double>(count) / 2;
    }
    void Gradient(const arma::mat &, std::size_t, arma::mat &, std::size_t)
    {
    }
};

/* Two epochs of 4, 4 and 2 samples, and a third that is begun and has none. */
static void optimization(struct sw_profiler *sw)
{
    nothing function;
    arma::mat at(1, 1);
    ens::StandardSGD sgd(0.1, 4, 20);
    sgd.Optimize(function, at, stepwatch::ensmallen::callback(sw));
}

static void count(bool, ggml_opt_context_t, ggml_opt_dataset_t, ggml_opt_result_t, int64_t ibatch,
                  int64_t ibatch_max, int64_t)
{
    calls_back += ibatch >= 1 && ibatch <= ibatch_max;
}

/* Six batches for training and two for validation; then an epoch without validation and without
 * results. */
static void epochs(struct sw_profiler *sw)
{
    struct ggml_init_params size = {0, nullptr, true};
    struct ggml_context *context = ggml_init(size);
    struct ggml_opt_params params =
        ggml_opt_default_params(nullptr, GGML_OPT_LOSS_TYPE_MEAN_SQUARED_ERROR);
    params.ctx_compute = context;
    params.inputs = ggml_new_tensor_2d(context, GGML_TYPE_F32, 3, 4);
    params.outputs = ggml_new_tensor_2d(context, GGML_TYPE_F32, 1, 4);
    ggml_opt_context_t opt = ggml_opt_init(params);
    ggml_opt_dataset_t data = ggml_opt_dataset_init(GGML_TYPE_F32, GGML_TYPE_F32, 3, 1, 32, 1);
    ggml_opt_result_t train = ggml_opt_result_init(), valid = ggml_opt_result_init();
    sw_begin(sw, SW_FIT);
    sw_ggml_opt_epoch(sw, opt, data, train, valid, 24, count, count);
    sw_ggml_opt_epoch(sw, opt, data, nullptr, nullptr, -1, count, nullptr);
    sw_end(sw, SW_FIT);
    ggml_opt_result_free(valid);
    ggml_opt_result_free(train);
    ggml_opt_dataset_free(data);
    ggml_opt_free(opt);
    ggml_free(context);
}

int main(int argc, char **argv)
{
    stepwatch::profiler sw;
    if (argc != 2 || !sw)
        return 1;
    if (!std::strcmp(argv[1], "loops")) {
        stepwatch::region fit(sw, SW_FIT), train(sw, SW_TRAIN);
        three_ways_to_end_a_loop(sw);
        samples_of_other_batches(sw);
        steps_of_optimizers(sw);
    } else if (!std::strcmp(argv[1], "ensmallen")) {
        optimization(sw);
    } else {
        epochs(sw);
        if (calls_back != 16)
            return 6;
    }
    return sw.close() ? 0 : 1;
}
