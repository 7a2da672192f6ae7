/* SPDX-License-Identifier: MIT */
/* torch.h - the part of LibTorch that docs/with/libtorch.md uses, for machines without LibTorch. It
 * computes nothing: a tensor knows only how many rows it has. */
#ifndef TORCH_H
#define TORCH_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace torch
{
struct Tensor {
    int64_t rows = 1;

    int64_t size(int64_t) const
    {
        return rows;
    }
    void backward() const
    {
    }
    template <class Number> Number item() const
    {
        return Number(0.5);
    }
};

inline Tensor randn(std::initializer_list<int64_t> sizes)
{
    return Tensor{*sizes.begin()};
}
inline Tensor mse_loss(const Tensor &, const Tensor &)
{
    return Tensor{};
}

namespace nn
{
struct Linear {
    Linear(int64_t, int64_t)
    {
    }
};
struct ReLU {
};
class Sequential
{
  public:
    template <class... Layers> explicit Sequential(const Layers &...)
    {
    }
    Sequential *operator->()
    {
        return this;
    }
    Tensor forward(const Tensor &input)
    {
        return input;
    }
    std::vector<Tensor> parameters() const
    {
        return {};
    }
};
} // namespace nn

namespace optim
{
class SGD
{
  public:
    SGD(const std::vector<Tensor> &, double)
    {
    }
    Tensor step()
    {
        return {};
    }
    void zero_grad()
    {
    }
};
} // namespace optim

namespace data
{
struct TensorExample {
    Tensor data;
};

namespace transforms
{
template <class Example> struct Stack {
};
} // namespace transforms

namespace datasets
{
class TensorDataset
{
  public:
    explicit TensorDataset(Tensor points) : points_(points)
    {
    }
    TensorDataset map(const transforms::Stack<TensorExample> &) const
    {
        return *this;
    }
    int64_t size() const
    {
        return points_.rows;
    }

  private:
    Tensor points_;
};
} // namespace datasets

/* An iterator of the loader can only be increased, read and compared, as that of LibTorch. */
class DataLoader
{
  public:
    class Iterator
    {
      public:
        Iterator(int64_t left, int64_t batch) : left_(left), batch_(batch)
        {
            read();
        }
        TensorExample &operator*()
        {
            return example_;
        }
        Iterator &operator++()
        {
            left_ -= batch_;
            read();
            return *this;
        }
        bool operator!=(const Iterator &other) const
        {
            return std::max<int64_t>(left_, 0) != std::max<int64_t>(other.left_, 0);
        }

      private:
        void read()
        {
            example_.data.rows = std::min(left_, batch_);
        }

        int64_t left_, batch_;
        TensorExample example_;
    };

    DataLoader(int64_t size, int64_t batch) : size_(size), batch_(batch)
    {
    }
    Iterator begin() const
    {
        return Iterator(size_, batch_);
    }
    Iterator end() const
    {
        return Iterator(0, batch_);
    }

  private:
    int64_t size_, batch_;
};

inline std::unique_ptr<DataLoader> make_data_loader(const datasets::TensorDataset &dataset,
                                                    int64_t batch)
{
    return std::unique_ptr<DataLoader>(new DataLoader(dataset.size(), batch));
}
} // namespace data
} // namespace torch
#endif
