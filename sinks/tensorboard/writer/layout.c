/* SPDX-License-Identifier: MIT */
/* layout.c - charts of several tags: the content of the plugin custom_scalars. */
#include "sinks/tensorboard/writer/writer.h"
#include "sinks/tensorboard/writer/value.h"

#include <string.h>

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
