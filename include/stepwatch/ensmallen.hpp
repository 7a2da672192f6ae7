/* SPDX-License-Identifier: MIT */
/* ensmallen.hpp - measures an optimization of ensmallen, which also trains the networks of mlpack.
 *
 *   optimizer.Optimize(function, coordinates, stepwatch::ensmallen::callback(sw));
 *   network.Train(points, labels, optimizer, stepwatch::ensmallen::callback(sw));
 *
 * It includes nothing of ensmallen and works with every version that has callbacks. For C++11 and
 * later. */
#ifndef STEPWATCH_ENSMALLEN_HPP
#define STEPWATCH_ENSMALLEN_HPP

#include <stepwatch/stepwatch.hpp>

#include <algorithm>
#include <cstddef>

namespace stepwatch
{
namespace ensmallen
{

/**
 * A callback for Optimize(). It measures fit and epochs, and each step as a batch with two actions:
 * `evaluate`, which is the objective and its gradient, and opt_step. It logs the objective of each
 * step, divided by its samples, as "train/loss".
 *
 * The optimizer must work in steps on a part of the data: SGD and its relatives (Adam, RMSProp, …).
 * The samples of a step are those that are left of an epoch, at most BatchSize().
 */
class callback
{
  public:
    explicit callback(struct sw_profiler *sw) noexcept : sw_(sw), evaluate_(sw_action("evaluate"))
    {
    }

    template <class Optimizer, class Function, class Matrix>
    void BeginOptimization(Optimizer &, Function &, Matrix &)
    {
        sw_begin(sw_, SW_FIT);
    }

    template <class Optimizer, class Function, class Matrix>
    void EndOptimization(Optimizer &, Function &, Matrix &)
    {
        end_epoch();
        sw_end(sw_, SW_FIT);
    }

    template <class Optimizer, class Function, class Matrix, class Number>
    void BeginEpoch(Optimizer &, Function &, const Matrix &, const std::size_t, const Number)
    {
        end_epoch();
        sw_begin(sw_, SW_EPOCH);
        sw_begin(sw_, SW_TRAIN);
        in_epoch_ = true;
        done_ = 0;
        begin_batch();
    }

    template <class Optimizer, class Function, class Matrix, class Number>
    void EndEpoch(Optimizer &, Function &, const Matrix &, const std::size_t, const Number)
    {
        end_epoch();
    }

    template <class Optimizer, class Function, class Matrix, class Number>
    void Evaluate(Optimizer &, Function &, const Matrix &, const Number objective)
    {
        objective_ = static_cast<double>(objective);
    }

    template <class Optimizer, class Function, class Matrix, class Gradients>
    void Gradient(Optimizer &, Function &, const Matrix &, const Gradients &)
    {
        if (in_epoch_)
            sw_next(sw_, SW_OPT_STEP);
    }

    template <class Optimizer, class Function, class Matrix>
    void StepTaken(Optimizer &optimizer, Function &function, const Matrix &)
    {
        if (!in_epoch_)
            return;
        const int64_t all = static_cast<int64_t>(function.NumFunctions());
        const int64_t most = static_cast<int64_t>(optimizer.BatchSize());
        const int64_t samples = std::max<int64_t>(std::min(most, all - done_), 1);
        done_ += samples;
        sw_end(sw_, SW_OPT_STEP);
        sw_log(sw_, "train/loss", objective_ / static_cast<double>(samples));
        sw_end_batch(sw_, samples);
        begin_batch();
    }

  private:
    void begin_batch() noexcept
    {
        sw_begin(sw_, SW_BATCH);
        sw_begin(sw_, evaluate_);
    }

    /* The batch that is open began after the last step: it is none. Neither is an epoch without
     * steps, which optimizers begin before they find that they are done. */
    void end_epoch() noexcept
    {
        if (!in_epoch_)
            return;
        in_epoch_ = false;
        sw_cancel(sw_, SW_BATCH);
        if (done_ > 0) {
            sw_end(sw_, SW_TRAIN);
            sw_end(sw_, SW_EPOCH);
        } else {
            sw_cancel(sw_, SW_EPOCH);
        }
    }

    struct sw_profiler *sw_;
    int evaluate_;
    bool in_epoch_ = false;
    int64_t done_ = 0;
    double objective_ = 0;
};

} // namespace ensmallen
} // namespace stepwatch
#endif
