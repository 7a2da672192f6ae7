/* SPDX-License-Identifier: MIT */
#include "tests/mlflow/rich_log.h"

#include <stdio.h>
#include <string.h>

enum { SIDE = 8 };

static void step_make(struct sw_profiler *sw)
{
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "best", 9);
    sw_end_batch(sw, 1);
}

static void images_log(struct sw_profiler *sw)
{
    uint8_t rgb[SIDE][SIDE][3];
    float grey[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i % SIDE, y = i / SIDE;
        rgb[y][x][0] = (uint8_t)(x * 32);
        rgb[y][x][1] = (uint8_t)(y * 32);
        rgb[y][x][2] = (uint8_t)((x + y) * 16);
        grey[i] = (float)x / 7;
    }
    sw_log_image(sw, "valid/samples (8)", SW_U8, rgb, SIDE, SIDE, 3, NULL);
    sw_log_image(sw, "grey", SW_F32, grey, SIDE, SIDE, 1, "in grey");
    sw_log_image(sw, "grey", SW_F32, grey, SIDE, SIDE, 1, "the same again");
}

static void tables_log(struct sw_profiler *sw)
{
    const int32_t id[] = {1, 2};
    const double score[] = {0.25, 1e-7};
    const char *label[] = {"cat \"|\" dog", NULL};
    const struct sw_table_column columns[] = {
        {"id", SW_I32, id}, {"label", SW_TEXT, label}, {"score", SW_F64, score}};
    sw_log_table(sw, "worst", columns, 3, 2);
    step_make(sw);
    sw_log_table(sw, "worst", columns, 3, 1);
    sw_log_table(sw, "worst", columns, 2, 1);
    sw_log_table(sw, "odd/name: [x]", columns, 1, 2);
}

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file)
        fputs(text, file);
    if (file)
        fclose(file);
}

static void files_log(struct sw_profiler *sw)
{
    static const char *const aliases[] = {"best", NULL};
    const struct sw_file model = {
        .size = sizeof model, .name = "weights", .type = "model", .aliases = aliases};
    file_write("model.bin", "first");
    sw_log_file(sw, "model.bin", &model);
    file_write("report.md", "the program's own");
    sw_log_file(sw, "report.md", NULL);
    remove("model.bin");
    file_write("model.bin", "second");
    sw_log_file(sw, "model.bin", &model);
}

void rich_log(struct sw_profiler *sw)
{
    double values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i * 64 / 63.0;
    sw_metric_axis(sw, "valid/*", "epoch");
    step_make(sw);
    images_log(sw);
    tables_log(sw);
    files_log(sw);
    sw_log_text(sw, "note", "**bold** \u00e4");
    sw_log_vector(sw, "histogram", SW_F64, values, 64, SW_HISTOGRAM);
    sw_alert(sw, SW_WARNING, "diverged", "loss is \"9\"");
    sw_log_line(sw, SW_NOTE, "first line");
    sw_log_line(sw, SW_ERROR, "second line");
    sw_summary(sw, "best", 0.25);
    sw_summary_text(sw, "outcome", "good");
    step_make(sw);
}
