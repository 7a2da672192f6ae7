/* SPDX-License-Identifier: MIT */
/* test_rich.c - texts, tables, histograms, images, rules and the summary in event files. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct events *events;
static char said[4096];

static void keep(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    if (level == SW_NOTE && strstr(text, "tensorboard --logdir"))
        return;
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", text);
}

static struct sw_profiler *open_run(void)
{
    char yaml[1024];
    struct sw_error err = {0};
    said[0] = '\0';
    snprintf(yaml, sizeof yaml,
             "profiler: {show_report: false}\n"
             "logger_callback:\n  - tensorboard: {logdir: \"%s\", run: r}\n",
             scratch());
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep, NULL);
    return sw;
}

static void close_run(struct sw_profiler *sw)
{
    struct sw_error err = {0};
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    events = events_of_run(in_scratch("r"));
    ck_assert(!events->torn);
}

static void clean(void)
{
    if (events)
        events_free(events);
    events = NULL;
    scratch_remove();
}

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    sw_end_batch(sw, 1);
}

/* The n-th value of a tag, which must be there, at this step. */
static const struct swi_tb_value_message *value_at(const char *tag, size_t n, int64_t at)
{
    const struct swi_tb_event_message *event;
    const struct swi_tb_value_message *value = value_of(events, tag, n, &event);
    ck_assert_msg(value != NULL, "there is no value %zu of %s", n, tag);
    ck_assert_int_eq(event->step, at);
    return value;
}

static void assert_text(const struct swi_tb_value_message *value, const char *expected)
{
    const struct swi_bytes *text = value->tensor->string_val;
    ck_assert_uint_eq(value->tensor->n_string_val, 1);
    ck_assert_uint_eq(value->tensor->shape->n_dim, 0);
    ck_assert_msg(text->size == strlen(expected) && memcmp(text->data, expected, text->size) == 0,
                  "%.*s", (int)text->size, text->data);
}

START_TEST(images_of_a_value_are_png_files_of_one_event)
{
    struct sw_profiler *sw = open_run();
    const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    struct sw_image image[] = {{.size = sizeof *image,
                                .data = pixels,
                                .layout = SW_HWC,
                                .type = SW_U8,
                                .width = 2,
                                .height = 1,
                                .channels = 3,
                                .caption = "a *b*"},
                               {.size = sizeof *image,
                                .data = pixels,
                                .layout = SW_HWC,
                                .type = SW_U8,
                                .width = 1,
                                .height = 4,
                                .channels = 1}};
    step(sw);
    step(sw);
    ck_assert_int_eq(sw_log_images(sw, "samples", image, 2), 0);
    ck_assert_int_eq(sw_log_images(sw, "samples", image, 1), 0);
    ck_assert_int_eq(sw_log_images(sw, "samples", image, 0), 0);
    close_run(sw);
    const struct swi_tb_value_message *value = value_at("samples", 0, 1);
    ck_assert_str_eq(value->metadata->plugin_data->plugin_name, "images");
    ck_assert_int_eq(value->metadata->data_class, 3);
    ck_assert_str_eq(value->metadata->description, "1. a \\*b\\*\n");
    ck_assert_uint_eq(value->tensor->n_string_val, 4);
    ck_assert_mem_eq(value->tensor->string_val[0].data, "2", 1);
    ck_assert_mem_eq(value->tensor->string_val[1].data, "1", 1);
    for (int i = 2; i < 4; i++)
        ck_assert_mem_eq(value->tensor->string_val[i].data, "\x89PNG\r\n\x1a\n", 8);
    ck_assert_uint_eq(value_at("samples", 1, 1)->tensor->n_string_val, 3);
    ck_assert_uint_eq(value_at("samples", 2, 1)->tensor->n_string_val, 2);
}
END_TEST

START_TEST(a_table_is_a_pipe_table_of_two_hundred_rows)
{
    struct sw_profiler *sw = open_run();
    const int32_t id[] = {1, 2};
    const double p[] = {0.5, 1.0 / 0.0};
    const char *label[] = {"a|b\nc", NULL};
    const bool ok[] = {true, false};
    const struct sw_table_column columns[] = {
        {"id", SW_I32, id}, {"p", SW_F64, p}, {"label", SW_TEXT, label}, {"ok", SW_BOOL, ok}};
    static const int64_t many[1000];
    const struct sw_table_column column = {"n", SW_I64, many};
    ck_assert_int_eq(sw_log_table(sw, "t", columns, 4, 2), 0);
    ck_assert_int_eq(sw_log_table(sw, "long", &column, 1, 1000), 0);
    close_run(sw);
    assert_text(value_at("t", 0, 0), "| id | p | label | ok |\n"
                                     "|---:|---:|:---|:---|\n"
                                     "| 1 | 0.5 | a\\|b c | true |\n"
                                     "| 2 | inf |  | false |\n");
    const struct swi_bytes *text = value_at("long", 0, 0)->tensor->string_val;
    ck_assert_mem_eq(text->data + text->size - 19, "\n\u2026 800 more rows\n", 19);
}
END_TEST

START_TEST(texts_and_histograms_are_those_of_the_program)
{
    struct sw_profiler *sw = open_run();
    const float values[] = {0, 0, 64};
    ck_assert_int_eq(sw_log_text(sw, "note", "**x**"), 0);
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F32, values, 3, SW_HISTOGRAM), 0);
    ck_assert_int_eq(sw_log_vector(sw, "none", SW_F32, NULL, 0, SW_HISTOGRAM), 0);
    close_run(sw);
    assert_text(value_at("note", 0, 0), "**x**");
    const struct swi_tb_tensor_message *tensor = value_at("w", 0, 0)->tensor;
    ck_assert_uint_eq(tb_double_count(tensor), 64 * 3);
    ck_assert_double_eq(tb_doubles(tensor)[1], 1);
    ck_assert_double_eq(tb_doubles(tensor)[2], 2);
    ck_assert_double_eq(tb_doubles(tensor)[63 * 3 + 1], 64);
    ck_assert_double_eq(tb_doubles(tensor)[63 * 3 + 2], 1);
    ck_assert_int_eq(value_at("none", 0, 0)->tensor->shape->dim[0]->size, 0);
}
END_TEST

START_TEST(a_metric_with_an_axis_has_its_value_as_the_step)
{
    struct sw_profiler *sw = open_run();
    const struct sw_rule rule = {.size = sizeof rule, .unit = "%", .description = "of *all*"};
    sw_metric_axis(sw, "valid/*", "epoch");
    sw_metric_axis(sw, "odd", "half");
    sw_define(sw, "acc", &rule);
    for (int epoch = 0; epoch < 3; epoch++) {
        for (int i = 0; i < 10; i++)
            step(sw);
        sw_log_many(sw,
                    (struct sw_named[]){{"valid/loss", epoch + 0.5},
                                        {"epoch", epoch},
                                        {"half", epoch + 0.5},
                                        {"odd", 1},
                                        {"acc", 1}},
                    5);
    }
    sw_log(sw, "valid/loss", 9);
    close_run(sw);
    value_at("valid/loss", 0, 0);
    value_at("valid/loss", 1, 1);
    value_at("odd", 1, 19);
    value_at("epoch", 1, 19);
    ck_assert_str_eq(value_at("acc", 0, 9)->metadata->description, "of *all*\n\nUnit: %");
    ck_assert_ptr_ne(strstr(said, "odd is drawn over the training step: its axis half is not an "
                                  "integer from 0 to 2^53"),
                     NULL);
}
END_TEST

START_TEST(the_summary_is_written_once_at_the_end)
{
    struct sw_profiler *sw = open_run();
    sw_summary(sw, "best", 0.25);
    sw_summary(sw, "best", 0.5);
    sw_summary_text(sw, "state", "done");
    step(sw);
    step(sw);
    close_run(sw);
    ck_assert_uint_eq(values_of(events, "best"), 1);
    ck_assert_float_eq(value_at("best", 0, 1)->simple_value, 0.5f);
    assert_text(value_at("summary", 0, 1), "| name | value |\n|:---|:---|\n| state | done |\n");
}
END_TEST

SUITE(tensorboard_rich)
{
    tcase_add_checked_fixture(tc, NULL, clean);
    tcase_add_test(tc, images_of_a_value_are_png_files_of_one_event);
    tcase_add_test(tc, a_table_is_a_pipe_table_of_two_hundred_rows);
    tcase_add_test(tc, texts_and_histograms_are_those_of_the_program);
    tcase_add_test(tc, a_metric_with_an_axis_has_its_value_as_the_step);
    tcase_add_test(tc, the_summary_is_written_once_at_the_end);
}
