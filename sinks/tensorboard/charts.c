/* SPDX-License-Identifier: MIT */
/* charts.c - the layout of the Custom Scalars page: all throughputs, where a step's time goes, how
 * long epochs take, and for each action its durations as a band. */
#include "sinks/tensorboard/state.h"

#include <stdlib.h>
#include <string.h>

/* A chart's texts. */
struct texts {
    char title[TAG_MAX + 32];
    char tag[3][TAG_MAX];
    const char *list[4];
};

static bool has(const struct tensorboard *t, const char *band)
{
    for (size_t i = 0; i < t->charts; i++)
        if (strcmp(t->chart[i], band) == 0)
            return true;
    return false;
}

void charts_add(struct tensorboard *t, const char *band)
{
    if (has(t, band) || t->charts == ROWS_MAX)
        return;
    if (!t->chart && !(t->chart = calloc(ROWS_MAX, sizeof *t->chart)))
        return;
    snprintf(t->chart[t->charts++], TAG_MAX, "%s", band);
    t->charts_new = true;
}

static void band_chart(struct sw_tb_chart *chart, struct texts *texts, const char *band)
{
    static const char *const ends[] = {"_p50", "_p5", "_p95"};
    const char *slash = strchr(band, '/');
    snprintf(texts->title, sizeof texts->title, "%s (ms)", slash ? slash + 1 : band);
    for (int i = 0; i < 3; i++) {
        snprintf(texts->tag[i], TAG_MAX, "%.*s%s", TAG_MAX - 8, band, ends[i]);
        texts->list[i] = texts->tag[i];
    }
    texts->list[3] = NULL;
    *chart = (struct sw_tb_chart){.category = "Durations in each epoch: median, 5 % to 95 %",
                                  .title = texts->title,
                                  .band = texts->list};
}

/* Where a step's time goes: its parts, and neither the step nor, where its parts are known, the
 * batch that they are parts of. */
static const char *const *parts(enum sw_mode mode)
{
    static const char *const simple[] = {"time_ms/(?!(step|batch)$).*", NULL};
    static const char *const throughput[] = {"time_ms/(?!step$).*", NULL};
    return mode == SW_MODE_SIMPLE ? simple : throughput;
}

static void write_layout(struct tensorboard *t, int64_t step, double wall_s)
{
    static const char *const rates[] = {"throughput/.*", NULL};
    static const char *const epochs[] = {"epoch_s/.*", NULL};
    static const char *const step_title = "Steps while training";
    size_t count = 3 + t->charts;
    struct sw_tb_chart *chart = calloc(count, sizeof *chart);
    struct texts *texts = calloc(t->charts ? t->charts : 1, sizeof *texts);
    if (chart && texts) {
        chart[0] = (struct sw_tb_chart){
            .category = step_title, .title = "Throughput (samples/s)", .lines = rates};
        chart[1] = (struct sw_tb_chart){.category = step_title,
                                        .title = "Where a step's time goes (ms)",
                                        .lines = parts(t->sink->run->mode)};
        chart[2] = (struct sw_tb_chart){
            .category = step_title, .title = "Epochs, train and valid (s)", .lines = epochs};
        for (size_t i = 0; i < t->charts; i++)
            band_chart(&chart[3 + i], &texts[i], t->chart[i]);
        sw_tb_layout(stream_tb(t, &t->root, wall_s), step, chart, count);
    }
    free(chart);
    free(texts);
    t->charts_new = false;
}

static void add_standard(struct tensorboard *t, const char *phase, const char *const *action)
{
    char band[TAG_MAX];
    for (; *action; action++) {
        snprintf(band, sizeof band, "band_ms/%s%s%s", t->split_runs ? "" : phase,
                 t->split_runs ? "" : "_", *action);
        charts_add(t, band);
    }
}

void charts_begin(struct tensorboard *t, double wall_s)
{
    static const char *const train[] = {"step",     "draw",     "batch",     "forward", "loss",
                                        "backward", "opt_step", "zero_grad", NULL};
    static const char *const valid[] = {"step", "draw", "batch", "predict", "loss", NULL};
    static const char *const both[] = {"step", "draw", "batch", NULL};
    if (!t->layout)
        return;
    bool simple = t->sink->run->mode == SW_MODE_SIMPLE;
    add_standard(t, "train", simple ? train : both);
    add_standard(t, "valid", simple ? valid : both);
    write_layout(t, 0, wall_s);
}

/* Actions of the program's own are known when they have been measured. */
void charts_update(struct tensorboard *t, int64_t step, double wall_s)
{
    if (t->layout && t->charts_new)
        write_layout(t, step, wall_s);
}
