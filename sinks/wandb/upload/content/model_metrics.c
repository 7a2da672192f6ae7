/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/model_metrics.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

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

/* Adds the numbers of the members that are set to a list in ascending order, terminated by 0. */
static void set_add(unsigned char *set, const bool *const *member, size_t count)
{
    bool has[16] = {false};
    size_t used = 0;
    for (size_t i = 0; set[i]; i++)
        has[set[i]] = true;
    for (size_t i = 1; i <= count; i++)
        if (has[i] || *member[i - 1])
            set[used++] = (unsigned char)i;
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
    forget(to, said);
    const struct swi_metric_options_message *o = said->options;
    const struct swi_metric_summary_message *s = said->summary;
    if (o)
        /* A pattern is always defined, so that is not sent. */
        set_add(to->options, (const bool *[]){&o->step_sync, &o->hidden, &o->defined},
                glob ? 2 : 3);
    if (s)
        set_add(to->summary,
                (const bool *[]){&s->min, &s->max, &s->mean, &s->best, &s->last, &s->none, &s->copy,
                                 &s->first},
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

json_t *swi_model_metrics_json(const struct swi_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < model->metrics.count; i++) {
        const struct swi_model_metric *m = &model->metric[i];
        json_t *entry = json_pack("{s:s, s:o, s:o}", m->glob ? "2" : "1", m->name, "6",
                                  numbers(m->options), "7", numbers(m->summary));
        ptrdiff_t step_metric = m->step_metric ? metric_find(model, m->step_metric, false) : -1;
        if (step_metric >= 0)
            json_object_set_new(entry, "5", json_integer(step_metric + 1));
        if (m->goal)
            json_object_set_new(entry, "8", json_integer(m->goal));
        json_array_append_new(list, entry);
    }
    return list;
}
