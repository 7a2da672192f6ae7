/* SPDX-License-Identifier: MIT */
/* values.c - wandb-values YAML: logs values of each kind, by formulas that values.py knows. */
#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 8, COUNT = 1000 };

static uint8_t rgb[SIDE][SIDE][3], grey[SIDE][SIDE], rgba[SIDE][SIDE][4];
static float wide[3][SIDE][SIDE];

static void pixels_fill(void)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            rgb[y][x][0] = (uint8_t)(x * 32);
            rgb[y][x][1] = (uint8_t)(y * 32);
            rgb[y][x][2] = (uint8_t)((x + y) * 16);
            grey[y][x] = (uint8_t)((x + 8 * y) * 4);
            memcpy(rgba[y][x], rgb[y][x], 3);
            rgba[y][x][3] = (uint8_t)(255 - grey[y][x]);
            for (int c = 0; c < 3; c++)
                wide[c][y][x] = (float)(rgb[y][x][c] - 128) / 4;
        }
}

static void images_log(struct sw_profiler *sw)
{
    const struct sw_image all[] = {{.size = sizeof *all,
                                    .data = rgb,
                                    .layout = SW_HWC,
                                    .type = SW_U8,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 3,
                                    .caption = "a \"b\" ä"},
                                   {.size = sizeof *all,
                                    .data = grey,
                                    .layout = SW_HWC,
                                    .type = SW_U8,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 1},
                                   {.size = sizeof *all,
                                    .data = wide,
                                    .layout = SW_CHW,
                                    .type = SW_F32,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 3,
                                    .low = -32,
                                    .high = 31.75,
                                    .caption = "wide"},
                                   {.size = sizeof *all,
                                    .data = rgba,
                                    .layout = SW_HWC,
                                    .type = SW_U8,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 4}};
    sw_log_image(sw, "img/rgb", SW_U8, rgb, SIDE, SIDE, 3, "one");
    sw_log_image(sw, "up/../side é", SW_U8, grey, SIDE, SIDE, 1, NULL);
    sw_log_images(sw, "batch", all, 4);
}

static void tables_log(struct sw_profiler *sw)
{
    const int32_t n[] = {1, 2};
    const char *name[] = {"one", NULL};
    const bool ok[] = {true, false};
    const double f[] = {0.5, NAN};
    const struct sw_table_column column[] = {
        {"n", SW_I32, n}, {"name", SW_TEXT, name}, {"ok", SW_BOOL, ok}, {"f", SW_F64, f}};
    sw_log_table(sw, "tab/plain", column, 4, 2);
    sw_log_table(sw, "tab/empty", column, 1, 0);
}

static void values_log(struct sw_profiler *sw)
{
    static char longer[100001];
    static double value[COUNT];
    const struct sw_bin bins[] = {{0, 0.25, 250}, {0.25, 0.5, 250}, {0.5, 1, 500}};
    for (int i = 0; i < COUNT; i++)
        value[i] = i / (COUNT - 1.0);
    memset(longer, 'x', sizeof longer - 1);
    images_log(sw);
    tables_log(sw);
    sw_log_vector(sw, "hist/values", SW_F64, value, COUNT, SW_HISTOGRAM | SW_MEAN);
    sw_log_bins(sw, "hist/bins", bins, 3);
    sw_log_text(sw, "note", "text\nsecond line");
    sw_log_text(sw, "longer", longer);
}

static void rules_define(struct sw_profiler *sw)
{
    sw_define(sw, "acc",
              &(struct sw_rule){.size = sizeof(struct sw_rule),
                                .keep = SW_KEEP_MAX | SW_KEEP_LAST,
                                .goal = SW_GOAL_MAX});
    sw_define(sw, "loss",
              &(struct sw_rule){.size = sizeof(struct sw_rule),
                                .keep = SW_KEEP_MIN | SW_KEEP_MEAN | SW_KEEP_FIRST,
                                .axis = "t"});
    sw_define(
        sw, "quiet",
        &(struct sw_rule){.size = sizeof(struct sw_rule), .keep = SW_KEEP_NONE, .hidden = true});
    sw_metric_axis(sw, "test/*", "t");
}

static void step(struct sw_profiler *sw, int k)
{
    static const double acc[] = {0.5, 0.6, 0.4}, loss[] = {3, 1, NAN};
    sw_begin(sw, SW_BATCH);
    sw_log_many(
        sw, (struct sw_named[]){{"acc", acc[k]}, {"loss", loss[k]}, {"quiet", 1}, {"late", k}}, 4);
    if (k < 2)
        sw_log(sw, "t", k / 2.0);
    sw_log(sw, "test/a", k);
    sw_end_batch(sw, 1);
}

static void files_log(struct sw_profiler *sw)
{
    FILE *file = fopen("model.bin", "w");
    for (int i = 0; file && i < 512; i++)
        fputc(i & 255, file);
    if (file)
        fclose(file);
    const char *aliases[] = {"best", NULL};
    sw_log_file(sw, "model.bin", NULL);
    sw_log_file(sw, "model.bin",
                &(struct sw_file){.size = sizeof(struct sw_file),
                                  .name = "weights",
                                  .type = "model",
                                  .description = "after step 3",
                                  .aliases = aliases});
    remove("model.bin");
}

int main(int argc, char **argv)
{
    struct sw_error err;
    struct sw_profiler *sw = argc == 2 ? sw_open_text(argv[1], &err) : NULL;
    if (!sw) {
        fputs("usage: wandb-values YAML\n", stderr);
        return 1;
    }
    pixels_fill();
    rules_define(sw);
    values_log(sw);
    for (int k = 0; k < 3; k++)
        step(sw, k);
    sw_define(sw, "late", &(struct sw_rule){.size = sizeof(struct sw_rule), .keep = SW_KEEP_MAX});
    files_log(sw);
    sw_summary(sw, "best", 0.6);
    sw_summary(sw, "test/a", -1);
    sw_summary_text(sw, "verdict", "good");
    sw_alert(sw, SW_WARNING, "diverged", "loss is nan");
    sw_log_line(sw, SW_NOTE, "first\nsecond");
    sw_log_line(sw, SW_ERROR, "a mistake");
    return sw_close(sw, &err) < 0;
}
