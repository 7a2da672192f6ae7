/* SPDX-License-Identifier: MIT */
/* hparams.c - the content of the plugins hparams (hyper-parameters, and how a run ended) and
 * custom_scalars (a layout of charts). */
#include "sinks/tensorboard/writer/writer.h"

#include <math.h>
#include <string.h>

/* The parts of the message HParams. */
enum { EXPERIMENT = 2, START = 3, END = 4 };

static void text_put(struct swi_tb_message *to, unsigned field, const char *text)
{
    struct swi_tb_message any = {0};
    swi_tb_put_text(&any, 3, text);
    swi_tb_put_message(to, field, &any);
}

static void truth_put(struct swi_tb_message *to, unsigned field, bool truth)
{
    struct swi_tb_message any = {0};
    swi_wire_add_number(&any.bytes, 4, truth);
    swi_tb_put_message(to, field, &any);
}

static void number_put(struct swi_tb_message *to, unsigned field, double number)
{
    struct swi_tb_message any = {0};
    /* The page gets these numbers as JSON, which cannot express them. */
    if (!isfinite(number)) {
        text_put(to, field, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
        return;
    }
    swi_wire_add_double(&any.bytes, 2, number);
    swi_tb_put_message(to, field, &any);
}

/* Writes a part of the message as the metadata of a tag, where the page looks for it, and frees it.
 */
static int metadata_write(struct sw_tb *tb, const char *name, unsigned part,
                          struct swi_tb_message *message)
{
    static const struct swi_tb_tensor none = {.type = SWI_TB_FLOAT, .rank = 1};
    struct swi_tb_tag *tag = swi_tb_tag(tb, name, SWI_TB_HPARAMS);
    struct swi_tb_message content = {0};
    swi_tb_put_message(&content, part, message);
    if (tag)
        return swi_tb_value_write(tb, tag, 0, &none, &content);
    swi_text_free(&content.bytes);
    return tb->refused;
}

/* ---- a run ----------------------------------------------------------------------------------- */

int sw_tb_hparams(struct sw_tb *tb, const struct sw_tb_hparam *hparam, size_t count,
                  const char *group)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_message start = {0};
    for (size_t i = 0; i < count; i++) {
        struct swi_tb_message entry = {0};
        swi_tb_put_name(&entry, 1, hparam[i].name);
        if (hparam[i].type == SW_TB_STRING)
            text_put(&entry, 2, hparam[i].text);
        else if (hparam[i].type == SW_TB_BOOL)
            truth_put(&entry, 2, hparam[i].number != 0);
        else
            number_put(&entry, 2, hparam[i].number);
        swi_tb_put_message(&start, 1, &entry);
    }
    swi_tb_put_name(&start, 4, group);
    swi_tb_put_double(&start, 5, swi_tb_now(tb));
    return metadata_write(tb, "_hparams_/session_start_info", START, &start);
}

int sw_tb_hparams_end(struct sw_tb *tb, enum sw_tb_status status)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_message end = {0};
    swi_tb_put_number(&end, 1, status);
    swi_tb_put_double(&end, 2, swi_tb_now(tb));
    return metadata_write(tb, "_hparams_/session_end_info", END, &end);
}

/* ---- the experiment -------------------------------------------------------------------------- */

static void domain_put(struct swi_tb_message *info, const struct sw_tb_column *column)
{
    struct swi_tb_message domain = {0};
    if (column->type == SW_TB_BOOL) {
        truth_put(&domain, 1, false);
        truth_put(&domain, 1, true);
        swi_tb_put_message(info, 5, &domain);
    } else if (column->type == SW_TB_STRING && column->choices) {
        for (const char *const *choice = column->choices; *choice; choice++)
            text_put(&domain, 1, *choice);
        swi_tb_put_message(info, 5, &domain);
    } else if (column->type == SW_TB_NUMBER && column->min < column->max) {
        swi_tb_put_double(&domain, 1, column->min);
        swi_tb_put_double(&domain, 2, column->max);
        swi_tb_put_message(info, 6, &domain);
    }
}

static void column_put(struct swi_tb_message *experiment, const struct sw_tb_column *column)
{
    struct swi_tb_message info = {0};
    swi_tb_put_name(&info, 1, column->name);
    swi_tb_put_name(&info, 2, column->title);
    swi_tb_put_name(&info, 3, column->description);
    swi_tb_put_number(&info, 4, column->type);
    domain_put(&info, column);
    swi_tb_put_message(experiment, 4, &info);
}

static void metric_put(struct swi_tb_message *experiment, const struct sw_tb_metric *metric)
{
    struct swi_tb_message info = {0}, name = {0};
    swi_tb_put_name(&name, 1, metric->group);
    swi_tb_put_name(&name, 2, metric->tag);
    swi_tb_put_message(&info, 1, &name);
    swi_tb_put_name(&info, 3, metric->title);
    swi_tb_put_name(&info, 4, metric->description);
    swi_tb_put_number(&info, 5, metric->dataset);
    swi_tb_put_message(experiment, 5, &info);
}

int sw_tb_experiment(struct sw_tb *tb, const struct sw_tb_experiment *experiment)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_message e = {0};
    swi_tb_put_name(&e, 1, experiment->description);
    swi_tb_put_name(&e, 2, experiment->user);
    swi_tb_put_double(&e, 3, swi_tb_now(tb));
    for (size_t i = 0; i < experiment->columns; i++)
        column_put(&e, &experiment->column[i]);
    for (size_t i = 0; i < experiment->metrics; i++)
        metric_put(&e, &experiment->metric[i]);
    swi_tb_put_name(&e, 6, experiment->name);
    return metadata_write(tb, "_hparams_/experiment", EXPERIMENT, &e);
}

/* ---- the layout of Custom Scalars ------------------------------------------------------------ */

static void lines_put(struct swi_tb_message *chart, const char *const *line)
{
    struct swi_tb_message lines = {0};
    for (; line && *line; line++)
        swi_tb_put_text(&lines, 1, *line);
    swi_tb_put_message(chart, 2, &lines);
}

static void band_put(struct swi_tb_message *chart, const char *const *tag)
{
    struct swi_tb_message band = {0};
    for (; tag[0] && tag[1] && tag[2]; tag += 3) {
        struct swi_tb_message series = {0};
        for (unsigned i = 0; i < 3; i++)
            swi_tb_put_name(&series, i + 1, tag[i]);
        swi_tb_put_message(&band, 1, &series);
    }
    swi_tb_put_message(chart, 3, &band);
}

static void chart_put(struct swi_tb_message *category, const struct sw_tb_chart *chart)
{
    struct swi_tb_message made = {0};
    swi_tb_put_name(&made, 1, chart->title);
    if (chart->band)
        band_put(&made, chart->band);
    else
        lines_put(&made, chart->lines);
    swi_tb_put_message(category, 2, &made);
}

static bool same_category(const struct sw_tb_chart *a, const struct sw_tb_chart *b)
{
    return strcmp(a->category ? a->category : "", b->category ? b->category : "") == 0;
}

/* Returns how many charts from here on have the category of the first one. */
static size_t category_length(const struct sw_tb_chart *chart, size_t count)
{
    size_t n = 1;
    while (n < count && same_category(chart, &chart[n]))
        n++;
    return n;
}

static void category_put(struct swi_tb_message *layout, const struct sw_tb_chart *chart,
                         size_t count)
{
    struct swi_tb_message category = {0};
    swi_tb_put_name(&category, 1, chart->category);
    for (size_t i = 0; i < count; i++)
        chart_put(&category, &chart[i]);
    swi_tb_put_number(&category, 3, chart->closed);
    swi_tb_put_message(layout, 2, &category);
}

int sw_tb_layout(struct sw_tb *tb, int64_t step, const struct sw_tb_chart *chart, size_t count)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *tag = swi_tb_tag(tb, "custom_scalars__config__", SWI_TB_LAYOUT);
    if (!tag)
        return tb->refused;
    struct swi_tb_message layout = {0};
    for (size_t i = 0, n; i < count; i += n) {
        n = category_length(&chart[i], count - i);
        category_put(&layout, &chart[i], n);
    }
    struct sw_tb_blob bytes = {layout.bytes.data, layout.bytes.size};
    struct swi_tb_tensor tensor = {.type = SWI_TB_BYTES,
                                   .count = 1,
                                   .bytes = &bytes,
                                   .failed = layout.bytes.failed,
                                   .repaired = layout.repaired};
    int rc = swi_tb_value_write(tb, tag, step, &tensor, NULL);
    swi_text_free(&layout.bytes);
    return rc;
}
