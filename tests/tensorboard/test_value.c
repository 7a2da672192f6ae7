/* SPDX-License-Identifier: MIT */
/* test_value.c - histograms, texts, images, layouts and hyper-parameters beyond the samples. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/tensorboard.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct sw_tb *tb;
static struct events *events;

static void open_run(void)
{
    struct sw_error err;
    tb = sw_tb_open(in_scratch("run"), NULL, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
}

static void close_run(void)
{
    struct sw_error err;
    ck_assert_msg(sw_tb_close(tb, &err) == 0, "%s", sw_error_text(&err));
    events = events_of_run(in_scratch("run"));
    ck_assert(!events->torn);
}

static void clean(void)
{
    if (events)
        events_free(events);
    scratch_remove();
}

/* Row i of the only histogram h: left, right, count. */
static void row_is(size_t i, double low, double high, double count)
{
    const struct swi_tb_tensor_message *tensor = value_of(events, "h", 0, NULL)->tensor;
    ck_assert_uint_lt(3 * i + 2, tb_double_count(tensor));
    ck_assert_double_eq(tb_doubles(tensor)[3 * i], low);
    ck_assert_double_eq(tb_doubles(tensor)[3 * i + 1], high);
    ck_assert_double_eq(tb_doubles(tensor)[3 * i + 2], count);
}

static void shape_is(const char *tag, int64_t rows, int64_t columns)
{
    const struct swi_tb_shape_message *shape = value_of(events, tag, 0, NULL)->tensor->shape;
    ck_assert_uint_eq(shape->n_dim, 2);
    ck_assert_int_eq(shape->dim[0]->size, rows);
    ck_assert_int_eq(shape->dim[1]->size, columns);
}

START_TEST(a_gap_between_bins_becomes_an_empty_bin)
{
    struct sw_bin bin[] = {{1, 2, 5}, {2, 4, 6}, {8, 16, 7}};
    open_run();
    ck_assert_int_eq(sw_tb_histogram(tb, "h", 0, bin, 3), 0);
    close_run();
    shape_is("h", 4, 3);
    row_is(0, 1, 2, 5);
    row_is(1, 2, 4, 6);
    row_is(2, 4, 8, 0);
    row_is(3, 8, 16, 7);
}
END_TEST

START_TEST(no_bins_are_a_histogram_too)
{
    open_run();
    ck_assert_int_eq(sw_tb_histogram(tb, "h", 0, NULL, 0), 0);
    close_run();
    shape_is("h", 0, 3);
}
END_TEST

static const struct sw_bin bad_bins[][2] = {
    {{2, 3, 1}, {1, 2, 1}},        {{1, 3, 1}, {2, 4, 1}},   {{1, 0, 1}, {2, 3, 1}},
    {{1, INFINITY, 1}, {2, 3, 1}}, {{NAN, 1, 1}, {1, 2, 1}},
};

START_TEST(bins_that_overlap_or_are_not_finite_are_refused)
{
    struct sw_error err;
    open_run();
    ck_assert_int_eq(sw_tb_histogram(tb, "h", 0, bad_bins[_i], 2), SW_EINVAL);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "the bins of the histogram h must be finite, ascending and must not "
                     "overlap");
    ck_assert_int_eq(sw_tb_flush(tb, &err), 0);
    close_run();
    ck_assert_ptr_null(value_of(events, "h", 0, NULL));
}
END_TEST

START_TEST(values_fall_into_30_bins_of_equal_width)
{
    double value[61];
    for (int i = 0; i <= 60; i++)
        value[i] = i;
    open_run();
    ck_assert_int_eq(sw_tb_histogram_values(tb, "h", 0, value, 61), 0);
    close_run();
    shape_is("h", 30, 3);
    for (size_t i = 0; i < 29; i++)
        row_is(i, 2.0 * (double)i, 2.0 * (double)i + 2, 2);
    row_is(29, 58, 60, 3);
}
END_TEST

START_TEST(equal_values_fall_into_the_last_bin)
{
    double value[] = {4, NAN, 4, INFINITY, 4};
    open_run();
    ck_assert_int_eq(sw_tb_histogram_values(tb, "h", 0, value, 5), 0);
    close_run();
    row_is(0, 4, 4, 0);
    row_is(29, 4, 4, 3);
}
END_TEST

START_TEST(values_at_the_ends_of_what_a_double_holds_are_counted)
{
    double value[] = {-DBL_MAX, 0, DBL_MAX};
    open_run();
    ck_assert_int_eq(sw_tb_histogram_values(tb, "h", 0, value, 3), 0);
    close_run();
    const struct swi_tb_tensor_message *tensor = value_of(events, "h", 0, NULL)->tensor;
    double sum = 0;
    for (size_t i = 0; i < 30; i++)
        sum += tb_doubles(tensor)[3 * i + 2];
    ck_assert_double_eq(sum, 3);
    row_is(29, tb_doubles(tensor)[87], DBL_MAX, 1);
}
END_TEST

START_TEST(nothing_finite_is_an_empty_histogram)
{
    double value[] = {NAN, INFINITY};
    open_run();
    ck_assert_int_eq(sw_tb_histogram_values(tb, "h", 0, value, 2), 0);
    close_run();
    shape_is("h", 0, 3);
}
END_TEST

START_TEST(only_a_tags_first_value_has_metadata)
{
    open_run();
    sw_tb_describe(tb, "t", "what *it* is");
    for (int i = 0; i < 3; i++)
        sw_tb_text(tb, "t", i, "hello");
    close_run();
    const struct swi_tb_metadata_message *first = value_of(events, "t", 0, NULL)->metadata;
    ck_assert_str_eq(first->plugin_data->plugin_name, "text");
    ck_assert_str_eq(first->description, "what *it* is");
    ck_assert_ptr_null(value_of(events, "t", 1, NULL)->metadata);
    ck_assert_ptr_null(value_of(events, "t", 2, NULL)->metadata);
}
END_TEST

START_TEST(texts_are_repaired_and_counted)
{
    struct sw_tb_stats stats;
    const char *const cells[] = {"fine", "\xc3\x28"};
    open_run();
    sw_tb_text(tb, "t", 0, "bad \xff byte");
    sw_tb_table(tb, "u", 0, cells, 1, 2);
    sw_tb_text(tb, "v", 0, NULL);
    sw_tb_stats(tb, &stats);
    ck_assert_int_eq(stats.repaired, 2);
    close_run();
    const struct swi_bytes *text = value_of(events, "t", 0, NULL)->tensor->string_val;
    ck_assert_uint_eq(text->size, strlen("bad \\xff byte"));
    ck_assert_mem_eq(text->data, "bad \\xff byte", text->size);
    text = value_of(events, "u", 0, NULL)->tensor->string_val;
    ck_assert_mem_eq(text[1].data, "\\xc3(", text[1].size);
    ck_assert_uint_eq(value_of(events, "v", 0, NULL)->tensor->string_val[0].size, 0);
}
END_TEST

START_TEST(what_json_has_no_number_for_is_written_as_text)
{
    struct sw_tb_hparam hparam[] = {{"a", SW_TB_NUMBER, NAN, NULL},
                                    {"b", SW_TB_NUMBER, INFINITY, NULL},
                                    {"c", SW_TB_NUMBER, -INFINITY, NULL},
                                    {"d\xff", SW_TB_STRING, 0, "e\xff"}};
    open_run();
    ck_assert_int_eq(sw_tb_hparams(tb, hparam, 4, "all \xff"), 0);
    close_run();
    struct swi_bytes content =
        value_of(events, "_hparams_/session_start_info", 0, NULL)->metadata->plugin_data->content;
    struct swi_tb_hparams_message *message = tb_hparams_read(content.data, content.size);
    ck_assert_str_eq(message->start->hparam[0]->value->text, "NaN");
    ck_assert_str_eq(message->start->hparam[1]->value->text, "Infinity");
    ck_assert_str_eq(message->start->hparam[2]->value->text, "-Infinity");
    ck_assert_str_eq(message->start->hparam[3]->key, "d\\xff");
    ck_assert_str_eq(message->start->hparam[3]->value->text, "e\\xff");
    ck_assert_str_eq(message->start->group, "all \\xff");
    swi_message_free(message);
}
END_TEST

START_TEST(an_empty_experiment_and_layout_are_fine)
{
    struct sw_tb_experiment experiment = {0};
    open_run();
    ck_assert_int_eq(sw_tb_experiment(tb, &experiment), 0);
    ck_assert_int_eq(sw_tb_layout(tb, 0, NULL, 0), 0);
    ck_assert_int_eq(sw_tb_hparams(tb, NULL, 0, NULL), 0);
    close_run();
    ck_assert_uint_eq(events->count, 4);
}
END_TEST

START_TEST(a_record_that_no_reader_would_take_is_refused)
{
    struct sw_error err;
    size_t size = (size_t)256 << 20;
    void *picture = calloc(1, size);
    open_run();
    ck_assert_int_eq(sw_tb_image(tb, "i", 0, 1, 1, picture, size), SW_EINVAL);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "a record of 256 MiB is too large for TensorBoard: 256 MiB are allowed");
    free(picture);
    close_run();
}
END_TEST

START_TEST(a_large_picture_is_written_whole)
{
    size_t size = 5 << 20;
    uint8_t *picture = malloc(size);
    memset(picture, 0x5a, size);
    open_run();
    sw_tb_scalar(tb, "before", 0, 1);
    ck_assert_int_eq(sw_tb_image(tb, "i", 0, 1000, 2000, picture, size), 0);
    sw_tb_scalar(tb, "after", 0, 1);
    close_run();
    const struct swi_tb_tensor_message *tensor = value_of(events, "i", 0, NULL)->tensor;
    ck_assert_mem_eq(tensor->string_val[0].data, "1000", 4);
    ck_assert_mem_eq(tensor->string_val[1].data, "2000", 4);
    ck_assert_uint_eq(tensor->string_val[2].size, size);
    ck_assert_mem_eq(tensor->string_val[2].data, picture, size);
    ck_assert_ptr_nonnull(value_of(events, "after", 0, NULL));
    free(picture);
}
END_TEST

/* Not of the form that TensorFlow 1 had. */
static bool is_of_tensors(const struct swi_tb_event_message *event)
{
    return event->what == TB_EVENT_SUMMARY && event->summary->value[0]->what == TB_VALUE_TENSOR;
}

/* Each event of a sample again, by the calls that it takes. */
START_TEST(several_images_of_a_step_are_written_as_the_sample_has_them)
{
    struct events *sample = events_read(SRCDIR "/tests/golden/rich/images.tfevents");
    size_t images = 0;
    open_run();
    for (size_t i = 0; i < sample->count; i++) {
        const struct swi_tb_event_message *event = sample->event[i];
        if (!is_of_tensors(event))
            continue;
        const struct swi_tb_value_message *value = event->summary->value[0];
        const struct swi_tb_tensor_message *tensor = value->tensor;
        struct sw_tb_blob blob[64];
        char side[2][16] = {"", ""};
        ck_assert_uint_le(tensor->n_string_val, 66);
        for (size_t k = 0; k < 2; k++)
            memcpy(side[k], tensor->string_val[k].data, tensor->string_val[k].size);
        for (size_t k = 2; k < tensor->n_string_val; k++)
            blob[k - 2] =
                (struct sw_tb_blob){tensor->string_val[k].data, tensor->string_val[k].size};
        if (value->metadata && *value->metadata->description)
            sw_tb_describe(tb, value->tag, value->metadata->description);
        ck_assert_int_eq(sw_tb_images(tb, value->tag, event->step, atoi(side[0]), atoi(side[1]),
                                      blob, tensor->n_string_val - 2),
                         0);
        images++;
    }
    close_run();
    ck_assert_uint_gt(images, 10);
    size_t k = events->count - images;
    for (size_t i = 0; i < sample->count; i++) {
        struct swi_text expected = {0}, written = {0};
        if (!is_of_tensors(sample->event[i]))
            continue;
        tb_summary_add(&expected, sample->event[i]->summary);
        tb_summary_add(&written, events->event[k]->summary);
        ck_assert_uint_eq(written.size, expected.size);
        ck_assert_mem_eq(written.data, expected.data, expected.size);
        swi_text_free(&expected);
        swi_text_free(&written);
        ck_assert_int_eq(events->event[k++]->step, sample->event[i]->step);
    }
    events_free(sample);
}
END_TEST

SUITE(tensorboard_value)
{
    tcase_add_checked_fixture(tc, NULL, clean);
    tcase_add_test(tc, a_gap_between_bins_becomes_an_empty_bin);
    tcase_add_test(tc, no_bins_are_a_histogram_too);
    tcase_add_loop_test(tc, bins_that_overlap_or_are_not_finite_are_refused, 0,
                        sizeof bad_bins / sizeof *bad_bins);
    tcase_add_test(tc, values_fall_into_30_bins_of_equal_width);
    tcase_add_test(tc, equal_values_fall_into_the_last_bin);
    tcase_add_test(tc, values_at_the_ends_of_what_a_double_holds_are_counted);
    tcase_add_test(tc, nothing_finite_is_an_empty_histogram);
    tcase_add_test(tc, only_a_tags_first_value_has_metadata);
    tcase_add_test(tc, texts_are_repaired_and_counted);
    tcase_add_test(tc, what_json_has_no_number_for_is_written_as_text);
    tcase_add_test(tc, an_empty_experiment_and_layout_are_fine);
    tcase_add_test(tc, a_record_that_no_reader_would_take_is_refused);
    tcase_add_test(tc, a_large_picture_is_written_whole);
    tcase_add_test(tc, several_images_of_a_step_are_written_as_the_sample_has_them);
}
