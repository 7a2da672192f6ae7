/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/model_config.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/model_metrics.h"
#include "sinks/wandb/upload/content/nested.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <string.h>

/* Returns whether this upload sets the key itself. */
static bool is_made(const char *key)
{
    static const char *const made[] = {"m", "t", "e", "cli_version", "python_version"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(key, made[i]) == 0)
            return true;
    return false;
}

/* Merges nested members, like other clients. */
static void kept_merge(json_t *to, const char *key, json_t *value)
{
    json_t *before = json_object_get(to, key);
    if (json_is_object(before) && json_is_object(value))
        json_object_update(before, value);
    else
        json_object_set(to, key, value);
}

/* Takes an item of the key _wandb: all of it, or a member by its path. */
static void kept_item(struct swi_model *model, const struct swi_item_message *item, json_t *value)
{
    const char *key;
    json_t *member, *to = model->kept;
    if (item->n_nested_key <= 1)
        json_object_foreach(value, key, member) if (!is_made(key)) kept_merge(to, key, member);
    if (item->n_nested_key <= 1 || is_made(item->nested_key[1]))
        return;
    for (size_t i = 1; i + 1 < item->n_nested_key; i++) {
        if (!json_is_object(json_object_get(to, item->nested_key[i])))
            json_object_set_new(to, item->nested_key[i], json_object());
        to = json_object_get(to, item->nested_key[i]);
    }
    kept_merge(to, item->nested_key[item->n_nested_key - 1], value);
}

static void config_item(struct swi_model *model, const struct swi_item_message *item)
{
    json_t *value = swi_item_value(item);
    if (value && strcmp(swi_wandb_item_name(item), "_wandb") == 0)
        kept_item(model, item, value);
    else if (value)
        json_object_set_new(model->config, swi_wandb_item_name(item),
                            json_pack("{s:O}", "value", value));
    json_decref(value);
}

void swi_model_take_config(struct swi_model *model, const struct swi_items_message *items)
{
    for (size_t i = 0; items && i < items->n_update; i++)
        config_item(model, items->update[i]);
    for (size_t i = 0; items && i < items->n_remove; i++)
        json_object_del(model->config, swi_wandb_item_name(items->remove[i]));
    model->changed = true;
}

/* Without t, the service treats the run as one that never began. */
static json_t *wandb_json(const struct swi_model *model)
{
    const char *writer = swi_json_text(json_object_get(model->environment, "writerId"));
    const char *client = *model->client ? model->client : "stepwatch";
    json_t *t = json_copy(model->telemetry), *value = json_copy(model->kept);
    json_object_set_new(t, "5", json_string(client));
    json_object_set_new(value, "t", t);
    json_object_set_new(value, "m", swi_model_metrics_json(model));
    if (*model->client)
        json_object_set_new(value, "cli_version", json_string(model->client));
    if (*model->python)
        json_object_set_new(value, "python_version", json_string(model->python));
    if (*writer)
        json_object_set_new(value, "e", json_pack("{s:O}", writer, model->environment));
    return json_pack("{s:o}", "value", value);
}

static json_t *config_json(const struct swi_model *model)
{
    json_t *whole = json_copy(model->config);
    json_object_set_new(whole, "_wandb", wandb_json(model));
    if (model->later_config)
        json_object_update(whole, model->later_config);
    return whole;
}

void swi_model_config(const struct swi_model *model, struct swi_text *json)
{
    json_t *whole = config_json(model);
    swi_write_json(json, whole);
    json_decref(whole);
}

void swi_model_yaml(const struct swi_model *model, struct swi_text *yaml)
{
    json_t *whole = config_json(model);
    swi_write_yaml(yaml, whole);
    json_decref(whole);
}

/* Keeps those parts of an earlier process's _wandb that the pages need to show its rows. */
static void kept_resume(struct swi_model *model, const json_t *before)
{
    static const char *const names[] = {"viz", "visualize", "mask/class_labels",
                                        "bounding_box/class_labels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *old = json_object_get(before, names[i]),
               *own = json_object_get(model->kept, names[i]);
        json_t *both = json_is_object(old) ? json_copy(old) : NULL;
        if (both && json_is_object(own))
            json_object_update(both, own);
        if (both)
            json_object_set(model->kept, names[i], both);
        json_decref(both);
    }
}

void swi_model_resume_config(struct swi_model *model, json_t *before)
{
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value) if (strcmp(key, "_wandb") != 0 &&
                                                !json_object_get(model->config, key))
        json_object_set(model->config, key, value);
    kept_resume(model, swi_json_at(before, "_wandb", "value"));
}
