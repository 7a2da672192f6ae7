/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/model.h"
#include "core/text/escape.h"
#include "core/text/number.h"
#include "sinks/wandb/upload/content/artifact_list.h"
#include "sinks/wandb/upload/content/machine_json.h"
#include "sinks/common/upload/json.h"
#include "sinks/wandb/upload/content/nested.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <stdlib.h>
#include <string.h>

bool swi_model_set(char **to, const char *text)
{
    char *copied = strdup(text ? text : "");
    if (!copied)
        return false;
    free(*to);
    *to = copied;
    return true;
}

/* The texts that the model owns. */
enum { TEXTS = 14 };

static void texts_of(struct swi_model *model, char **texts[TEXTS])
{
    char **const all[TEXTS] = {&model->id,     &model->entity,   &model->project, &model->group,
                               &model->name,   &model->job_type, &model->notes,   &model->host,
                               &model->sweep,  &model->program,  &model->repo,    &model->commit,
                               &model->client, &model->python};
    memcpy(texts, all, sizeof all);
}

bool swi_model_init(struct swi_model *model)
{
    *model = (struct swi_model){.tags = json_array(),
                                .config = json_object(),
                                .kept = json_object(),
                                .telemetry = json_object(),
                                .environment = json_object(),
                                .artifacts = json_array(),
                                .nested = json_object()};
    char **texts[TEXTS];
    texts_of(model, texts);
    for (size_t i = 0; i < TEXTS; i++)
        model->failed |= !swi_model_set(texts[i], NULL);
    return !model->failed && model->tags && model->config && model->kept && model->telemetry &&
           model->environment && model->artifacts;
}

void swi_model_fini(struct swi_model *model)
{
    char **texts[TEXTS];
    texts_of(model, texts);
    for (size_t i = 0; i < TEXTS; i++)
        free(*texts[i]);
    for (size_t i = 0; i < model->metric_count; i++) {
        free(model->metric[i].name);
        free(model->metric[i].step_metric);
    }
    for (size_t i = 0; i < model->file_count; i++)
        free(model->file[i].path);
    free(model->metric);
    free(model->file);
    json_decref(model->tags);
    json_decref(model->config);
    json_decref(model->kept);
    json_decref(model->telemetry);
    json_decref(model->environment);
    json_decref(model->artifacts);
    json_decref(model->nested);
    json_decref(model->later_config);
    json_decref(model->later_summary);
    swi_fields_free(&model->summary);
}

/* ---- config -------------------------------------------------------------------------------------
 */

static json_t *item_value(const SwiWandb__Item *item)
{
    struct swi_text text = {0};
    swi_wandb_item_json(&text, item);
    json_t *value = text.failed ? NULL : swi_json_read_tokens(text.data, text.size);
    swi_text_free(&text);
    return value;
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
static void kept_item(struct swi_model *model, const SwiWandb__Item *item, json_t *value)
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

static void config_item(struct swi_model *model, const SwiWandb__Item *item)
{
    json_t *value = item_value(item);
    if (value && strcmp(swi_wandb_item_name(item), "_wandb") == 0)
        kept_item(model, item, value);
    else if (value)
        json_object_set_new(model->config, swi_wandb_item_name(item),
                            json_pack("{s:O}", "value", value));
    json_decref(value);
}

static void config(struct swi_model *model, const SwiWandb__Items *items)
{
    for (size_t i = 0; items && i < items->n_update; i++)
        config_item(model, items->update[i]);
    for (size_t i = 0; items && i < items->n_remove; i++)
        json_object_del(model->config, swi_wandb_item_name(items->remove[i]));
    model->changed = true;
}

/* ---- summary ------------------------------------------------------------------------------------
 */

static void summary_flat(struct swi_model *model, const char *name, const SwiWandb__Item *item)
{
    struct swi_text *json = swi_fields_set(&model->summary, name);
    if (json)
        swi_wandb_item_json(json, item);
    model->failed |= !json;
    json_object_del(model->nested, name);
}

/* Keeps members that were set together before. */
static void summary_nested(struct swi_model *model, const SwiWandb__Item *item)
{
    const char *name = item->nested_key[0];
    const struct swi_text *whole =
        json_object_get(model->nested, name) ? NULL : swi_fields_get(&model->summary, name);
    if (whole)
        json_object_set_new(model->nested, name, swi_json_read_tokens(whole->data, whole->size));
    json_t *value = item_value(item);
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
static void runtime_set(struct swi_model *model, const char *name, const SwiWandb__Item *item)
{
    json_t *value = item_value(item);
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
static bool is_counted(struct swi_model *model, const SwiWandb__Item *item)
{
    const char *name = swi_wandb_item_name(item);
    if (model->own && strcmp(name, "_step") == 0)
        return true;
    bool runtime = strcmp(name, "_runtime") == 0 || strcmp(name, "_wandb") == 0;
    if (runtime && item->n_nested_key <= 1 && model->runtime_s > 0)
        runtime_set(model, name, item);
    return runtime && item->n_nested_key <= 1 && model->runtime_s > 0;
}

static void summary_remove(struct swi_model *model, const char *name)
{
    swi_fields_remove(&model->summary, name);
    json_object_del(model->nested, name);
}

static void summary(struct swi_model *model, const SwiWandb__Items *items)
{
    model->summary.next = 0;
    for (size_t i = 0; items && i < items->n_update; i++) {
        const SwiWandb__Item *item = items->update[i];
        if (is_counted(model, item))
            continue;
        if (item->n_nested_key > 1)
            summary_nested(model, item);
        else
            summary_flat(model, swi_wandb_item_name(item), item);
    }
    for (size_t i = 0; items && i < items->n_remove; i++)
        if (items->remove[i]->n_nested_key <= 1)
            summary_remove(model, swi_wandb_item_name(items->remove[i]));
}

/* Whether rules say what the summary has of a metric: that of its name, or the longest pattern. */
static bool is_ruled(const struct swi_model *model, const char *name)
{
    const struct swi_model_metric *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct swi_model_metric *metric = &model->metric[i];
        size_t length = strlen(metric->name);
        if (!metric->glob && metric->options[0] && strcmp(metric->name, name) == 0)
            return metric->summary[0];
        if (metric->glob && length > longest && strncmp(metric->name, name, length - 1) == 0) {
            found = metric;
            longest = length;
        }
    }
    return found && found->summary[0];
}

/* What rules make of a metric is in records of the summary. Other writers have their own rules for
 * all metrics, and write the result before each row. */
void swi_model_row(struct swi_model *model, const SwiWandb__History *history, int64_t step)
{
    struct swi_text *json;
    model->summary.next = 0;
    for (size_t i = 0; model->own && i < history->n_item; i++) {
        const SwiWandb__Item *item = history->item[i];
        if (item->n_nested_key <= 1 && !is_counted(model, item) &&
            !(model->ruled && is_ruled(model, swi_wandb_item_name(item))))
            summary_flat(model, swi_wandb_item_name(item), item);
    }
    if (!model->own && !swi_fields_has(&model->summary, "_step"))
        return;
    json = swi_fields_set(&model->summary, "_step");
    model->failed |= !json;
    if (json)
        swi_text_integer(json, step);
}

/* ---- the run ------------------------------------------------------------------------------------
 */

static void number_add(json_t *list, uint64_t number)
{
    size_t at = 0;
    for (; at < json_array_size(list); at++) {
        json_int_t other = json_integer_value(json_array_get(list, at));
        if (other == (json_int_t)number)
            return;
        if (other > (json_int_t)number)
            break;
    }
    json_array_insert_new(list, at, json_integer((json_int_t)number));
}

/* Reads a number: seven bits in each byte, the eighth bit is 0 in the last. Returns false at the
 * end. */
static bool varint(const ProtobufCBinaryData *bytes, size_t *at, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; *at < bytes->len && shift < 64; shift += 7) {
        uint8_t byte = bytes->data[(*at)++];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Takes the numbers of a message's members that are set, if all of them are bools. */
static void members_take(json_t *to, const char *name, const ProtobufCBinaryData *bytes)
{
    size_t at = 0;
    uint64_t tag, value;
    json_t *list = json_object_get(to, name);
    if (bytes->len && !list) {
        list = json_array();
        json_object_set_new(to, name, list);
    }
    while (varint(bytes, &at, &tag) && tag % 8 == 0 && varint(bytes, &at, &value))
        if (value && tag / 8 < 10000)
            number_add(list, tag / 8);
}

static void telemetry(struct swi_model *model, const SwiWandb__Telemetry *said)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"4", said->python_version}, {"12", said->core_version}, {"13", said->platform}};
    if (said->cli_version && *said->cli_version)
        model->failed |= !swi_model_set(&model->client, said->cli_version);
    if (said->python_version && *said->python_version)
        model->failed |= !swi_model_set(&model->python, said->python_version);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text && *texts[i].text)
            json_object_set_new(model->telemetry, texts[i].name, json_string(texts[i].text));
    members_take(model->telemetry, "1", &said->imports_init);
    members_take(model->telemetry, "2", &said->imports_finish);
    members_take(model->telemetry, "3", &said->feature);
    members_take(model->telemetry, "8", &said->env);
    members_take(model->telemetry, "10", &said->deprecated);
    model->changed = true;
}

static void run(struct swi_model *model, const SwiWandb__Run *run)
{
    const struct {
        char **to;
        const char *text;
    } texts[] = {{&model->id, run->run_id},
                 {&model->entity, run->entity},
                 {&model->project, run->project},
                 {&model->group, run->run_group},
                 {&model->job_type, run->job_type},
                 {&model->name, run->display_name},
                 {&model->notes, run->notes},
                 {&model->host, run->host},
                 {&model->sweep, run->sweep_id},
                 {&model->repo, run->git ? run->git->remote_url : ""},
                 {&model->commit, run->git ? run->git->commit : ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text && *texts[i].text)
            model->failed |= !swi_model_set(texts[i].to, texts[i].text);
    if (run->n_tags)
        json_array_clear(model->tags);
    for (size_t i = 0; i < run->n_tags; i++)
        json_array_append_new(model->tags, json_string(run->tags[i]));
    if (run->start_time)
        model->started_s = (double)run->start_time->seconds + run->start_time->nanos * 1e-9;
    if (run->telemetry)
        telemetry(model, run->telemetry);
    model->continued |= run->resumed || run->runtime > 0;
    config(model, run->config);
    summary(model, run->summary);
    model->known = *model->id != '\0';
}

static void environment(struct swi_model *model, const SwiWandb__Environment *said)
{
    swi_environment_merge(model->environment, said);
    if (said->program && *said->program)
        model->failed |= !swi_model_set(&model->program, said->program);
    model->changed = true;
}

/* ---- metrics ------------------------------------------------------------------------------------
 */

static struct swi_model_metric *metric_named(struct swi_model *model, const char *name, bool glob)
{
    for (size_t i = 0; i < model->metric_count; i++)
        if (model->metric[i].glob == glob && strcmp(model->metric[i].name, name) == 0)
            return &model->metric[i];
    struct swi_model_metric *longer =
        realloc(model->metric, (model->metric_count + 1) * sizeof *longer);
    if (!longer)
        return NULL;
    model->metric = longer;
    longer[model->metric_count] = (struct swi_model_metric){.name = strdup(name), .glob = glob};
    return longer[model->metric_count].name ? &longer[model->metric_count++] : NULL;
}

/* Adds the numbers of the members that are set to a list in ascending order, terminated by 0. */
static void set_add(unsigned char *set, const protobuf_c_boolean *const *member, size_t count)
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
static void forget(struct swi_model_metric *metric, const SwiWandb__Metric *said)
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

static void metric(struct swi_model *model, const SwiWandb__Metric *said)
{
    bool glob = said->glob_name && *said->glob_name;
    const char *name = glob ? said->glob_name : said->name;
    /* A program that defines more has an error in a loop. */
    struct swi_model_metric *to =
        name && *name && model->metric_count < 10000 ? metric_named(model, name, glob) : NULL;
    if (!to)
        return;
    forget(to, said);
    const SwiWandb__MetricOptions *o = said->options;
    const SwiWandb__MetricSummary *s = said->summary;
    if (o)
        /* A pattern is always defined, so that is not sent. */
        set_add(to->options, (const protobuf_c_boolean *[]){&o->step_sync, &o->hidden, &o->defined},
                glob ? 2 : 3);
    if (s)
        set_add(to->summary,
                (const protobuf_c_boolean *[]){&s->min, &s->max, &s->mean, &s->best, &s->last,
                                               &s->none, &s->copy, &s->first},
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

/* Returns the number of a metric, from 1, or 0 if it is not in the list. */
static json_int_t metric_index(const struct swi_model *model, const char *name)
{
    for (size_t i = 0; name && i < model->metric_count; i++)
        if (!model->metric[i].glob && strcmp(model->metric[i].name, name) == 0)
            return (json_int_t)i + 1;
    return 0;
}

static json_t *metrics_json(const struct swi_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct swi_model_metric *m = &model->metric[i];
        json_t *entry = json_pack("{s:s, s:o, s:o}", m->glob ? "2" : "1", m->name, "6",
                                  numbers(m->options), "7", numbers(m->summary));
        json_int_t index = metric_index(model, m->step_metric);
        if (index)
            json_object_set_new(entry, "5", json_integer(index));
        if (m->goal)
            json_object_set_new(entry, "8", json_integer(m->goal));
        json_array_append_new(list, entry);
    }
    return list;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void file_add(struct swi_model *model, const char *path, bool at_end)
{
    for (size_t i = 0; i < model->file_count; i++)
        if (strcmp(model->file[i].path, path) == 0) {
            /* The program has written it again. It is sent again if it differs. */
            model->file[i].done = false;
            return;
        }
    if (model->file_count == 100000)
        return;
    struct swi_model_file *longer = realloc(model->file, (model->file_count + 1) * sizeof *longer);
    char *copied = longer ? strdup(path) : NULL;
    model->file = longer ? longer : model->file;
    model->failed |= !copied;
    if (copied)
        longer[model->file_count++] = (struct swi_model_file){.path = copied, .at_end = at_end};
}

/* ---- records ------------------------------------------------------------------------------------
 */

void swi_model_take(struct swi_model *model, const SwiWandb__Record *record)
{
    switch (record->what_case) {
    case SWI_WANDB__RECORD__WHAT_HEADER:
        if (record->header->version && record->header->version->producer)
            model->failed |= !swi_model_set(&model->client, record->header->version->producer);
        model->own = strncmp(model->client, "stepwatch ", 10) == 0;
        break;
    case SWI_WANDB__RECORD__WHAT_RUN:
        run(model, record->run);
        break;
    case SWI_WANDB__RECORD__WHAT_CONFIG:
        config(model, record->config);
        break;
    case SWI_WANDB__RECORD__WHAT_SUMMARY:
        summary(model, record->summary);
        break;
    case SWI_WANDB__RECORD__WHAT_METRIC:
        metric(model, record->metric);
        break;
    case SWI_WANDB__RECORD__WHAT_ENVIRONMENT:
        environment(model, record->environment);
        break;
    case SWI_WANDB__RECORD__WHAT_TELEMETRY:
        telemetry(model, record->telemetry);
        break;
    case SWI_WANDB__RECORD__WHAT_FILES:
        for (size_t i = 0; i < record->files->n_files; i++)
            if (record->files->files[i]->path && *record->files->files[i]->path)
                file_add(model, record->files->files[i]->path,
                         record->files->files[i]->policy != 0);
        break;
    case SWI_WANDB__RECORD__WHAT_ARTIFACT:
        swi_artifact_list_add(model->artifacts, record->artifact);
        break;
    case SWI_WANDB__RECORD__WHAT_EXIT:
        model->ended = true;
        model->exit_code = record->exit->exit_code;
        break;
    default:
        break;
    }
}

/* ---- what is sent -------------------------------------------------------------------------------
 */

/* Without t, the service treats the run as one that never began. */
static json_t *wandb_json(const struct swi_model *model)
{
    const char *writer = swi_json_text(json_object_get(model->environment, "writerId"));
    const char *client = *model->client ? model->client : "stepwatch";
    json_t *t = json_copy(model->telemetry), *value = json_copy(model->kept);
    json_object_set_new(t, "5", json_string(client));
    json_object_set_new(value, "t", t);
    json_object_set_new(value, "m", metrics_json(model));
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

static json_t *read_or_empty(const char *text)
{
    return swi_json_read_tokens(text ? text : "", text ? strlen(text) : 0);
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

static void config_resume(struct swi_model *model, json_t *before)
{
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value) if (strcmp(key, "_wandb") != 0 &&
                                                !json_object_get(model->config, key))
        json_object_set(model->config, key, value);
    kept_resume(model, swi_json_at(before, "_wandb", "value"));
}

void swi_model_resume(struct swi_model *model, const char *old_config, const char *old_summary)
{
    json_t *config_before = read_or_empty(old_config), *value;
    json_t *summary_before = read_or_empty(old_summary);
    const char *key;
    config_resume(model, config_before);
    json_object_foreach(summary_before, key, value)
    {
        struct swi_text *json =
            swi_fields_has(&model->summary, key) || json_object_get(model->nested, key)
                ? NULL
                : swi_fields_set(&model->summary, key);
        if (json)
            swi_write_json(json, value);
    }
    json_decref(config_before);
    json_decref(summary_before);
}

void swi_model_yield(struct swi_model *model, const char *config, const char *summary)
{
    json_decref(model->later_config);
    json_decref(model->later_summary);
    model->later_config = read_or_empty(config);
    model->later_summary = read_or_empty(summary);
}
