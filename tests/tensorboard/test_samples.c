/* SPDX-License-Identifier: MIT */
/* test_samples.c - the same inputs give the same bytes as the samples in tests/golden/tensorboard,
 * whose decoded content is in their index.json. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/tensorboard.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE "events.out.tfevents.1700000000.samplehost.4242.0"

static struct sw_tb *open_sample(double at)
{
    struct sw_tb_options options = {
        .size = sizeof options, .writer = "stepwatch/sample", .wall_s = BASE + at};
    struct sw_error err;
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
    return tb;
}

static void at(struct sw_tb *tb, double seconds)
{
    ck_assert_int_eq(sw_tb_set_time(tb, BASE + seconds), 0);
}

/* Closes the file. Whether it is the sample, byte for byte. */
static bool closed_like(struct sw_tb *tb, const char *sample)
{
    char path[1024], golden[1024];
    struct sw_error err;
    snprintf(path, sizeof path, "%s", sw_tb_path(tb));
    snprintf(golden, sizeof golden, SRCDIR "/tests/golden/tensorboard/%s", sample);
    ck_assert_msg(sw_tb_close(tb, &err) == 0, "%s", sw_error_text(&err));
    size_t size, expected_size;
    uint8_t *bytes = file_bytes(path, &size);
    uint8_t *expected = file_bytes(golden, &expected_size);
    bool same = size == expected_size && memcmp(bytes, expected, size) == 0;
    free(bytes);
    free(expected);
    scratch_remove();
    return same;
}

static void two_scalars(struct sw_tb *tb, int64_t step, const char *a, double x, const char *b,
                        double y)
{
    struct sw_tb_value value[] = {{a, x}, {b, y}};
    ck_assert_int_eq(sw_tb_scalars(tb, step, value, 2), 0);
}

START_TEST(scalars)
{
    struct sw_tb *tb = open_sample(0);
    sw_tb_describe(tb, "time_ms/forward", "Rolling mean of the *forward* phase, ms");
    for (int i = 0; i < 3; i++) {
        at(tb, 1 + i / 2.0);
        two_scalars(tb, 10 * i, "time_ms/forward", 5 + i / 4.0, "throughput/samples_per_sec",
                    3200 - 16 * i);
    }
    ck_assert(closed_like(tb, "01-scalars-simple/" SAMPLE));
}
END_TEST

START_TEST(text_and_table)
{
    static const char *const cells[] = {"**phase**", "**ms**", "forward", "5.00"};
    struct sw_tb *tb = open_sample(0);
    at(tb, 2);
    sw_tb_text(tb, "report/summary", 200,
               "## Phases\n\n| phase | calls | mean ms |\n|:--|--:|--:|\n| forward | 200 | 5.00 |\n"
               "| backward | 200 | 9.00 |\n");
    sw_tb_table(tb, "report/cells", 200, cells, 2, 2);
    ck_assert(closed_like(tb, "03-text/" SAMPLE));
}
END_TEST

START_TEST(histogram)
{
    struct sw_bin bin[] = {{16, 17, 3}, {17, 18, 10}, {18, 19, 25}, {19, 20.5, 2}};
    struct sw_tb *tb = open_sample(0);
    at(tb, 1);
    sw_tb_histogram(tb, "dist/step_ms", 0, bin, 4);
    at(tb, 2);
    bin[1].count = 11;
    sw_tb_histogram(tb, "dist/step_ms", 100, bin, 4);
    ck_assert(closed_like(tb, "04-histogram/" SAMPLE));
}
END_TEST

START_TEST(layout)
{
    struct sw_tb_chart chart[] = {
        {"Step", "phases (ms)", (const char *const[]){"time_ms/.*", NULL}, NULL, false},
        {"Step", "step p10..p90", NULL,
         (const char *const[]){"band/p50", "band/p10", "band/p90", NULL}, false},
        {"More", "throughput", (const char *const[]){"throughput/.*", NULL}, NULL, true},
    };
    struct sw_tb *tb = open_sample(0);
    at(tb, 0);
    sw_tb_layout(tb, 0, chart, 3);
    for (int i = 0; i < 3; i++) {
        struct sw_tb_value value[] = {{"time_ms/forward", 5 + i}, {"time_ms/backward", 9 + i},
                                      {"band/p10", 13},           {"band/p50", 14 + i},
                                      {"band/p90", 18},           {"throughput/items", 100 + i}};
        at(tb, 1 + i);
        sw_tb_scalars(tb, i, value, 6);
    }
    ck_assert(closed_like(tb, "05-custom-scalars/" SAMPLE));
}
END_TEST

START_TEST(hparams_experiment)
{
    struct sw_tb_column column[] = {
        {.name = "lr", .type = SW_TB_NUMBER, .min = 0.0001, .max = 0.01},
        {.name = "optimizer",
         .type = SW_TB_STRING,
         .choices = (const char *const[]){"adamw", "sgd", NULL}},
        {.name = "amp", .type = SW_TB_BOOL},
    };
    struct sw_tb_metric metric[] = {
        {.tag = "throughput/items", .title = "items/s"},
        {.tag = "time_ms/step", .title = "step ms", .dataset = 1},
    };
    struct sw_tb_experiment experiment = {
        .name = "sample", .columns = 3, .column = column, .metrics = 2, .metric = metric};
    struct sw_tb *tb = open_sample(0);
    at(tb, 0);
    sw_tb_experiment(tb, &experiment);
    ck_assert(closed_like(tb, "06-hparams/" SAMPLE));
}
END_TEST

static const struct {
    const char *sample;
    struct sw_tb_hparam hparam[3];
    double per_s, step_ms;
    enum sw_tb_status status;
} trials[] = {
    {"06-hparams/trial-a/" SAMPLE,
     {{"lr", SW_TB_NUMBER, 0.001, NULL},
      {"optimizer", SW_TB_STRING, 0, "adamw"},
      {"amp", SW_TB_BOOL, 0, NULL}},
     3200,
     20,
     SW_TB_SUCCESS},
    {"06-hparams/trial-b/" SAMPLE,
     {{"lr", SW_TB_NUMBER, 0.003, NULL},
      {"optimizer", SW_TB_STRING, 0, "sgd"},
      {"amp", SW_TB_BOOL, 1, NULL}},
     4100,
     64000 / 4100.0,
     SW_TB_FAILURE},
};

START_TEST(hparams_of_a_run)
{
    struct sw_tb *tb = open_sample(0);
    at(tb, 0);
    sw_tb_hparams(tb, trials[_i].hparam, 3, NULL);
    at(tb, 5);
    two_scalars(tb, 10, "throughput/items", trials[_i].per_s, "time_ms/step", trials[_i].step_ms);
    at(tb, 9);
    sw_tb_hparams_end(tb, trials[_i].status);
    ck_assert(closed_like(tb, trials[_i].sample));
}
END_TEST

START_TEST(image)
{
    /* The picture is an argument: it is taken out of the sample, where it ends 12 bytes before the
     * metadata's text "images". */
    size_t size;
    uint8_t *bytes = file_bytes(SRCDIR "/tests/golden/tensorboard/07-image/" SAMPLE, &size);
    uint8_t *png = memmem(bytes, size, "\x89PNG", 4);
    uint8_t *end = memmem(bytes, size, "IEND\xae\x42\x60\x82", 8);
    ck_assert(png && end);
    struct sw_tb *tb = open_sample(0);
    at(tb, 3);
    sw_tb_image(tb, "plot/phases", 200, 8, 4, png, (size_t)(end + 8 - png));
    free(bytes);
    ck_assert(closed_like(tb, "07-image/" SAMPLE));
}
END_TEST

START_TEST(restart)
{
    struct sw_tb *tb = open_sample(0);
    at(tb, 0);
    sw_tb_start(tb, 0);
    for (int i = 0; i < 6; i++) {
        at(tb, i);
        sw_tb_scalar(tb, "loss/train", i, 10 - i);
    }
    ck_assert(closed_like(tb, "08-restart/" SAMPLE));

    tb = open_sample(100);
    at(tb, 100);
    sw_tb_start(tb, 4);
    for (int i = 4; i < 8; i++) {
        at(tb, 100 + i);
        sw_tb_scalar(tb, "loss/train", i, 100 + i);
    }
    ck_assert(closed_like(tb, "08-restart/events.out.tfevents.1700000100.samplehost.4243.0"));
}
END_TEST

SUITE(tensorboard_samples)
{
    tcase_add_test(tc, scalars);
    tcase_add_test(tc, text_and_table);
    tcase_add_test(tc, histogram);
    tcase_add_test(tc, layout);
    tcase_add_test(tc, hparams_experiment);
    tcase_add_loop_test(tc, hparams_of_a_run, 0, 2);
    tcase_add_test(tc, image);
    tcase_add_test(tc, restart);
}
