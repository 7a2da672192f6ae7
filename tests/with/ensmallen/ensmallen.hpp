/* SPDX-License-Identifier: MIT */
/* ensmallen.hpp - the part of Armadillo and ensmallen that docs/with/ensmallen.md uses, for
 * machines without them. The optimizer calls a callback in the order of ensmallen's SGD, through
 * members of exactly the types that ensmallen looks for. */
#ifndef ENSMALLEN_HPP
#define ENSMALLEN_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

namespace arma
{
class mat
{
  public:
    const std::size_t n_rows, n_cols;

    mat(std::size_t rows, std::size_t columns) : n_rows(rows), n_cols(columns), at_(rows * columns)
    {
    }
    double &operator[](std::size_t i)
    {
        return at_[i];
    }
    double operator[](std::size_t i) const
    {
        return at_[i];
    }
    void zeros()
    {
        std::fill(at_.begin(), at_.end(), 0);
    }

  private:
    std::vector<double> at_;
};
} // namespace arma

namespace ens
{
class StandardSGD
{
  public:
    StandardSGD(double step_size, std::size_t batch_size, std::size_t max_iterations)
        : step_size_(step_size), batch_size_(batch_size), max_iterations_(max_iterations)
    {
    }
    std::size_t BatchSize() const
    {
        return batch_size_;
    }

    template <class Function, class Callback>
    double Optimize(Function &function, arma::mat &at, Callback &&callback)
    {
        using C = typename std::decay<Callback>::type;
        using F = Function;
        using M = arma::mat;
        using Sgd = StandardSGD;
        void (C::*begin)(Sgd &, F &, M &) = &C::BeginOptimization;
        void (C::*begin_epoch)(Sgd &, F &, const M &, const std::size_t, const double) =
            &C::BeginEpoch;
        void (C::*evaluate)(Sgd &, F &, const M &, const double) = &C::Evaluate;
        void (C::*gradient_made)(Sgd &, F &, const M &, const M &) = &C::Gradient;
        void (C::*step)(Sgd &, F &, const M &) = &C::StepTaken;
        void (C::*end_epoch)(Sgd &, F &, const M &, const std::size_t, const double) = &C::EndEpoch;
        void (C::*end)(Sgd &, F &, M &) = &C::EndOptimization;

        M gradient(at.n_rows, at.n_cols);
        const std::size_t all = function.NumFunctions();
        std::size_t epoch = 1, next = 0;
        double sum = 0;
        (callback.*begin)(*this, function, at);
        (callback.*begin_epoch)(*this, function, at, epoch, sum);
        for (std::size_t i = 0; i < max_iterations_;) {
            const std::size_t count = std::min({batch_size_, max_iterations_ - i, all - next});
            const double objective = function.Evaluate(at, next, count);
            sum += objective;
            function.Gradient(at, next, gradient, count);
            (callback.*evaluate)(*this, function, at, objective);
            (callback.*gradient_made)(*this, function, at, gradient);
            for (std::size_t k = 0; k < at.n_rows * at.n_cols; k++)
                at[k] -= step_size_ * gradient[k];
            (callback.*step)(*this, function, at);
            i += count;
            next += count;
            if (next == all) {
                (callback.*end_epoch)(*this, function, at, epoch++, sum / static_cast<double>(all));
                (callback.*begin_epoch)(*this, function, at, epoch, sum);
                sum = 0;
                next = 0;
                function.Shuffle();
            }
        }
        (callback.*end)(*this, function, at);
        return sum;
    }

  private:
    double step_size_;
    std::size_t batch_size_, max_iterations_;
};
} // namespace ens
#endif
