/* SPDX-License-Identifier: MIT */
/* hparams.c - hyper-parameters and how a run ended: the content of the plugin hparams. */
#include "sinks/tensorboard/writer/append.h"
#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/value.h"

#include <math.h>

static SwiTb__Any *any_new(struct swi_tb_arena *arena)
{
    SwiTb__Any *any = swi_tb_arena_new(arena, 1, sizeof *any);
    if (any)
        swi_tb__any__init(any);
    return any;
}

static SwiTb__Any *any_text(struct swi_tb_arena *arena, const char *text)
{
    SwiTb__Any *any = any_new(arena);
    if (!any)
        return NULL;
    any->kind_case = SWI_TB__ANY__KIND_TEXT;
    any->text = swi_tb_arena_text(arena, text);
    return any;
}

static SwiTb__Any *any_truth(struct swi_tb_arena *arena, bool truth)
{
    SwiTb__Any *any = any_new(arena);
    if (!any)
        return NULL;
    any->kind_case = SWI_TB__ANY__KIND_TRUTH;
    any->truth = truth;
    return any;
}

static SwiTb__Any *any_number(struct swi_tb_arena *arena, double number)
{
    /* The page gets these numbers as JSON, which cannot express them. */
    if (!isfinite(number))
        return any_text(arena, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
    SwiTb__Any *any = any_new(arena);
    if (!any)
        return NULL;
    any->kind_case = SWI_TB__ANY__KIND_NUMBER;
    any->number = number;
    return any;
}

static SwiTb__Any *any_of(struct swi_tb_arena *arena, const struct sw_tb_hparam *hparam)
{
    if (hparam->type == SW_TB_STRING)
        return any_text(arena, hparam->text);
    if (hparam->type == SW_TB_BOOL)
        return any_truth(arena, hparam->number != 0);
    return any_number(arena, hparam->number);
}

static ProtobufCBinaryData encode(struct swi_tb_arena *arena, const SwiTb__HParams *hparams)
{
    ProtobufCBinaryData bytes = {0};
    if (arena->failed)
        return bytes;
    bytes.len = swi_tb__hparams__get_packed_size(hparams);
    bytes.data = swi_tb_arena_new(arena, bytes.len, 1);
    if (bytes.data)
        swi_tb__hparams__pack(hparams, bytes.data);
    return bytes;
}

/* Writes the message as the metadata of a tag, where the page looks for it, and frees the arena. */
static int write_metadata(struct sw_tb *tb, const char *name, struct swi_tb_arena *arena,
                          const SwiTb__HParams *hparams)
{
    struct swi_tb_tag *tag = swi_tb_tag(tb, name, SWI_TB_HPARAMS);
    ProtobufCBinaryData content = encode(arena, hparams);
    SwiTb__Tensor *none = swi_tb_tensor_none(arena);
    int rc = tag ? swi_tb_value_write(tb, tag, 0, arena, none, content) : tb->refused;
    swi_tb_arena_fini(arena);
    return rc;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static SwiTb__Entry **entries(struct swi_tb_arena *arena, const struct sw_tb_hparam *hparam,
                              size_t count)
{
    SwiTb__Entry *entry = swi_tb_arena_new(arena, count, sizeof *entry);
    SwiTb__Entry **list = swi_tb_arena_new(arena, count, sizeof *list);
    if (arena->failed)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        swi_tb__entry__init(&entry[i]);
        entry[i].key = swi_tb_arena_text(arena, hparam[i].name);
        entry[i].value = any_of(arena, &hparam[i]);
        list[i] = &entry[i];
    }
    return list;
}

int sw_tb_hparams(struct sw_tb *tb, const struct sw_tb_hparam *hparam, size_t count,
                  const char *group)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_arena arena = {0};
    SwiTb__Start start = SWI_TB__START__INIT;
    SwiTb__HParams hparams = SWI_TB__HPARAMS__INIT;
    start.n_hparam = count;
    start.hparam = entries(&arena, hparam, count);
    start.group = swi_tb_arena_text(&arena, group);
    start.started = swi_tb_now(tb);
    hparams.what_case = SWI_TB__HPARAMS__WHAT_START;
    hparams.start = &start;
    return write_metadata(tb, "_hparams_/session_start_info", &arena, &hparams);
}

int sw_tb_hparams_end(struct sw_tb *tb, enum sw_tb_status status)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_arena arena = {0};
    SwiTb__End end = SWI_TB__END__INIT;
    SwiTb__HParams hparams = SWI_TB__HPARAMS__INIT;
    end.status = (int)status;
    end.ended = swi_tb_now(tb);
    hparams.what_case = SWI_TB__HPARAMS__WHAT_END;
    hparams.end = &end;
    return write_metadata(tb, "_hparams_/session_end_info", &arena, &hparams);
}

/* ---- the experiment -------------------------------------------------------------------------- */

static SwiTb__List *list_new(struct swi_tb_arena *arena, size_t count)
{
    SwiTb__List *list = swi_tb_arena_new(arena, 1, sizeof *list);
    SwiTb__Any **value = swi_tb_arena_new(arena, count, sizeof *value);
    if (arena->failed)
        return NULL;
    swi_tb__list__init(list);
    list->n_value = count;
    list->value = value;
    return list;
}

static SwiTb__List *texts(struct swi_tb_arena *arena, const char *const *text)
{
    size_t count = 0;
    while (text[count])
        count++;
    SwiTb__List *list = list_new(arena, count);
    for (size_t i = 0; list && i < count; i++)
        list->value[i] = any_text(arena, text[i]);
    return list;
}

static SwiTb__List *truths(struct swi_tb_arena *arena)
{
    SwiTb__List *list = list_new(arena, 2);
    for (size_t i = 0; list && i < 2; i++)
        list->value[i] = any_truth(arena, i == 1);
    return list;
}

static SwiTb__Interval *interval(struct swi_tb_arena *arena, double min, double max)
{
    SwiTb__Interval *range = swi_tb_arena_new(arena, 1, sizeof *range);
    if (!range)
        return NULL;
    swi_tb__interval__init(range);
    range->min = min;
    range->max = max;
    return range;
}

static void set_domain(struct swi_tb_arena *arena, SwiTb__HParamInfo *info,
                       const struct sw_tb_column *column)
{
    if (column->type == SW_TB_BOOL || (column->type == SW_TB_STRING && column->choices)) {
        info->domain_case = SWI_TB__HPARAM_INFO__DOMAIN_DISCRETE;
        info->discrete = column->type == SW_TB_BOOL ? truths(arena) : texts(arena, column->choices);
    } else if (column->type == SW_TB_NUMBER && column->min < column->max) {
        info->domain_case = SWI_TB__HPARAM_INFO__DOMAIN_INTERVAL;
        info->interval = interval(arena, column->min, column->max);
    }
}

static SwiTb__HParamInfo **columns(struct swi_tb_arena *arena, const struct sw_tb_column *column,
                                   size_t count)
{
    SwiTb__HParamInfo *info = swi_tb_arena_new(arena, count, sizeof *info);
    SwiTb__HParamInfo **list = swi_tb_arena_new(arena, count, sizeof *list);
    if (arena->failed)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        swi_tb__hparam_info__init(&info[i]);
        info[i].name = swi_tb_arena_text(arena, column[i].name);
        info[i].title = swi_tb_arena_text(arena, column[i].title);
        info[i].description = swi_tb_arena_text(arena, column[i].description);
        info[i].type = (int)column[i].type;
        set_domain(arena, &info[i], &column[i]);
        list[i] = &info[i];
    }
    return list;
}

static SwiTb__MetricInfo **metrics(struct swi_tb_arena *arena, const struct sw_tb_metric *metric,
                                   size_t count)
{
    SwiTb__MetricInfo *info = swi_tb_arena_new(arena, count, sizeof *info);
    SwiTb__MetricName *name = swi_tb_arena_new(arena, count, sizeof *name);
    SwiTb__MetricInfo **list = swi_tb_arena_new(arena, count, sizeof *list);
    if (arena->failed)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        swi_tb__metric_info__init(&info[i]);
        swi_tb__metric_name__init(&name[i]);
        name[i].group = swi_tb_arena_text(arena, metric[i].group);
        name[i].tag = swi_tb_arena_text(arena, metric[i].tag);
        info[i].name = &name[i];
        info[i].title = swi_tb_arena_text(arena, metric[i].title);
        info[i].description = swi_tb_arena_text(arena, metric[i].description);
        info[i].dataset = metric[i].dataset;
        list[i] = &info[i];
    }
    return list;
}

int sw_tb_experiment(struct sw_tb *tb, const struct sw_tb_experiment *experiment)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_arena arena = {0};
    SwiTb__Experiment e = SWI_TB__EXPERIMENT__INIT;
    SwiTb__HParams hparams = SWI_TB__HPARAMS__INIT;
    e.name = swi_tb_arena_text(&arena, experiment->name);
    e.description = swi_tb_arena_text(&arena, experiment->description);
    e.user = swi_tb_arena_text(&arena, experiment->user);
    e.created = swi_tb_now(tb);
    e.n_hparam = experiment->columns;
    e.hparam = columns(&arena, experiment->column, experiment->columns);
    e.n_metric = experiment->metrics;
    e.metric = metrics(&arena, experiment->metric, experiment->metrics);
    hparams.what_case = SWI_TB__HPARAMS__WHAT_EXPERIMENT;
    hparams.experiment = &e;
    return write_metadata(tb, "_hparams_/experiment", &arena, &hparams);
}
