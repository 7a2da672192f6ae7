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

/* Bands of one phase follow one another, in a category of their own. */
static const char *const categories[][2] = {
    {"train_", "Training: durations in each epoch, median and 5 % to 95 %"},
    {"valid_", "Validation: durations in each epoch, median and 5 % to 95 %"},
    {"threads_", "Other threads: durations in each epoch, median and 5 % to 95 %"},
    {"", "Durations in each epoch, median and 5 % to 95 %"}};

static size_t category_of(const char *band)
{
    const char *name = strchr(band, '/') + 1;
    size_t i = 0;
    while (strncmp(name, categories[i][0], strlen(categories[i][0])) != 0)
        i++;
    return i;
}

/* New bands came behind all others: to their category with them. Within one the last comes first,
 * for the page (of TensorBoard 2.21) shows charts of bands in the opposite order. */
static int by_category(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t x_category = category_of(x), y_category = category_of(y);
    if (x_category != y_category)
        return x_category < y_category ? -1 : 1;
    return (x < y) - (x > y);
}

static void band_chart(struct sw_tb_chart *chart, struct texts *texts, const char *band)
{
    static const char *const ends[] = {"_p50", "_p5", "_p95"};
    snprintf(texts->title, sizeof texts->title, "%s (ms)", strchr(band, '/') + 1);
    for (int i = 0; i < 3; i++) {
        snprintf(texts->tag[i], TAG_MAX, "%.*s%s", TAG_MAX - 8, band, ends[i]);
        texts->list[i] = texts->tag[i];
    }
    texts->list[3] = NULL;
    *chart = (struct sw_tb_chart){
        .category = categories[category_of(band)][1], .title = texts->title, .band = texts->list};
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
    /* Not draw: its rate is far from theirs, and would make straight lines of them. */
    static const char *const rates[] = {"throughput/(step|batch)$", NULL};
    static const char *const all_rates[] = {"throughput/.*", NULL};
    static const char *const epochs[] = {"time_s/.*", NULL};
    static const char *const step_title = "Steps while training";
    const struct sw_tb_chart first[] = {
        {.category = step_title, .title = "Throughput (samples/s)", .lines = rates},
        {.category = step_title,
         .title = "Where a step's time goes (ms)",
         .lines = parts(t->sink->run->mode)},
        {.category = step_title,
         .title = "Throughput of every action (samples/s)",
         .lines = all_rates},
        {.category = step_title, .title = "Epochs, train and valid (s)", .lines = epochs}};
    size_t fixed = sizeof first / sizeof *first;
    struct sw_tb_chart *chart = calloc(fixed + t->charts, sizeof *chart);
    struct texts *texts = calloc(t->charts + 1, sizeof *texts);
    const char **band = calloc(t->charts + 1, sizeof *band);
    if (chart && texts && band) {
        memcpy(chart, first, sizeof first);
        for (size_t i = 0; i < t->charts; i++)
            band[i] = t->chart[i];
        qsort(band, t->charts, sizeof *band, by_category);
        for (size_t i = 0; i < t->charts; i++)
            band_chart(&chart[fixed + i], &texts[i], band[i]);
        sw_tb_layout(stream_tb(t, &t->stream[ROOT], wall_s), step, chart, fixed + t->charts);
    }
    free(chart);
    free(texts);
    free(band);
    t->charts_new = false;
}

static void add_standard(struct tensorboard *t, const char *phase, const char *const *action)
{
    char band[TAG_MAX];
    for (; *action; action++) {
        snprintf(band, sizeof band, "time_ms_band/%s%s%s", t->split_runs ? "" : phase,
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

void charts_fini(struct tensorboard *t)
{
    free(t->chart);
}
