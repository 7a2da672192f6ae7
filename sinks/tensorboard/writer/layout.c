/* SPDX-License-Identifier: MIT */
/* layout.c - charts of several tags: the content of the plugin custom_scalars. */
#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/value.h"

#include <string.h>

static size_t list_length(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

static SwiTb__Multiline *multiline(struct swi_tb_arena *arena, const char *const *lines)
{
    size_t count = list_length(lines);
    SwiTb__Multiline *m = swi_tb_arena_new(arena, 1, sizeof *m);
    char **tag = swi_tb_arena_new(arena, count, sizeof *tag);
    if (arena->failed)
        return NULL;
    swi_tb__multiline__init(m);
    for (size_t i = 0; i < count; i++)
        tag[i] = swi_tb_arena_text(arena, lines[i]);
    m->n_tag = count;
    m->tag = tag;
    return m;
}

static SwiTb__Margin *margin(struct swi_tb_arena *arena, const char *const *band)
{
    size_t count = list_length(band) / 3;
    SwiTb__Margin *m = swi_tb_arena_new(arena, 1, sizeof *m);
    SwiTb__Series *series = swi_tb_arena_new(arena, count, sizeof *series);
    SwiTb__Series **list = swi_tb_arena_new(arena, count, sizeof *list);
    if (arena->failed)
        return NULL;
    swi_tb__margin__init(m);
    for (size_t i = 0; i < count; i++) {
        swi_tb__series__init(&series[i]);
        series[i].value = swi_tb_arena_text(arena, band[3 * i]);
        series[i].lower = swi_tb_arena_text(arena, band[3 * i + 1]);
        series[i].upper = swi_tb_arena_text(arena, band[3 * i + 2]);
        list[i] = &series[i];
    }
    m->n_series = count;
    m->series = list;
    return m;
}

static SwiTb__Chart *chart_new(struct swi_tb_arena *arena, const struct sw_tb_chart *chart)
{
    SwiTb__Chart *c = swi_tb_arena_new(arena, 1, sizeof *c);
    if (!c)
        return NULL;
    swi_tb__chart__init(c);
    c->title = swi_tb_arena_text(arena, chart->title);
    if (chart->band) {
        c->content_case = SWI_TB__CHART__CONTENT_MARGIN;
        c->margin = margin(arena, chart->band);
    } else {
        c->content_case = SWI_TB__CHART__CONTENT_MULTILINE;
        c->multiline = multiline(arena, chart->lines);
    }
    return c;
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

static SwiTb__Category *category_new(struct swi_tb_arena *arena, const struct sw_tb_chart *chart,
                                     size_t count)
{
    SwiTb__Category *category = swi_tb_arena_new(arena, 1, sizeof *category);
    SwiTb__Chart **list = swi_tb_arena_new(arena, count, sizeof *list);
    if (arena->failed)
        return NULL;
    swi_tb__category__init(category);
    category->title = swi_tb_arena_text(arena, chart->category);
    category->closed = chart->closed;
    for (size_t i = 0; i < count; i++)
        list[i] = chart_new(arena, &chart[i]);
    category->n_chart = count;
    category->chart = list;
    return category;
}

/* The layout, encoded. */
static ProtobufCBinaryData layout_bytes(struct swi_tb_arena *arena, const struct sw_tb_chart *chart,
                                        size_t count)
{
    SwiTb__Layout layout = SWI_TB__LAYOUT__INIT;
    layout.category = swi_tb_arena_new(arena, count, sizeof *layout.category);
    for (size_t i = 0, n; i < count && !arena->failed; i += n) {
        n = category_length(&chart[i], count - i);
        layout.category[layout.n_category++] = category_new(arena, &chart[i], n);
    }
    ProtobufCBinaryData bytes = {0};
    if (arena->failed)
        return bytes;
    bytes.len = swi_tb__layout__get_packed_size(&layout);
    bytes.data = swi_tb_arena_new(arena, bytes.len, 1);
    if (bytes.data)
        swi_tb__layout__pack(&layout, bytes.data);
    return bytes;
}

int sw_tb_layout(struct sw_tb *tb, int64_t step, const struct sw_tb_chart *chart, size_t count)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *tag = swi_tb_tag(tb, "custom_scalars__config__", SWI_TB_LAYOUT);
    if (!tag)
        return tb->refused;
    struct swi_tb_arena arena = {0};
    SwiTb__Tensor *tensor = swi_tb_tensor_bytes(&arena, layout_bytes(&arena, chart, count));
    int rc = swi_tb_value_write(tb, tag, step, &arena, tensor, (ProtobufCBinaryData){0});
    swi_tb_arena_fini(&arena);
    return rc;
}
