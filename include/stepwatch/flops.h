/* SPDX-License-Identifier: MIT */
/* flops.h - counts the floating point operations of a layer with the formulas of torch.profiler.
 *
 * A multiplication and an addition count as two. Biases are not counted. All functions are inline
 * and need no library. A result that does not fit is INT64_MAX; with a negative argument the result
 * is 0. */
#ifndef STEPWATCH_FLOPS_H
#define STEPWATCH_FLOPS_H

#include <stepwatch/error.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* Returns a * b, at most INT64_MAX. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_times_(int64_t a, int64_t b)
{
    int64_t product;
    if (a <= 0 || b <= 0)
        return 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/** Returns the operations of an m×k matrix times a k×n matrix: 2·m·k·n. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_matmul(int64_t m, int64_t k, int64_t n)
{
    return sw_flops_times_(2, sw_flops_times_(m, sw_flops_times_(k, n)));
}

/** Returns the operations of `batch` products of an m×k matrix and a k×n matrix: 2·batch·m·k·n. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_bmm(int64_t batch, int64_t m, int64_t k,
                                                        int64_t n)
{
    return sw_flops_times_(batch, sw_flops_matmul(m, k, n));
}

/** Returns the number of elements of a tensor: 1 for one without dimensions, a scalar. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_elements(const int64_t *shape, int dimensions)
{
    int64_t elements = 1;
    for (int i = 0; i < dimensions; i++)
        elements = sw_flops_times_(elements, shape[i]);
    return elements;
}

/** Returns the operations of adding two tensors: the elements of the first one, even if the second
 * one is larger and the first is broadcast to it. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_add(const int64_t *shape, int dimensions)
{
    return sw_flops_elements(shape, dimensions);
}

/** Returns the operations of multiplying two tensors element by element: the elements of the first
 * one, as in sw_flops_add(). */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_mul(const int64_t *shape, int dimensions)
{
    return sw_flops_elements(shape, dimensions);
}

/** A convolution of images. In stride, dilation and groups, 0 means 1. */
struct sw_conv2d {
    int64_t batch;       /**< images */
    int64_t in_channels; /**< of all groups */
    int64_t height;
    int64_t width;
    int64_t out_channels; /**< of all groups */
    int64_t kernel[2];    /**< height and width, like the next three */
    int64_t stride[2];
    int64_t padding[2]; /**< on each side */
    int64_t dilation[2];
    int64_t groups;
};

/* Returns whether any of these numbers is negative. */
SW_NOT_INSTRUMENTED_ static inline int sw_flops_negative_(const int64_t *number, int count)
{
    for (int i = 0; i < count; i++)
        if (number[i] < 0)
            return 1;
    return 0;
}

/* Returns how many positions the kernel has along one side of the image. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_places_(const struct sw_conv2d *conv, int side,
                                                            int64_t length)
{
    int64_t stride = conv->stride[side] ? conv->stride[side] : 1;
    int64_t dilation = conv->dilation[side] ? conv->dilation[side] : 1;
    int64_t reach = sw_flops_times_(dilation, conv->kernel[side] - 1), padded;
    if (__builtin_add_overflow(length, sw_flops_times_(2, conv->padding[side]), &padded))
        padded = INT64_MAX;
    return padded <= reach ? 0 : (padded - 1 - reach) / stride + 1;
}

/** Returns the operations of a convolution: 2 · images · positions of the kernel · elements of the
 * kernel · pairs of an input and an output channel in the same group. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_conv2d(const struct sw_conv2d *conv)
{
    int64_t groups = conv->groups ? conv->groups : 1;
    if (groups < 0 || conv->height < 0 || conv->width < 0 || sw_flops_negative_(conv->kernel, 2) ||
        sw_flops_negative_(conv->stride, 2) || sw_flops_negative_(conv->padding, 2) ||
        sw_flops_negative_(conv->dilation, 2))
        return 0;
    int64_t places = sw_flops_times_(sw_flops_places_(conv, 0, conv->height),
                                     sw_flops_places_(conv, 1, conv->width));
    int64_t kernel = sw_flops_times_(conv->kernel[0], conv->kernel[1]);
    int64_t channels = sw_flops_times_(conv->in_channels / groups, conv->out_channels);
    return sw_flops_times_(
        2,
        sw_flops_times_(conv->batch, sw_flops_times_(places, sw_flops_times_(kernel, channels))));
}

/** Returns the operations of a training step of a transformer by the rule of thumb
 * 6·parameters·tokens: 2 for the forward pass and 4 for the backward pass. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_flops_transformer_step(int64_t parameters,
                                                                     int64_t tokens)
{
    return sw_flops_times_(6, sw_flops_times_(parameters, tokens));
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
