/* SPDX-License-Identifier: MIT */
/* model_summary.c - the summary of a run: the last values of its rows, and what was set. */
#include "sinks/wandb/upload/content/model.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/write_json.h"

static void summary_flat(struct swi_model *model, const char *name,
                         const struct swi_item_message *item)
{
    struct swi_text *json = swi_fields_set(&model->summary, name);
    if (json)
        swi_wandb_item_json(json, item);
    model->failed |= !json;
    json_object_del(model->nested, name);
}

/* Moves members that were set together to where each can be changed. */
static void unfold(struct swi_model *model, const char *name)
{
    const struct swi_text *whole =
        json_object_get(model->nested, name) ? NULL : swi_fields_get(&model->summary, name);
    if (whole)
        json_object_set_new(model->nested, name, swi_json_read_tokens(whole->data, whole->size));
}

static void summary_nested(struct swi_model *model, const struct swi_item_message *item)
{
    unfold(model, item->nested_key[0]);
    json_t *value = swi_item_value(item);
    if (value)
        swi_nested_set(model->nested, item, value);
    json_decref(value);
}

static void number_set(struct swi_model *model, const char *name, double value)
{
    struct swi_text *json = swi_fields_set(&model->summary, name);
    model->failed |= !json;
    if (json)
        swi_number_exact(json, value);
}

/* Sets "_runtime", or the seconds in "_wandb", and adds those of earlier processes. */
static void runtime_set(struct swi_model *model, const char *name,
                        const struct swi_item_message *item)
{
    json_t *value = swi_item_value(item);
    json_t *seconds = json_is_object(value) ? json_object_get(value, "runtime") : value;
    double total = json_number_value(seconds) + model->runtime_s;
    if (seconds == value) {
        number_set(model, name, total);
    } else {
        struct swi_text *json = swi_fields_set(&model->summary, name);
        json_object_set_new(value, "runtime", json_integer((json_int_t)total));
        if (json)
            swi_write_json(json, value);
    }
    json_decref(value);
}

/* _step is the number of the row at the service, which is not in the records. */
static bool is_counted(struct swi_model *model, const struct swi_item_message *item)
{
    const char *name = swi_wandb_item_name(item);
    if (model->own && strcmp(name, "_step") == 0)
        return true;
    bool runtime = strcmp(name, "_runtime") == 0 || strcmp(name, "_wandb") == 0;
    if (runtime && item->n_nested_key <= 1 && model->runtime_s > 0)
        runtime_set(model, name, item);
    return runtime && item->n_nested_key <= 1 && model->runtime_s > 0;
}

static void summary_remove(struct swi_model *model, const struct swi_item_message *item)
{
    const char *name = swi_wandb_item_name(item);
    if (item->n_nested_key > 1) {
        unfold(model, name);
        swi_nested_remove(model->nested, item);
        return;
    }
    swi_fields_remove(&model->summary, name);
    json_object_del(model->nested, name);
}

void swi_model_take_summary(struct swi_model *model, const struct swi_items_message *items)
{
    for (size_t i = 0; items && i < items->n_update; i++) {
        const struct swi_item_message *item = items->update[i];
        if (is_counted(model, item))
            continue;
        if (item->n_nested_key > 1)
            summary_nested(model, item);
        else
            summary_flat(model, swi_wandb_item_name(item), item);
    }
    for (size_t i = 0; items && i < items->n_remove; i++)
        summary_remove(model, items->remove[i]);
}

/* What rules make of a metric is in records of the summary. Other writers have their own rules for
 * all metrics, and write the result before each row: only the step is the service's. */
void swi_model_row(struct swi_model *model, const struct swi_history_message *history, int64_t step)
{
    struct swi_text *json;
    for (size_t i = 0; model->own && i < history->n_item; i++) {
        const struct swi_item_message *item = history->item[i];
        if (item->n_nested_key <= 1 && !is_counted(model, item) &&
            !(model->ruled && swi_model_is_ruled(model, swi_wandb_item_name(item))))
            summary_flat(model, swi_wandb_item_name(item), item);
    }
    json = swi_fields_set(&model->summary, "_step");
    model->failed |= !json;
    if (json)
        swi_text_integer(json, step);
}

static void member_put(struct swi_text *json, const char **before, const char *key)
{
    swi_text_put(json, *before);
    swi_escape_json(json, key);
    swi_text_put(json, ":");
    *before = ",";
}

/* Returns whether the later process's value is used. For counters of progress, the larger value is
 * used. */
static bool is_later(const struct swi_model *model, const char *key, const struct swi_text *own)
{
    const json_t *later = json_object_get(model->later_summary, key);
    bool counts =
        strcmp(key, "_step") == 0 || strcmp(key, "_timestamp") == 0 || strcmp(key, "_runtime") == 0;
    if (!later || !counts || !json_is_number(later) || !own)
        return later != NULL;
    json_t *value = swi_json_read(own->data, own->size);
    bool more = json_is_number(value) && json_number_value(value) > json_number_value(later);
    json_decref(value);
    return !more;
}

/* The service returns NaN and infinities as strings, but expects them as bare words. */
static void value_put(struct swi_text *json, const json_t *value)
{
    const char *text = swi_json_text(value);
    if (strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0)
        swi_text_put(json, text);
    else
        swi_write_json(json, value);
}

static void later_put(struct swi_text *json, const char **before, const struct swi_model *model)
{
    const char *key;
    json_t *value;
    json_object_foreach(model->later_summary, key, value)
    {
        if (!is_later(model, key, swi_fields_get(&model->summary, key)))
            continue;
        member_put(json, before, key);
        value_put(json, value);
    }
}

void swi_model_summary(const struct swi_model *model, struct swi_text *json)
{
    const char *before = "{", *key;
    json_t *value;
    for (size_t i = 0; i < model->summary.count; i++) {
        const struct swi_field *item = &model->summary.item[i];
        /* Only rows contain null. */
        if (!item->json.size || strcmp(item->json.data, "null") == 0 ||
            json_object_get(model->nested, item->key) || is_later(model, item->key, &item->json))
            continue;
        member_put(json, &before, item->key);
        swi_text_add(json, item->json.data, item->json.size);
    }
    json_object_foreach(model->nested, key, value) if (!is_later(model, key, NULL))
    {
        member_put(json, &before, key);
        swi_write_json(json, value);
    }
    later_put(json, &before, model);
    swi_text_put(json, *before == '{' ? "{}" : "}");
}

void swi_model_resume_summary(struct swi_model *model, json_t *before)
{
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value)
    {
        struct swi_text *json =
            swi_fields_has(&model->summary, key) || json_object_get(model->nested, key)
                ? NULL
                : swi_fields_set(&model->summary, key);
        if (json)
            swi_write_json(json, value);
    }
}
