/* SPDX-License-Identifier: MIT */
/* hparams_page.c - the HParams page: the settings of the run, and how it ended. TensorBoard uses
 * only the first ones that a run writes. */

#include "sinks/tensorboard/tensorboard_sink.h"
#include "sinks/tensorboard/event_stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the program says of itself --------------------------------------------------------- */

static void hparam_set(struct hparam *hparam, const struct sw_hparam *config)
{
    free(hparam->text);
    hparam->text = NULL;
    hparam->type = SW_TB_NUMBER;
    if (config->type == SW_HPARAM_STRING) {
        hparam->type = SW_TB_STRING;
        hparam->text = strdup(config->string ? config->string : "");
    } else {
        hparam->number = config->type == SW_HPARAM_INT ? (double)config->integer : config->number;
    }
}

void hparams_page_config(struct tensorboard *t, const struct sw_hparam *config)
{
    if (t->session && !t->late)
        sw_sink_say(t->sink, SW_WARNING,
                    "the hyper-parameter %.64s was set after the first step: the HParams page does "
                    "not show it",
                    config->name);
    t->late |= t->session;
    struct hparam *hparam = t->session ? NULL
                                       : swi_map_item(&t->hparam_names, &t->hparam, sizeof *hparam,
                                                      config->name, strlen(config->name));
    if (hparam)
        hparam_set(hparam, config);
}

/* ---- the session ----------------------------------------------------------------------------- */

void hparams_page_begin(struct tensorboard *t, double wall_s)
{
    if (t->session || !t->hparams)
        return;
    t->session = true;
    struct sw_tb_hparam *list = calloc(t->hparam_names.count, sizeof *list);
    if (!list || t->hparam_names.count == 0) {
        free(list);
        return;
    }
    for (size_t i = 0; i < t->hparam_names.count; i++)
        list[i] = (struct sw_tb_hparam){t->hparam_names.name[i].text, t->hparam[i].type,
                                        t->hparam[i].number, t->hparam[i].text};
    sw_tb_hparams(event_stream_tb(t, &t->stream[ROOT], wall_s), list, t->hparam_names.count, NULL);
    free(list);
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
        free(t->hparam[i].text);
    free(t->hparam);
    swi_map_free(&t->hparam_names);
}
