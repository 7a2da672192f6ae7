/* SPDX-License-Identifier: MIT */
/* ggml.h - measures the training loop of ggml: ggml_opt_epoch() with the calls of stepwatch.
 *
 * Needs ggml-opt.h of ggml, or of the copy of ggml in llama.cpp. */
#ifndef STEPWATCH_GGML_H
#define STEPWATCH_GGML_H

#include <stepwatch/stepwatch.h>

#include <ggml-opt.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Does what ggml_opt_epoch() does with the same arguments, and measures it: an epoch with its parts
 * train and valid, and draw and batch of each batch. draw prepares the graph and copies the data
 * into its inputs. The batch has one action: in training `graph`, which is forward, backward and,
 * after each opt_period batches, the step of the optimizer, because ggml computes them as one
 * graph; in validation predict.
 *
 * Logs the losses of the epoch as "train/loss" and "valid/loss" if there are results for them.
 * Reset the results before each epoch, as for ggml_opt_epoch().
 */
SW_NOT_INSTRUMENTED_ static inline void
sw_ggml_opt_epoch(struct sw_profiler *sw, ggml_opt_context_t opt_ctx, ggml_opt_dataset_t dataset,
                  ggml_opt_result_t result_train, ggml_opt_result_t result_eval,
                  int64_t idata_split, ggml_opt_epoch_callback callback_train,
                  ggml_opt_epoch_callback callback_eval)
{
    const int graph = sw_action("graph");
    const int64_t samples = ggml_opt_inputs(opt_ctx)->ne[1];
    const int64_t count = ggml_opt_dataset_data(dataset)->ne[1];
    const int64_t split = idata_split < 0 ? count : idata_split;
    GGML_ASSERT(ggml_opt_static_graphs(opt_ctx) && count % samples == 0 && split % samples == 0);

    sw_begin(sw, SW_EPOCH);
    for (int train = 1; train >= 0; train--) {
        const int64_t first = train ? 0 : split / samples;
        const int64_t batches = train ? split / samples : (count - split) / samples;
        ggml_opt_result_t result = train ? result_train : result_eval;
        ggml_opt_epoch_callback callback = train ? callback_train : callback_eval;
        const int64_t start_us = ggml_time_us();
        int work = graph;
        if (!train)
            work = SW_PREDICT;
        if (batches == 0)
            continue;

        sw_begin(sw, train ? SW_TRAIN : SW_VALID);
        for (int64_t i = 0; i < batches; i++) {
            sw_begin(sw, SW_DRAW);
            ggml_opt_alloc(opt_ctx, train != 0);
            ggml_opt_dataset_get_batch(dataset, ggml_opt_inputs(opt_ctx), ggml_opt_labels(opt_ctx),
                                       first + i);
            sw_next(sw, SW_BATCH);
            sw_begin(sw, work);
            ggml_opt_eval(opt_ctx, result);
            sw_end(sw, work);
            sw_end_batch(sw, samples);
            if (callback)
                callback(train != 0, opt_ctx, dataset, result, i + 1, batches, start_us);
        }
        sw_end(sw, train ? SW_TRAIN : SW_VALID);
        if (result) {
            double loss = 0, uncertainty = 0;
            ggml_opt_result_loss(result, &loss, &uncertainty);
            sw_log(sw, train ? "train/loss" : "valid/loss", loss);
        }
    }
    sw_end(sw, SW_EPOCH);
}

#ifdef __cplusplus
}
#endif
#endif
