/* SPDX-License-Identifier: MIT */
/* pages.c - what the pages Custom Scalars and HParams show. The layout of the first: all
 * throughputs, where the time of a step goes, how long epochs take, and a band of durations for
 * each action. It is written again when another chart gets its first values, because charts without
 * values are not shown. */
#include "sinks/tensorboard/tensorboard_sink.h"

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

/* ---- what the program says of itself --------------------------------------------------------- */

static void hparam_set(struct sw_tb_hparam *hparam, const char *name,
                       const struct sw_hparam *config)
{
    bool is_text = config->type == SW_HPARAM_STRING;
    free((char *)(uintptr_t)hparam->text);
    *hparam = (struct sw_tb_hparam){
        .name = name,
        .type = is_text ? SW_TB_STRING : SW_TB_NUMBER,
        .number = config->type == SW_HPARAM_INT ? (double)config->integer : config->number,
        .text = is_text ? strdup(config->string ? config->string : "") : NULL};
}

void hparams_page_config(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_hparam *config = record->hparam;
    if (t->session && !t->late)
        sw_sink_say(t->sink, SW_WARNING,
                    "the hyper-parameter %.64s was set after the first step: the HParams page does "
                    "not show it",
                    config->name);
    t->late |= t->session;
    struct sw_tb_hparam *hparam = t->session
                                      ? NULL
                                      : swi_map_item(&t->hparam_names, &t->hparam, sizeof *hparam,
                                                     config->name, strlen(config->name));
    if (hparam)
        hparam_set(hparam, t->hparam_names.name[hparam - t->hparam].text, config);
}

/* ---- the session ----------------------------------------------------------------------------- */

void hparams_page_begin(struct tensorboard *t, double wall_s)
{
    if (t->session || !t->hparams)
        return;
    t->session = true;
    if (t->hparam_names.count)
        sw_tb_hparams(event_stream_tb(t, &t->stream[ROOT], wall_s), t->hparam,
                      t->hparam_names.count, NULL);
}

static bool failed(const struct tensorboard *t, const struct sw_end *end)
{
    return end->exit_status != 0 || end->signal != 0 || (end->interrupted && t->unfinished);
}

void hparams_page_end(struct tensorboard *t, const struct sw_record *record)
{
    if (!t->hparams || t->hparam_names.count == 0)
        return;
    sw_tb_hparams_end(event_stream_tb(t, &t->stream[ROOT], record->wall_s),
                      failed(t, record->end) ? SW_TB_FAILURE : SW_TB_SUCCESS);
}

/* ---- the columns ----------------------------------------------------------------------------- */

void hparams_page_metric(struct tensorboard *t, const struct stream *stream, const char *tag)
{
    if (t->experiment || t->metrics == METRICS_MAX)
        return;
    for (size_t i = 0; i < t->metrics; i++)
        if (t->metric[i].group == stream->sub && strcmp(t->metric[i].tag, tag) == 0)
            return;
    t->metric[t->metrics].group = stream->sub;
    snprintf(t->metric[t->metrics++].tag, TAG_MAX, "%s", tag);
}

static size_t columns_fill(const struct tensorboard *t, struct sw_tb_column *column)
{
    for (size_t i = 0; i < t->hparam_names.count; i++)
        column[i] =
            (struct sw_tb_column){.name = t->hparam_names.name[i].text, .type = t->hparam[i].type};
    return t->hparam_names.count;
}

/* The rate of the whole fit; if that is not written, the last value of the rolling average. */
static struct sw_tb_metric rate_column(const struct tensorboard *t)
{
    static const char rolling[] = GROUP_RATE "/step",
                      in_root[] = GROUP_FIT "/train_step_throughput",
                      in_train[] = GROUP_FIT "/step_throughput";
    const char *whole = t->split_runs ? in_train : in_root;
    return (struct sw_tb_metric){.tag = t->figures == FIGURES_ALL ? whole : rolling,
                                 .group = t->split_runs ? "train" : "",
                                 .title = "samples/s"};
}

static size_t metrics_fill(const struct tensorboard *t, struct sw_tb_metric *metric)
{
    size_t n = 0;
    for (; n < t->metrics; n++)
        metric[n] = (struct sw_tb_metric){.tag = t->metric[n].tag, .group = t->metric[n].group};
    if (t->figures != FIGURES_METRICS)
        metric[n++] = rate_column(t);
    if (t->figures == FIGURES_ALL)
        metric[n++] = (struct sw_tb_metric){
            .tag = GROUP_FIT "/fit_duration_ms", .group = "", .title = "fit (ms)"};
    return n;
}

/* After the first epoch, when the program has logged each of its metrics. */
void hparams_page_experiment(struct tensorboard *t, double wall_s)
{
    if (t->experiment || !t->hparams || t->hparam_names.count == 0)
        return;
    t->experiment = true;
    struct sw_tb_column *column = calloc(t->hparam_names.count, sizeof *column);
    struct sw_tb_metric metric[METRICS_MAX + 2];
    if (!column)
        return;
    struct sw_tb_experiment experiment = {.column = column,
                                          .columns = columns_fill(t, column),
                                          .metric = metric,
                                          .metrics = metrics_fill(t, metric)};
    sw_tb_experiment(event_stream_tb(t, &t->stream[ROOT], wall_s), &experiment);
    free(column);
}

void hparams_page_fini(struct tensorboard *t)
{
    for (size_t i = 0; i < t->hparam_names.count; i++)
        free((char *)(uintptr_t)t->hparam[i].text);
    free(t->hparam);
    swi_map_free(&t->hparam_names);
}
