/* SPDX-License-Identifier: MIT */
/* libtorch.hpp - measures a loop of LibTorch: the batches of a data loader, and an optimizer.
 *
 *   auto measured = stepwatch::libtorch::optimizer(sw, sgd);
 *   for (auto &batch : stepwatch::libtorch::batches(sw, *loader)) { ... measured.step(); }
 *
 * It includes nothing of LibTorch and works with every version: anything with the same members can
 * be measured. For C++11 and later. Work on a GPU goes on after a call has returned; see
 * docs/measuring-gpu-work.md. */
#ifndef STEPWATCH_LIBTORCH_HPP
#define STEPWATCH_LIBTORCH_HPP

#include <stepwatch/stepwatch.hpp>

#include <memory>
#include <utility>

namespace stepwatch
{
namespace libtorch
{

namespace detail_
{
/* Which of the functions below fits best: an example, a tensor, a container. */
struct third {
};
struct second : third {
};
struct first : second {
};

template <class Batch>
auto samples(const Batch &batch, first) -> decltype(static_cast<int64_t>(batch.data.size(0)))
{
    return static_cast<int64_t>(batch.data.size(0));
}
template <class Batch>
auto samples(const Batch &batch, second) -> decltype(static_cast<int64_t>(batch.size(0)))
{
    return static_cast<int64_t>(batch.size(0));
}
template <class Batch>
auto samples(const Batch &batch, third) -> decltype(static_cast<int64_t>(batch.size()))
{
    return static_cast<int64_t>(batch.size());
}
} // namespace detail_

/** The batches of a data loader, for a range-based for. Use batches() below. */
template <class Loader> class batches_of
{
    using inner_iterator = decltype(std::declval<Loader &>().begin());

  public:
    /** The position of the loop. To go on ends the batch and draws the next one. */
    class iterator
    {
      public:
        iterator(batches_of &batches, inner_iterator at) : batches_(&batches), at_(std::move(at))
        {
        }
        auto operator*() -> decltype(*std::declval<inner_iterator &>())
        {
            return *at_;
        }
        iterator &operator++()
        {
            batches_->batch_.reset();
            region draw(batches_->sw_, SW_DRAW);
            ++at_;
            batches_->drawn(draw, at_);
            return *this;
        }
        bool operator!=(const iterator &other) const
        {
            return at_ != other.at_;
        }

      private:
        batches_of *batches_;
        inner_iterator at_;
    };

    batches_of(struct sw_profiler *sw, Loader &loader) : sw_(sw), loader_(&loader)
    {
    }

    iterator begin()
    {
        batch_.reset();
        region draw(sw_, SW_DRAW);
        inner_iterator at = loader_->begin();
        drawn(draw, at);
        return iterator(*this, std::move(at));
    }
    iterator end()
    {
        return iterator(*this, loader_->end());
    }

  private:
    /* Begins the batch, or counts no draw if there was none. */
    void drawn(region &draw, inner_iterator &at)
    {
        if (at != loader_->end()) {
            draw.end();
            batch_.reset(new batch(sw_, detail_::samples(*at, detail_::first())));
        } else {
            draw.cancel();
        }
    }

    struct sw_profiler *sw_;
    Loader *loader_;
    std::unique_ptr<batch> batch_;
};

/**
 * Measures draw and batch in a loop over a data loader:
 * `for (auto &batch : stepwatch::libtorch::batches(sw, *loader))`.
 *
 * A batch has as many samples as the first dimension of its data, or as a vector has elements.
 * `break` ends the batch as it is; an exception cancels it. loader must outlive the loop.
 */
template <class Loader> batches_of<Loader> batches(struct sw_profiler *sw, Loader &loader)
{
    return batches_of<Loader>(sw, loader);
}

/** An optimizer whose steps are measured. Use optimizer() below. */
template <class Optimizer> class optimizer_of
{
  public:
    optimizer_of(struct sw_profiler *sw, Optimizer &optimizer) : sw_(sw), optimizer_(&optimizer)
    {
    }

    /** Calls step() of the optimizer; with a closure for optimizers that take one. */
    template <class... Closure>
    auto step(Closure &&...closure)
        -> decltype(std::declval<Optimizer &>().step(std::forward<Closure>(closure)...))
    {
        region opt_step(sw_, SW_OPT_STEP);
        return optimizer_->step(std::forward<Closure>(closure)...);
    }

    /** Calls zero_grad() of the optimizer. */
    template <class... Argument> void zero_grad(Argument &&...argument)
    {
        region zero_grad(sw_, SW_ZERO_GRAD);
        optimizer_->zero_grad(std::forward<Argument>(argument)...);
    }

    /** For all other members of the optimizer. */
    Optimizer *operator->() const
    {
        return optimizer_;
    }

  private:
    struct sw_profiler *sw_;
    Optimizer *optimizer_;
};

/** Measures step() and zero_grad() of an optimizer, which must outlive what this returns:
 * `auto measured = stepwatch::libtorch::optimizer(sw, sgd); measured.step();` */
template <class Optimizer>
optimizer_of<Optimizer> optimizer(struct sw_profiler *sw, Optimizer &optimizer)
{
    return optimizer_of<Optimizer>(sw, optimizer);
}

} // namespace libtorch
} // namespace stepwatch
#endif
