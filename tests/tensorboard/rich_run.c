/* SPDX-License-Identifier: MIT */
/* rich_run.c - rich_run YAML: logs one value of each kind, by formulas that readback.py knows. */
#include <stepwatch/stepwatch.h>

#include <stdio.h>

enum { SIDE = 8 };

static void images_log(struct sw_profiler *sw)
{
    uint8_t rgb[SIDE][SIDE][3];
    float grey[SIDE][SIDE];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            rgb[y][x][0] = (uint8_t)(x * 32);
            rgb[y][x][1] = (uint8_t)(y * 32);
            rgb[y][x][2] = (uint8_t)((x + y) * 16);
            grey[y][x] = (float)x / 7;
        }
    const struct sw_image image[] = {{.size = sizeof *image,
                                      .data = rgb,
                                      .layout = SW_HWC,
                                      .type = SW_U8,
                                      .width = SIDE,
                                      .height = SIDE,
                                      .channels = 3,
                                      .caption = "in *colour*"},
                                     {.size = sizeof *image,
                                      .data = grey,
                                      .layout = SW_HWC,
                                      .type = SW_F32,
                                      .width = SIDE,
                                      .height = SIDE,
                                      .channels = 1}};
    sw_log_images(sw, "images", image, 2);
}

static void values_log(struct sw_profiler *sw)
{
    const int32_t id[] = {1, 2};
    const char *label[] = {"cat|dog", NULL};
    const struct sw_table_column columns[] = {{"id", SW_I32, id}, {"label", SW_TEXT, label}};
    double values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i * 64 / 63.0;
    images_log(sw);
    sw_log_text(sw, "note", "**bold**");
    sw_log_table(sw, "table", columns, 2, 2);
    sw_log_vector(sw, "histogram", SW_F64, values, 64, SW_HISTOGRAM);
}

int main(int argc, char **argv)
{
    struct sw_error err;
    struct sw_profiler *sw = argc == 2 ? sw_open_text(argv[1], &err) : NULL;
    if (!sw) {
        fputs("usage: rich_run YAML\n", stderr);
        return 1;
    }
    sw_metric_axis(sw, "valid/*", "epoch");
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    values_log(sw);
    sw_log_many(sw, (struct sw_named[]){{"epoch", 7}, {"valid/loss", 0.5}}, 2);
    sw_summary(sw, "best", 0.25);
    return sw_close(sw, &err) < 0;
}
