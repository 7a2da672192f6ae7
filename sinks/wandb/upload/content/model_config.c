/* SPDX-License-Identifier: MIT */
/* model_config.c - the config of a run: what the program set, and what the service wants to know.
 */
#include "sinks/wandb/upload/content/model.h"
#include "core/text/vec.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/write_json.h"

/* ---- definitions of metrics ------------------------------------------------------------------ */

/* Returns the number of a metric, or -1. */
static ptrdiff_t metric_find(const struct swi_model *model, const char *name, bool glob)
{
    struct swi_text key = {0};
    swi_text_put(&key, glob ? "2" : "1");
    swi_text_put(&key, name);
    ptrdiff_t number = key.failed ? -1 : swi_map_find(&model->metrics, key.data, key.size);
    swi_text_free(&key);
    return number;
}

static struct swi_model_metric *metric_named(struct swi_model *model, const char *name, bool glob)
{
    size_t before = model->metrics.count;
    struct swi_text key = {0};
    swi_text_put(&key, glob ? "2" : "1");
    swi_text_put(&key, name);
    bool fits = !key.failed && (!glob || swi_vec_grow(&model->pattern, model->pattern_count,
                                                      &model->pattern_room, sizeof(size_t)));
    struct swi_model_metric *metric =
        fits ? swi_map_item(&model->metrics, &model->metric, sizeof *metric, key.data, key.size)
             : NULL;
    swi_text_free(&key);
    if (!metric || model->metrics.count == before)
        return metric;
    *metric = (struct swi_model_metric){.name = model->metrics.name[before].text + 1, .glob = glob};
    if (glob)
        model->pattern[model->pattern_count++] = before;
    return metric;
}

/* A member of a message that may be set, and its number. */
struct member {
    unsigned char number;
    bool set;
};

/* Adds the numbers of the members that are set to a list in the order of the members, terminated by
 * 0. */
static void set_add(unsigned char *set, const struct member *member, size_t count)
{
    bool has[16] = {false};
    size_t used = 0;
    for (size_t i = 0; set[i]; i++)
        has[set[i]] = true;
    for (size_t i = 0; i < count; i++)
        if (has[member[i].number] || member[i].set)
            set[used++] = member[i].number;
    set[used] = 0;
}

/* A later definition adds to an earlier one, unless it overwrites it. */
static void forget(struct swi_model_metric *metric, const struct swi_metric_message *said)
{
    if (!said->control || !said->control->overwrite)
        return;
    metric->options[0] = metric->summary[0] = 0;
    free(metric->step_metric);
    metric->step_metric = NULL;
    metric->goal = 0;
}

/* The step metric needs an entry too, because others refer to its number. Adding one moves the
 * list. */
static void step_metric(struct swi_model *model, const char *name, bool glob, const char *said)
{
    if (!said || !*said)
        return;
    struct swi_model_metric *to = metric_named(model, name, glob);
    model->failed |= !to || !swi_model_set(&to->step_metric, said);
    model->failed |= !metric_named(model, said, false);
}

void swi_model_take_metric(struct swi_model *model, const struct swi_metric_message *said)
{
    bool glob = said->glob_name && *said->glob_name;
    const char *name = glob ? said->glob_name : said->name;
    /* A program that defines more has an error in a loop. */
    struct swi_model_metric *to =
        name && *name && model->metrics.count < 10000 ? metric_named(model, name, glob) : NULL;
    if (!to)
        return;
    to->defined = true;
    forget(to, said);
    const struct swi_metric_options_message *o = said->options;
    const struct swi_metric_summary_message *s = said->summary;
    if (o)
        /* In the order of the SDK. A pattern is always defined, so that is not sent. */
        set_add(
            to->options,
            (const struct member[]){{1, o->step_sync}, {3, o->defined && !glob}, {2, o->hidden}},
            3);
    if (s)
        set_add(to->summary,
                (const struct member[]){{1, s->min},
                                        {2, s->max},
                                        {3, s->mean},
                                        {4, s->best},
                                        {5, s->last},
                                        {6, s->none},
                                        {7, s->copy},
                                        {8, s->first}},
                8);
    to->goal = said->goal ? said->goal : to->goal;
    model->ruled |= to->summary[0] != 0;
    step_metric(model, name, glob, said->step_metric);
    model->changed = true;
}

static json_t *numbers(const unsigned char *set)
{
    json_t *list = json_array();
    for (; *set; set++)
        json_array_append_new(list, json_integer(*set));
    return list;
}

bool swi_model_is_ruled(const struct swi_model *model, const char *name)
{
    ptrdiff_t exact = metric_find(model, name, false);
    const struct swi_model_metric *found = NULL;
    size_t longest = 0;
    if (exact >= 0 && model->metric[exact].options[0])
        return model->metric[exact].summary[0];
    for (size_t i = 0; i < model->pattern_count; i++) {
        const struct swi_model_metric *metric = &model->metric[model->pattern[i]];
        size_t length = strlen(metric->name);
        if (length > longest && strncmp(metric->name, name, length - 1) == 0) {
            found = metric;
            longest = length;
        }
    }
    return found && found->summary[0];
}

/* Adds the entry of a metric, and behind it that of its step metric, if they are not there. */
static void entry_add(json_t *list, const struct swi_model *model, size_t at)
{
    struct swi_model_metric *m = &model->metric[at];
    if (m->entry)
        return;
    json_t *entry = json_pack("{s:s, s:o, s:o}", m->glob ? "2" : "1", m->name, "6",
                              numbers(m->options), "7", numbers(m->summary));
    json_array_append_new(list, entry);
    m->entry = json_array_size(list);
    ptrdiff_t step_metric = m->step_metric ? metric_find(model, m->step_metric, false) : -1;
    if (step_metric >= 0) {
        entry_add(list, model, (size_t)step_metric);
        json_object_set_new(entry, "5", json_integer((json_int_t)model->metric[step_metric].entry));
    }
    if (m->goal)
        json_object_set_new(entry, "8", json_integer(m->goal));
}

/* Returns a new list of all definitions, the member m of _wandb. Like the SDK, it has the patterns
 * last, and metrics that are only others' step metric behind the first of those. */
static json_t *model_metrics_json(const struct swi_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < model->metrics.count; i++)
        model->metric[i].entry = 0;
    for (size_t i = 0; i < model->metrics.count; i++)
        if (model->metric[i].defined && !model->metric[i].glob)
            entry_add(list, model, i);
    for (size_t i = 0; i < model->pattern_count; i++)
        entry_add(list, model, model->pattern[i]);
    return list;
}

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

/* Sets or, without a value, removes a member of a key by its path. The config wraps the value of
 * the key. */
static void config_nested(struct swi_model *model, const struct swi_item_message *item,
                          json_t *value)
{
    const char *name = item->nested_key[0];
    json_t *root = json_object();
    json_object_set(root, name, json_object_get(json_object_get(model->config, name), "value"));
    if (value)
        swi_nested_set(root, item, value);
    else
        swi_nested_remove(root, item);
    if (json_object_get(root, name))
        json_object_set_new(model->config, name,
                            json_pack("{s:O}", "value", json_object_get(root, name)));
    json_decref(root);
}

static void config_item(struct swi_model *model, const struct swi_item_message *item)
{
    json_t *value = swi_item_value(item);
    if (value && strcmp(swi_wandb_item_name(item), "_wandb") == 0)
        kept_item(model, item, value);
    else if (value && item->n_nested_key > 1)
        config_nested(model, item, value);
    else if (value)
        json_object_set_new(model->config, swi_wandb_item_name(item),
                            json_pack("{s:O}", "value", value));
    json_decref(value);
}

void swi_model_take_config(struct swi_model *model, const struct swi_items_message *items)
{
    for (size_t i = 0; items && i < items->n_update; i++)
        config_item(model, items->update[i]);
    for (size_t i = 0; items && i < items->n_remove; i++) {
        if (items->remove[i]->n_nested_key > 1)
            config_nested(model, items->remove[i], NULL);
        else
            json_object_del(model->config, swi_wandb_item_name(items->remove[i]));
    }
    model->changed = true;
}

/* Without t, the service treats the run as one that never began. */
static json_t *wandb_json(const struct swi_model *model)
{
    const char *writer = swi_json_text_at(model->environment, "writerId");
    const char *client = *model->client ? model->client : "stepwatch";
    json_t *t = json_copy(model->telemetry), *value = json_copy(model->kept);
    json_object_set_new(t, "5", json_string(client));
    json_object_set_new(value, "t", t);
    json_object_set_new(value, "m", model_metrics_json(model));
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
