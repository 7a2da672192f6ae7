/* SPDX-License-Identifier: MIT */
/* The formulas of flops.h, compared with what torch counts for the operators in
 * tests/golden/flops. */
#include "tests/support/golden.h"
#include "tests/support/suite.h"

#include <stepwatch/flops.h>

#include <jansson.h>
#include <string.h>

enum { DIMENSIONS = 8 };

/* The shape of an operand; returns how many dimensions it has. */
static int shape_read(const json_t *op, size_t operand, int64_t shape[DIMENSIONS])
{
    size_t i;
    json_t *length, *shapes = json_object_get(op, "input_shapes");
    json_array_foreach(json_array_get(shapes, operand), i, length) shape[i] =
        json_integer_value(length);
    return (int)i;
}

static void pair_read(const json_t *op, const char *key, int64_t pair[2])
{
    for (size_t i = 0; i < 2; i++)
        pair[i] = json_integer_value(json_array_get(json_object_get(op, key), i));
}

static int64_t conv2d(const json_t *op)
{
    int64_t image[DIMENSIONS], weight[DIMENSIONS];
    ck_assert_int_eq(shape_read(op, 0, image), 4);
    ck_assert_int_eq(shape_read(op, 1, weight), 4);
    struct sw_conv2d conv = {.batch = image[0],
                             .in_channels = image[1],
                             .height = image[2],
                             .width = image[3],
                             .out_channels = weight[0],
                             .kernel = {weight[2], weight[3]},
                             .groups = json_integer_value(json_object_get(op, "groups"))};
    pair_read(op, "stride", conv.stride);
    pair_read(op, "padding", conv.padding);
    pair_read(op, "dilation", conv.dilation);
    return sw_flops_conv2d(&conv);
}

/* addmm and baddbmm add a first operand, which is not counted. */
static int64_t product(const json_t *op, size_t first)
{
    int64_t a[DIMENSIONS], b[DIMENSIONS];
    int dimensions = shape_read(op, first, a);
    shape_read(op, first + 1, b);
    return dimensions == 2 ? sw_flops_matmul(a[0], a[1], b[1])
                           : sw_flops_bmm(a[0], a[1], a[2], b[2]);
}

static int64_t flops_of(const json_t *op)
{
    const char *name = json_string_value(json_object_get(op, "op"));
    int64_t shape[DIMENSIONS];
    int dimensions = shape_read(op, 0, shape);
    if (strcmp(name, "aten::conv2d") == 0)
        return conv2d(op);
    if (strcmp(name, "aten::add") == 0)
        return sw_flops_add(shape, dimensions);
    if (strcmp(name, "aten::mul") == 0)
        return sw_flops_mul(shape, dimensions);
    return product(op, strstr(name, "add") != NULL);
}

START_TEST(formulas_count_what_torch_counts)
{
    size_t i, k, compared = 0;
    json_t *the_case, *op;
    json_t *json = golden_json("flops/flops.json");
    json_array_foreach(json_object_get(json, "cases"), i, the_case)
    {
        json_array_foreach(json_object_get(the_case, "ops"), k, op)
        {
            ck_assert_msg(flops_of(op) == json_integer_value(json_object_get(op, "flops")),
                          "%s: %lld", json_string_value(json_object_get(the_case, "name")),
                          (long long)flops_of(op));
            compared++;
        }
    }
    ck_assert_uint_eq(compared, 25);
    json_decref(json);
}
END_TEST

START_TEST(what_does_not_fit_is_the_largest_number)
{
    int64_t shape[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    ck_assert_int_eq(sw_flops_matmul(INT64_C(1) << 31, INT64_C(1) << 31, 2), INT64_MAX);
    ck_assert_int_eq(sw_flops_matmul(1, 1, INT64_MAX / 2), INT64_MAX - 1);
    ck_assert_int_eq(sw_flops_add(shape, 2), INT64_MAX);
    ck_assert_int_eq(sw_flops_transformer_step(INT64_MAX, 1), INT64_MAX);
    ck_assert_int_eq(sw_flops_matmul(-1, 2, 3), 0);
}
END_TEST

START_TEST(a_convolution_has_usual_values_for_what_is_0)
{
    struct sw_conv2d conv = {
        .batch = 1, .in_channels = 3, .height = 8, .width = 8, .out_channels = 4, .kernel = {3, 3}};
    ck_assert_int_eq(sw_flops_conv2d(&conv), 7776);
    conv.height = 2;
    ck_assert_int_eq(sw_flops_conv2d(&conv), 0);
    ck_assert_int_eq(sw_flops_add(NULL, 0), 1);
    ck_assert_int_eq(sw_flops_transformer_step(1000, 10), 60000);
}
END_TEST

START_TEST(a_convolution_with_a_negative_number_has_no_operations)
{
    const struct sw_conv2d fine = {
        .batch = 1, .in_channels = 3, .height = 8, .width = 8, .out_channels = 4, .kernel = {3, 3}};
    struct sw_conv2d stride = fine, padding = fine, dilation = fine, groups = fine, kernel = fine;
    stride.stride[1] = padding.padding[0] = dilation.dilation[0] = groups.groups = -1;
    kernel.kernel[0] = kernel.kernel[1] = INT64_MIN;
    ck_assert_int_eq(sw_flops_conv2d(&stride), 0);
    ck_assert_int_eq(sw_flops_conv2d(&padding), 0);
    ck_assert_int_eq(sw_flops_conv2d(&dilation), 0);
    ck_assert_int_eq(sw_flops_conv2d(&groups), 0);
    ck_assert_int_eq(sw_flops_conv2d(&kernel), 0);
}
END_TEST

START_TEST(sizes_of_a_convolution_may_be_as_large_as_they_like)
{
    struct sw_conv2d conv = {
        .batch = 1, .in_channels = 1, .height = 8, .width = 8, .out_channels = 1, .kernel = {3, 3}};
    conv.dilation[0] = INT64_MAX; /* wider than the image */
    ck_assert_int_eq(sw_flops_conv2d(&conv), 0);
    conv.dilation[0] = 1;
    conv.padding[0] = INT64_MAX;
    ck_assert_int_eq(sw_flops_conv2d(&conv), INT64_MAX);
    conv.padding[0] = 0;
    conv.height = INT64_MAX;
    conv.stride[0] = INT64_MAX; /* one place in the height, six in the width */
    ck_assert_int_eq(sw_flops_conv2d(&conv), 108);
}
END_TEST

SUITE(flops)
{
    tcase_add_test(tc, a_convolution_with_a_negative_number_has_no_operations);
    tcase_add_test(tc, sizes_of_a_convolution_may_be_as_large_as_they_like);
    tcase_add_test(tc, formulas_count_what_torch_counts);
    tcase_add_test(tc, what_does_not_fit_is_the_largest_number);
    tcase_add_test(tc, a_convolution_has_usual_values_for_what_is_0);
}
