/* SPDX-License-Identifier: MIT */
/* Texts, tables, histograms, images and files reach the sinks as the program gave them, and what
 * cannot is refused in a sentence. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/support/value_recorder.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_message(const char *part)
{
    ck_assert_msg(strstr(values_messages(), part) != NULL, "expected \"%s\" in:\n%s", part,
                  values_messages());
}

/* ---- texts and lines ------------------------------------------------------------------------- */

START_TEST(a_text_belongs_to_the_current_step)
{
    struct sw_profiler *sw = values_open("");
    ck_assert_int_eq(sw_log_text(sw, "note", "before"), 0);
    probe_step(sw, 1);
    probe_step(sw, 1);
    sw_begin(sw, SW_BATCH);
    ck_assert_int_eq(sw_log_text(sw, "note", "**within**"), 0);
    sw_end_batch(sw, 1);
    ck_assert_int_eq(sw_log_text(sw, "note", "after"), 0);
    assert_values(sw, "step 0 text note: before\n"
                      "step 2 text note: **within**\n"
                      "step 2 text note: after\n");
}
END_TEST

START_TEST(a_text_is_copied_and_its_bytes_that_are_not_utf8_are_shown)
{
    struct sw_profiler *sw = values_open("");
    char text[] = "a\xff\xc3\xa4";
    ck_assert_int_eq(sw_log_text(sw, "note", text), 0);
    memset(text, 'x', sizeof text - 1);
    assert_values(sw, "step 0 text note: a\\xff\xc3\xa4\n");
}
END_TEST

START_TEST(a_text_of_more_than_a_megabyte_is_cut_at_a_character)
{
    struct sw_profiler *sw = values_open("");
    size_t size = (1 << 20) + 3;
    char *text = malloc(size + 1);
    memset(text, 'a', size);
    memcpy(text + (1 << 20) - 1, "\xc3\xa4", 2); /* a character across the limit */
    text[size] = '\0';
    ck_assert_int_eq(sw_log_text(sw, "note", text), 0);
    ck_assert_int_eq(sw_log_text(sw, "note", text), 0);
    free(text);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    expect_message("the text \"note\" has more than 1 MiB");
    ck_assert_ptr_eq(strstr(strstr(values_messages(), "1 MiB") + 1, "1 MiB"), NULL);
}
END_TEST

START_TEST(a_line_feed_makes_several_lines)
{
    struct sw_profiler *sw = values_open("");
    ck_assert_int_eq(sw_log_line(sw, SW_WARNING, "one\n\ntwo\n"), 0);
    assert_values(sw, "line 1 one\nline 1 \nline 1 two\n");
}
END_TEST

/* ---- numbers --------------------------------------------------------------------------------- */

START_TEST(several_numbers_are_one_record_where_the_last_of_a_name_counts)
{
    struct sw_profiler *sw = values_open("");
    const struct sw_named numbers[] = {{"a", 1}, {"b", 2}, {"a", 3}};
    sw_log_many(sw, numbers, 3);
    assert_values(sw, "step 0 numbers a=3 b=2\n");
}
END_TEST

START_TEST(a_hundred_numbers_are_one_record_too)
{
    struct sw_profiler *sw = values_open("");
    struct sw_named numbers[100];
    char name[100][16];
    for (int i = 0; i < 100; i++) {
        snprintf(name[i], sizeof name[i], "n%d", i / 2);
        numbers[i] = (struct sw_named){name[i], i};
    }
    sw_log_many(sw, numbers, 100);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_ptr_ne(strstr(values_text(), "step 0 numbers n0=1 n1=3 "), NULL);
    ck_assert_ptr_ne(strstr(values_text(), " n49=99\n"), NULL);
    ck_assert_ptr_eq(strstr(strchr(values_text(), '\n'), "numbers"), NULL);
}
END_TEST

/* ---- arrays ---------------------------------------------------------------------------------- */

START_TEST(an_array_becomes_a_histogram_and_numbers)
{
    struct sw_profiler *sw = values_open("");
    const float values[] = {0, 1, 2, 64, 64};
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F32, values, 5,
                                   SW_HISTOGRAM | SW_MEAN | SW_MIN | SW_MAX | SW_ZEROS),
                     0);
    assert_values(sw, "step 0 histogram w: [0 1) 1 [1 2) 1 [2 3) 1 [63 64) 2\n"
                      "step 0 numbers w/mean=26.2 w/min=0 w/max=64 w/zeros=1\n");
}
END_TEST

START_TEST(values_that_are_not_finite_are_counted_unasked)
{
    struct sw_profiler *sw = values_open("");
    const double values[] = {3, NAN, 4, INFINITY, -INFINITY};
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F64, values, 5, SW_NORM | SW_HISTOGRAM), 0);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_ptr_ne(strstr(values_text(), "nonfinite 3\n"), NULL);
    ck_assert_ptr_ne(strstr(values_text(), "numbers w/norm=5 w/nonfinite=3\n"), NULL);
}
END_TEST

START_TEST(an_array_without_finite_values_has_an_empty_histogram)
{
    struct sw_profiler *sw = values_open("");
    const double nans[] = {NAN, NAN};
    ck_assert_int_eq(sw_log_vector(sw, "none", SW_F32, NULL, 0, SW_HISTOGRAM | SW_NORM), 0);
    ck_assert_int_eq(sw_log_vector(sw, "nans", SW_F64, nans, 2, SW_HISTOGRAM | SW_MEAN), 0);
    assert_values(sw, "step 0 histogram none:\n"
                      "step 0 numbers none/norm=nan\n"
                      "step 0 histogram nans: nonfinite 2\n"
                      "step 0 numbers nans/mean=nan nans/nonfinite=2\n");
}
END_TEST

START_TEST(equal_values_have_one_bin_without_a_width)
{
    struct sw_profiler *sw = values_open("");
    const int32_t values[] = {7, 7, 7};
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_I32, values, 3, SW_HISTOGRAM | SW_STD), 0);
    assert_values(sw, "step 0 histogram w: [7 7) 3\nstep 0 numbers w/std=0\n");
}
END_TEST

static const struct {
    enum sw_type type;
    const char *numbers;
    union {
        uint8_t u8[3];
        int32_t i32[3];
        int64_t i64[3];
        float f32[3];
        double f64[3];
        uint16_t half[3];
    } data;
} arrays[] = {
    {SW_U8, "w/mean=128 w/min=1 w/max=255", {.u8 = {1, 128, 255}}},
    {SW_I32, "w/mean=0 w/min=-2.14748e+09 w/max=2.14748e+09", {.i32 = {-INT32_MAX, 0, INT32_MAX}}},
    {SW_I64, "w/mean=3.07446e+18 w/min=0 w/max=9.22337e+18", {.i64 = {0, INT64_MAX, 0}}},
    {SW_F32,
     "w/mean=1.13427e+38 w/min=1.4013e-45 w/max=3.40282e+38",
     {.f32 = {1e-45f, 1, 3.40282347e38f}}},
    {SW_F64, "w/mean=0 w/min=-1e+308 w/max=1e+308", {.f64 = {-1e308, 0, 1e308}}},
    {SW_F16, "w/mean=21834.7 w/min=5.96046e-08 w/max=65504", {.half = {0x0001, 0x7bff, 0x0000}}},
    {SW_BF16, "w/mean=1.12984e+38 w/min=-1 w/max=3.38953e+38", {.half = {0x7f7f, 0xbf80, 0x3f80}}},
};

START_TEST(each_type_of_element_is_read_at_any_address)
{
    struct sw_profiler *sw = values_open("");
    char unaligned[64], expected[256];
    memcpy(unaligned + 1, &arrays[_i].data, sizeof arrays[_i].data);
    ck_assert_int_eq(
        sw_log_vector(sw, "w", arrays[_i].type, unaligned + 1, 3, SW_MEAN | SW_MIN | SW_MAX), 0);
    snprintf(expected, sizeof expected, "step 0 numbers %s\n", arrays[_i].numbers);
    if (arrays[_i].type == SW_F16)
        strcpy(expected, "step 0 numbers w/mean=21834.7 w/min=0 w/max=65504\n");
    assert_values(sw, expected);
}
END_TEST

START_TEST(a_range_that_is_wider_than_a_double_has_bins_all_the_same)
{
    struct sw_profiler *sw = values_open("");
    const double values[] = {-1.7e308, 0, 1.7e308};
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F64, values, 3, SW_HISTOGRAM | SW_NORM), 0);
    assert_values(sw, "step 0 histogram w: [-1.7e+308 -1.64687e+308) 1 [0 5.3125e+306) 1 "
                      "[1.64687e+308 1.7e+308) 1\n"
                      "step 0 numbers w/norm=inf\n");
}
END_TEST

START_TEST(a_histogram_of_a_million_counts_each_value_once)
{
    struct sw_profiler *sw = values_open("");
    enum { COUNT = 1000003 };
    float *values = malloc(COUNT * sizeof *values);
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i % 64);
    values[COUNT - 1] = 64;
    ck_assert_int_eq(sw_log_vector(sw, "w", SW_F32, values, COUNT, SW_HISTOGRAM), 0);
    free(values);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_ptr_ne(strstr(values_text(), " [0 1) 15626 [1 2) 15626 [2 3) 15625 "), NULL);
    ck_assert_ptr_ne(strstr(values_text(), " [63 64) 15626\n"), NULL);
}
END_TEST

START_TEST(gaps_between_bins_become_empty_bins)
{
    struct sw_profiler *sw = values_open("");
    const struct sw_bin bins[] = {{0, 1, 5}, {2, 3, 6}};
    ck_assert_int_eq(sw_log_bins(sw, "w", bins, 2), 0);
    assert_values(sw, "step 0 histogram w: [0 1) 5 [1 2) 0 [2 3) 6\n");
}
END_TEST

/* As of a negative number. No reader of a run log has so large ones. */
START_TEST(counts_that_no_reader_has_are_refused)
{
    struct sw_profiler *sw = values_open("");
    const double x[] = {1};
    const struct sw_table_column column = {"x", SW_F64, x};
    struct sw_bin bins[] = {{0, 1, INT64_MAX}, {1, 2, 1}, {NAN, NAN, 0}};
    ck_assert_int_eq(sw_log_bins(sw, "w", bins, 3), SW_EINVAL);
    bins[1].count = 0;
    bins[2].count = (uint64_t)-1;
    ck_assert_int_eq(sw_log_bins(sw, "w", bins, 3), SW_EINVAL);
    bins[2].count = 0;
    ck_assert_int_eq(sw_log_table(sw, "t", &column, 1, (size_t)-1), SW_EINVAL);
    ck_assert_int_eq(sw_log_table(sw, "t", NULL, 1, 1), SW_EINVAL);
    bins[0].count = 7;
    ck_assert_int_eq(sw_log_bins(sw, "v", bins, 1), 0);
    assert_values(sw, "step 0 histogram v: [0 1) 7\n");
}
END_TEST

/* ---- images ---------------------------------------------------------------------------------- */

static struct sw_image image_of(const void *data, enum sw_type type, int width, int height,
                                int channels)
{
    return (struct sw_image){.size = sizeof(struct sw_image),
                             .data = data,
                             .layout = SW_HWC,
                             .type = type,
                             .width = width,
                             .height = height,
                             .channels = channels};
}

START_TEST(floats_are_clamped_to_black_and_white)
{
    struct sw_profiler *sw = values_open("");
    const float values[] = {0, 1, 0.5f, NAN, INFINITY, -INFINITY, -0.0f, 2};
    ck_assert_int_eq(sw_log_image(sw, "i", SW_F32, values, 8, 1, 1, NULL), 0);
    assert_values(sw, "step 0 images i: 8x1x1 00ff8000ff0000ff\n");
}
END_TEST

START_TEST(low_above_high_inverts_an_image)
{
    struct sw_profiler *sw = values_open("");
    const double values[] = {-1, 0, 1};
    struct sw_image image = image_of(values, SW_F64, 3, 1, 1);
    image.low = 1;
    image.high = -1;
    ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), 0);
    image.high = 1;
    ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), SW_EINVAL);
    assert_values(sw, "step 0 images i: 3x1x1 ff8000\n");
    expect_message("pictures of \"i\" are refused: low is 1 and high is 1");
}
END_TEST

START_TEST(planes_become_pixels)
{
    struct sw_profiler *sw = values_open("");
    const uint8_t planes[] = {1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24};
    struct sw_image image[2] = {image_of(planes, SW_U8, 2, 2, 3), image_of(planes, SW_U8, 2, 2, 1)};
    image[0].layout = image[1].layout = SW_CHW;
    image[1].caption = "grey";
    ck_assert_int_eq(sw_log_images(sw, "i", image, 2), 0);
    assert_values(sw, "step 0 images i: 2x2x3 010b15020c16030d17040e18; 2x2x1 01020304 grey\n");
}
END_TEST

START_TEST(gaps_between_rows_are_left_out)
{
    struct sw_profiler *sw = values_open("");
    const uint8_t rows[] = {1, 2, 99, 3, 4};
    struct sw_image image = image_of(rows, SW_U8, 2, 2, 1);
    image.row_bytes = 3;
    image.bytes = sizeof rows;
    ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), 0);
    image.bytes = 4;
    ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), SW_EINVAL);
    image.row_bytes = 1;
    ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), SW_EINVAL);
    assert_values(sw, "step 0 images i: 2x2x1 01020304\n");
}
END_TEST

START_TEST(half_precision_is_read)
{
    struct sw_profiler *sw = values_open("");
    const uint16_t half[] = {0x0000, 0x3800, 0x3c00, 0x7e00}; /* 0, 0.5, 1, NAN */
    const uint16_t brain[] = {0x0000, 0x3f00, 0x3f80, 0x7fc0};
    struct sw_image image[2] = {image_of(half, SW_F16, 4, 1, 1), image_of(brain, SW_BF16, 4, 1, 1)};
    ck_assert_int_eq(sw_log_images(sw, "i", image, 2), 0);
    assert_values(sw, "step 0 images i: 4x1x1 0080ff00; 4x1x1 0080ff00\n");
}
END_TEST

static const struct {
    int width, height, channels;
    enum sw_type type;
    const char *why;
} wrong_images[] = {
    {4, 4, 2, SW_U8, "2 channels, expected 1, 3 or 4"},
    {0, 4, 1, SW_U8, "0 x 4 pixels, expected 1 to 65500 on each side"},
    {65501, 1, 1, SW_U8, "65501 x 1 pixels"},
    {4, -1, 1, SW_U8, "4 x -1 pixels"},
    {4, 4, 1, SW_I32, "type 2, expected SW_U8"},
    {65500, 65500, 4, SW_U8, "more than 64 MiB of pixels"},
};

START_TEST(an_image_that_no_sink_could_show_is_refused)
{
    struct sw_profiler *sw = values_open("");
    const uint8_t pixel[64] = {0};
    struct sw_image image = image_of(pixel, wrong_images[_i].type, wrong_images[_i].width,
                                     wrong_images[_i].height, wrong_images[_i].channels);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(sw_log_images(sw, "i", &image, 1), SW_EINVAL);
    assert_values(sw, "");
    expect_message("pictures of \"i\" are refused: ");
    expect_message(wrong_images[_i].why);
    expect_message("3 pictures of \"i\" were refused: ");
}
END_TEST

/* ---- files of images ------------------------------------------------------------------------- */

static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 26, '\n', 0, 0, 0, 13,
                              'I',  'H', 'D', 'R', 0,    0,    0,  3,    0, 0, 0, 2,
                              8,    2,   0,   0,   0,    1,    2,  3,    4, 0, 0, 0,
                              0,    'I', 'E', 'N', 'D',  1,    2,  3,    4};
static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2,    0xff, 0xc0, 0,   11,
                               8,    0,    2,    0,    3, 1, 1, 0x11, 0,    0xff, 0xd9};
static const uint8_t gif[] = {'G', 'I', 'F', '8', '9', 'a', 3, 0, 2, 0, 0, 0, 0, 0x3b};

static int file_log(struct sw_profiler *sw, const void *bytes, size_t size)
{
    struct sw_image image = {
        .size = sizeof image, .data = bytes, .bytes = size, .layout = SW_ENCODED, .width = 999};
    return sw_log_images(sw, "i", &image, 1);
}

START_TEST(files_are_passed_on_with_the_size_that_they_say)
{
    struct sw_profiler *sw = values_open("");
    ck_assert_int_eq(file_log(sw, png, sizeof png), 0);
    ck_assert_int_eq(file_log(sw, jpeg, sizeof jpeg), 0);
    ck_assert_int_eq(file_log(sw, gif, sizeof gif), 0);
    assert_values(sw, "step 0 images i: 3x2 png of 45 bytes\n"
                      "step 0 images i: 3x2 jpg of 23 bytes\n"
                      "step 0 images i: 3x2 gif of 14 bytes\n");
}
END_TEST

START_TEST(a_file_that_was_cut_off_is_refused_at_every_byte)
{
    struct sw_profiler *sw = values_open("");
    for (size_t size = 0; size < sizeof png; size++) {
        uint8_t *cut = malloc(size ? size : 1); /* a sanitizer sees the end */
        memcpy(cut, png, size);
        ck_assert_int_eq(file_log(sw, cut, size), SW_EINVAL);
        free(cut);
    }
    for (size_t size = 0; size < 17; size++) {
        uint8_t *cut = malloc(size ? size : 1);
        memcpy(cut, jpeg, size);
        ck_assert_int_eq(file_log(sw, cut, size), SW_EINVAL);
        free(cut);
    }
    ck_assert_int_eq(file_log(sw, "RIFF\x10\0\0\0WEBPVP8 ", 16), SW_EINVAL);
    assert_values(sw, "");
}
END_TEST

/* ---- tables ---------------------------------------------------------------------------------- */

START_TEST(a_table_is_copied_column_by_column)
{
    struct sw_profiler *sw = values_open("");
    const int32_t id[] = {1, -2};
    const float p[] = {0.5f, NAN};
    const bool ok[] = {true, false};
    char word[] = "cat";
    const char *label[] = {word, NULL};
    const struct sw_table_column columns[] = {
        {"id", SW_I32, id}, {"p", SW_F32, p}, {"ok", SW_BOOL, ok}, {"label", SW_TEXT, label}};
    ck_assert_int_eq(sw_log_table(sw, "t", columns, 4, 2), 0);
    ck_assert_int_eq(sw_log_table(sw, "t", columns, 1, 0), 0);
    word[0] = 'x';
    assert_values(sw,
                  "step 0 table t: id=1 p=0.5 ok=true label=cat | id=-2 p=nan ok=false label=?\n"
                  "step 0 table t:\n");
}
END_TEST

START_TEST(of_a_long_table_the_first_ten_thousand_rows_are_kept)
{
    struct sw_profiler *sw = values_open("");
    int64_t *id = calloc(10001, sizeof *id);
    const struct sw_table_column column = {"i", SW_I64, id};
    ck_assert_int_eq(sw_log_table(sw, "t", &column, 1, 10001), 0);
    free(id);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    expect_message("the table \"t\" has 10001 rows: the first 10000 are logged");
    int bars = 0;
    for (const char *c = values_text(); (c = strchr(c, '|')); c++)
        bars++;
    ck_assert_int_eq(bars, 9999);
}
END_TEST

START_TEST(columns_need_names_that_differ)
{
    struct sw_profiler *sw = values_open("");
    const int64_t id[] = {1};
    const struct sw_table_column twice[] = {{"a", SW_I64, id}, {"a", SW_I64, id}};
    const struct sw_table_column unnamed[] = {{"", SW_I64, id}};
    ck_assert_int_eq(sw_log_table(sw, "t", twice, 2, 1), SW_EINVAL);
    ck_assert_int_eq(sw_log_table(sw, "u", unnamed, 1, 1), SW_EINVAL);
    ck_assert_int_eq(sw_log_table(sw, "v", unnamed, 0, 1), SW_EINVAL);
    assert_values(sw, "");
    expect_message("tables of \"t\" are refused: column \"a\" is given twice");
    expect_message("tables of \"u\" are refused: column 0 has no name");
    expect_message("tables of \"v\" are refused: 0 columns, expected 1 to 256");
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(a_file_may_be_removed_after_the_call)
{
    scratch_enter();
    struct sw_profiler *sw = values_open("");
    FILE *out = fopen("model.bin", "w");
    fputs("weights", out);
    fclose(out);
    const char *const aliases[] = {"best", "last", NULL};
    const struct sw_file file = {
        .size = sizeof file, .name = "net", .type = "model", .aliases = aliases};
    ck_assert_int_eq(sw_log_file(sw, "model.bin", &file), 0);
    ck_assert_int_eq(sw_log_file(sw, "./model.bin", NULL), 0);
    unlink("model.bin");
    assert_values(sw, "step 0 file net: model.bin 7 bytes model best,last,: weights\n"
                      "step 0 file model.bin: model.bin 7 bytes - : weights\n");
}
END_TEST

START_TEST(folders_fifos_and_missing_files_are_refused)
{
    scratch_enter();
    struct sw_profiler *sw = values_open("");
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    ck_assert_int_eq(sw_log_file(sw, ".", NULL), SW_EINVAL);
    ck_assert_int_eq(sw_log_file(sw, "fifo", NULL), SW_EINVAL);
    ck_assert_int_eq(sw_log_file(sw, "none", NULL), SW_EINVAL);
    assert_values(sw, "");
    expect_message("files of \".\" are refused: is a folder, expected a file");
    expect_message("files of \"fifo\" are refused: is not a regular file");
    expect_message("files of \"none\" are refused: cannot be opened: No such file");
}
END_TEST

START_TEST(sixteen_files_may_wait)
{
    scratch_enter();
    struct sw_error err;
    struct sw_profiler *sw = values_open("");
    fclose(fopen("a", "w"));
    atomic_store(&values_hang, true);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(sw_log_file(sw, "a", NULL), 0);
    ck_assert_int_eq(sw_log_file(sw, "a", NULL), SW_ENOMEM);
    atomic_store(&values_hang, false);
    ck_assert_int_eq(sw_close(sw, &err), SW_ENOMEM);
    ck_assert_str_eq(sw_error_text(&err), "1 file was dropped: too many waited to be copied");
    sw_error_free(&err);
}
END_TEST

/* ---- rules and the summary ------------------------------------------------------------------- */

START_TEST(rules_and_values_of_the_summary_arrive_complete)
{
    struct sw_profiler *sw = values_open("");
    const struct sw_rule rule = {.size = sizeof rule,
                                 .keep = SW_KEEP_MAX | SW_KEEP_LAST,
                                 .goal = SW_GOAL_MAX,
                                 .hidden = true,
                                 .unit = "%",
                                 .description = "of all"};
    ck_assert_int_eq(sw_metric_axis(sw, "valid/*", "epoch"), 0);
    ck_assert_int_eq(sw_define(sw, "acc", &rule), 0);
    ck_assert_int_eq(sw_define(sw, "a*b", &rule), SW_EINVAL);
    ck_assert_int_eq(sw_define(sw, "", &rule), SW_EINVAL);
    ck_assert_int_eq(sw_define(sw, "acc", NULL), SW_EINVAL);
    sw_summary(sw, "best", 0.5);
    sw_summary_text(sw, "state", "done");
    assert_values(sw, "rule valid/* axis epoch keep 0 goal 0 unit -: -\n"
                      "rule acc axis - keep 5 goal 2 hidden unit %: of all\n"
                      "summary best 0.5\nsummary state done\n");
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(a_name_keeps_the_kind_of_its_first_value)
{
    struct sw_profiler *sw = values_open("");
    const uint8_t pixel = 0;
    ck_assert_int_eq(sw_log_text(sw, "x", "a"), 0);
    ck_assert_int_eq(sw_log_image(sw, "x", SW_U8, &pixel, 1, 1, 1, NULL), SW_EINVAL);
    sw_log(sw, "x", 1);
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_log_text(sw, "loss", "a"), SW_EINVAL);
    ck_assert_int_eq(sw_log_text(sw, "", "a"), SW_EINVAL);
    ck_assert_int_eq(sw_log_text(sw, NULL, "a"), SW_EINVAL);
    assert_values(sw, "step 0 text x: a\nstep 0 numbers loss=1\n");
    expect_message("pictures of \"x\" are refused: the name has texts");
    expect_message("numbers of \"x\" are refused: the name has texts");
    expect_message("texts of \"loss\" are refused: the name has numbers");
}
END_TEST

START_TEST(there_may_be_4096_names_of_values)
{
    struct sw_profiler *sw = values_open("");
    char name[16];
    for (int i = 0; i < 4096; i++) {
        snprintf(name, sizeof name, "n%d", i);
        ck_assert_int_eq(sw_log_text(sw, name, ""), 0);
    }
    ck_assert_int_eq(sw_log_text(sw, "one more", ""), SW_EINVAL);
    ck_assert_int_eq(sw_log_text(sw, "n0", ""), 0);
    sw_close(sw, NULL);
    expect_message("there are 4096 names of such values already, and no more are possible");
}
END_TEST

/* ---- when nothing is logged ------------------------------------------------------------------ */

START_TEST(without_a_profiler_or_a_sink_that_takes_it_nothing_is_read)
{
    struct sw_profiler *sw = probe_open("");
    const void *nowhere = (const void *)8;
    for (int i = 0; i < 2; i++) {
        struct sw_profiler *one = i ? sw : NULL;
        ck_assert(!sw_wants(one, SW_VALUE_IMAGES));
        ck_assert_int_eq(sw_log_text(one, nowhere, nowhere), 0);
        ck_assert_int_eq(sw_log_images(one, nowhere, nowhere, 3), 0);
        ck_assert_int_eq(sw_log_table(one, nowhere, nowhere, 3, 3), 0);
        ck_assert_int_eq(sw_log_bins(one, nowhere, nowhere, 3), 0);
        ck_assert_int_eq(sw_log_file(one, nowhere, nowhere), 0);
        ck_assert_int_eq(sw_log_line(one, SW_NOTE, nowhere), 0);
        ck_assert_int_eq(sw_define(one, nowhere, nowhere), 0);
        sw_summary(one, nowhere, 0);
        ck_assert_int_eq(sw_log_vector(one, nowhere, SW_F32, nowhere, 3, SW_HISTOGRAM), 0);
    }
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

START_TEST(in_a_pause_nothing_is_logged)
{
    struct sw_profiler *sw = values_open("");
    sw_pause(sw);
    ck_assert_int_eq(sw_log_text(sw, "note", "a"), 0);
    sw_log_many(sw, &(struct sw_named){"a", 1}, 1);
    sw_resume(sw);
    ck_assert(sw_wants(sw, SW_VALUE_TEXT));
    assert_values(sw, "");
}
END_TEST

START_TEST(a_child_of_fork_logs_nothing)
{
    struct sw_profiler *sw = values_open("");
    int status;
    pid_t child = fork();
    if (child == 0) {
        int rc = sw_log_text(sw, "note", "child");
        sw_log_many(sw, &(struct sw_named){"a", 1}, 1);
        _exit(rc);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(sw_log_text(sw, "note", "parent"), 0);
    assert_values(sw, "step 0 text note: parent\n");
}
END_TEST

START_TEST(values_memory_0_takes_no_values)
{
    struct sw_profiler *sw = values_open("values_memory: 0");
    ck_assert(!sw_wants(sw, SW_VALUE_TEXT));
    ck_assert_int_eq(sw_log_text(sw, "note", "a"), 0);
    sw_log(sw, "loss", 1);
    assert_values(sw, "step 0 numbers loss=1\n");
}
END_TEST

/* ---- the budget ------------------------------------------------------------------------------ */

START_TEST(a_sink_that_hangs_costs_no_more_than_values_memory)
{
    struct sw_error err;
    struct sw_profiler *sw = values_open("values_memory: 1MiB");
    static const uint8_t pixels[100 * 100];
    int taken = 0;
    atomic_store(&values_hang, true);
    for (int i = 0; i < 1000; i++)
        taken += sw_log_image(sw, "i", SW_U8, pixels, 100, 100, 1, NULL) == 0;
    ck_assert_int_gt(taken, 90);
    ck_assert_int_le(taken, 105);
    atomic_store(&values_hang, false);
    ck_assert_int_eq(sw_close(sw, &err), SW_ENOMEM);
    char expected[128];
    snprintf(expected, sizeof expected, "%d pictures were dropped: values_memory (1MiB) was full",
             1000 - taken);
    ck_assert_str_eq(sw_error_text(&err), expected);
    sw_error_free(&err);
    expect_message("pictures are dropped: values_memory (1MiB) is full");
}
END_TEST

static void *logs(void *arg)
{
    for (int i = 0; i < 200; i++)
        sw_log_text(arg, "note", "t");
    return NULL;
}

START_TEST(two_threads_log_under_one_name)
{
    struct sw_profiler *sw = values_open("");
    pthread_t thread;
    pthread_create(&thread, NULL, logs, sw);
    logs(sw);
    pthread_join(thread, NULL);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    int lines = 0;
    for (const char *c = values_text(); (c = strchr(c, '\n')); c++)
        lines++;
    ck_assert_int_eq(lines, 400);
}
END_TEST

SUITE(values)
{
    tcase_add_test(tc, a_text_belongs_to_the_current_step);
    tcase_add_test(tc, a_text_is_copied_and_its_bytes_that_are_not_utf8_are_shown);
    tcase_add_test(tc, a_text_of_more_than_a_megabyte_is_cut_at_a_character);
    tcase_add_test(tc, a_line_feed_makes_several_lines);
    tcase_add_test(tc, several_numbers_are_one_record_where_the_last_of_a_name_counts);
    tcase_add_test(tc, a_hundred_numbers_are_one_record_too);
    tcase_add_test(tc, an_array_becomes_a_histogram_and_numbers);
    tcase_add_test(tc, values_that_are_not_finite_are_counted_unasked);
    tcase_add_test(tc, an_array_without_finite_values_has_an_empty_histogram);
    tcase_add_test(tc, equal_values_have_one_bin_without_a_width);
    tcase_add_loop_test(tc, each_type_of_element_is_read_at_any_address, 0,
                        sizeof arrays / sizeof *arrays);
    tcase_add_test(tc, a_range_that_is_wider_than_a_double_has_bins_all_the_same);
    tcase_add_test(tc, a_histogram_of_a_million_counts_each_value_once);
    tcase_add_test(tc, gaps_between_bins_become_empty_bins);
    tcase_add_test(tc, counts_that_no_reader_has_are_refused);
    tcase_add_test(tc, floats_are_clamped_to_black_and_white);
    tcase_add_test(tc, low_above_high_inverts_an_image);
    tcase_add_test(tc, planes_become_pixels);
    tcase_add_test(tc, gaps_between_rows_are_left_out);
    tcase_add_test(tc, half_precision_is_read);
    tcase_add_loop_test(tc, an_image_that_no_sink_could_show_is_refused, 0,
                        sizeof wrong_images / sizeof *wrong_images);
    tcase_add_test(tc, files_are_passed_on_with_the_size_that_they_say);
    tcase_add_test(tc, a_file_that_was_cut_off_is_refused_at_every_byte);
    tcase_add_test(tc, a_table_is_copied_column_by_column);
    tcase_add_test(tc, of_a_long_table_the_first_ten_thousand_rows_are_kept);
    tcase_add_test(tc, columns_need_names_that_differ);
    tcase_add_test(tc, a_file_may_be_removed_after_the_call);
    tcase_add_test(tc, folders_fifos_and_missing_files_are_refused);
    tcase_add_test(tc, sixteen_files_may_wait);
    tcase_add_test(tc, rules_and_values_of_the_summary_arrive_complete);
    tcase_add_test(tc, a_name_keeps_the_kind_of_its_first_value);
    tcase_add_test(tc, there_may_be_4096_names_of_values);
    tcase_add_test(tc, without_a_profiler_or_a_sink_that_takes_it_nothing_is_read);
    tcase_add_test(tc, in_a_pause_nothing_is_logged);
    tcase_add_test(tc, a_child_of_fork_logs_nothing);
    tcase_add_test(tc, values_memory_0_takes_no_values);
    tcase_add_test(tc, a_sink_that_hangs_costs_no_more_than_values_memory);
    tcase_add_test(tc, two_threads_log_under_one_name);
}
