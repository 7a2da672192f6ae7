/* SPDX-License-Identifier: MIT */
/* charts.c - the layout of the Custom Scalars page: all throughputs, where the time of a step goes,
 * how long epochs take, and a band of durations for each action. It is written again when another
 * chart gets its first values, because charts without values are not shown. */

#include "sinks/tensorboard/tensorboard_sink.h"
#include "sinks/tensorboard/event_stream.h"

#include <stdlib.h>
#include <string.h>

/* A chart's texts. */
struct texts {
    char title[TAG_MAX + 32];
    char tag[3][TAG_MAX];
    const char *list[4];
};

void charts_has(struct tensorboard *t, int chart)
{
    t->charts_new = t->charts_new || !t->has_chart[chart];
    t->has_chart[chart] = true;
}

static bool has_band(const struct tensorboard *t, const char *band)
{
    for (size_t i = 0; i < t->bands; i++)
        if (strcmp(t->band[i], band) == 0)
            return true;
    return false;
}

void charts_has_band(struct tensorboard *t, const char *band)
{
    if (has_band(t, band) || t->bands == ROWS_MAX)
        return;
    if (!t->band && !(t->band = calloc(ROWS_MAX, sizeof *t->band)))
        return;
    snprintf(t->band[t->bands++], TAG_MAX, "%s", band);
    t->charts_new = true;
}

/* The bands of one phase come together, in a category of their own. */
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

/* New bands were appended, so this moves them into their category. Within a category the last band
 * comes first, because TensorBoard 2.21 shows charts of bands in reverse order. */
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

/* ---- the layout ------------------------------------------------------------------------------ */

/* Where the time of a step goes: its parts, without the step itself, and without the batch if its
 * parts are known. */
static const char *const *parts(enum sw_mode mode)
{
    static const char *const simple[] = {GROUP_TIME "/(?!(step|batch)$).*", NULL};
    static const char *const throughput[] = {GROUP_TIME "/(?!step$).*", NULL};
    return mode == SW_MODE_SIMPLE ? simple : throughput;
}

/* Adds the charts of lines that have a value. Returns how many. */
static size_t lines_make(const struct tensorboard *t, struct sw_tb_chart *to)
{
    /* Leaves out draw, whose rate is so much higher that the others would look like straight lines.
     */
    static const char *const rates[] = {GROUP_RATE "/(step|batch)$", NULL};
    static const char *const all_rates[] = {GROUP_RATE "/.*", NULL};
    static const char *const epochs[] = {GROUP_EPOCH "/.*", NULL};
    static const char *const step_title = "Steps while training";
    const struct sw_tb_chart chart[CHARTS] = {
        [CHART_RATE] = {.title = "Throughput (samples/s)", .lines = rates},
        [CHART_PARTS] = {.title = "Where a step's time goes (ms)",
                         .lines = parts(t->sink->run->mode)},
        [CHART_RATES] = {.title = "Throughput of every action (samples/s)", .lines = all_rates},
        [CHART_EPOCHS] = {.title = "Epochs, train and valid (ms)", .lines = epochs}};
    size_t count = 0;
    for (int i = 0; i < CHARTS; i++)
        if (t->has_chart[i]) {
            to[count] = chart[i];
            to[count++].category = step_title;
        }
    return count;
}

static void bands_make(const struct tensorboard *t, struct sw_tb_chart *to, struct texts *texts,
                       const char **band)
{
    for (size_t i = 0; i < t->bands; i++)
        band[i] = t->band[i];
    qsort(band, t->bands, sizeof *band, by_category);
    for (size_t i = 0; i < t->bands; i++)
        band_chart(&to[i], &texts[i], band[i]);
}

static void write_layout(struct tensorboard *t, int64_t step, double wall_s)
{
    struct sw_tb_chart *chart = calloc(CHARTS + t->bands, sizeof *chart);
    struct texts *texts = calloc(t->bands + 1, sizeof *texts);
    const char **band = calloc(t->bands + 1, sizeof *band);
    if (chart && texts && band) {
        size_t lines = lines_make(t, chart);
        bands_make(t, chart + lines, texts, band);
        sw_tb_layout(event_stream_tb(t, &t->stream[ROOT], wall_s), step, chart, lines + t->bands);
    }
    free(chart);
    free(texts);
    free(band);
    t->charts_new = false;
}

void charts_update(struct tensorboard *t, int64_t step, double wall_s)
{
    if (t->layout && t->charts_new)
        write_layout(t, step, wall_s);
}

void charts_fini(struct tensorboard *t)
{
    free(t->band);
}
