/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/model.h"

#include "core/text/wire.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <stdbool.h>

/* ---- artifacts ------------------------------------------------------------------------------- */

enum { LIST_MAX = 1000 };

static json_t *extra_of(const struct swi_manifest_entry_message *entry)
{
    json_t *extra = json_object();
    for (size_t i = 0; i < entry->n_extra; i++) {
        const char *json = entry->extra[i]->value_json;
        json_object_set_new(extra, entry->extra[i]->key, swi_json_read(json, strlen(json)));
    }
    return extra;
}

static void entries_take(json_t *list, const struct swi_manifest_message *manifest)
{
    for (size_t i = 0; i < manifest->n_contents; i++) {
        const struct swi_manifest_entry_message *entry = manifest->contents[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:o}", "path", entry->path,
                                        "digest", entry->digest, "size", (json_int_t)entry->size,
                                        "local", entry->local_path, "ref", entry->ref, "born",
                                        entry->birth_artifact_id, "extra", extra_of(entry)));
    }
}

static void tags_take(json_t *list, const struct swi_artifact_message *record)
{
    for (size_t i = 0; i < record->n_tags; i++)
        json_array_append_new(list, json_pack("{s:s}", "tagName", record->tags[i]));
}

/* Returns why this upload cannot assemble an artifact: it is made of parts of several processes, or
 * of another artifact. Returns "" if it can. */
static const char *obstacle(const struct swi_artifact_message *record)
{
    if (!record->finalize || *record->distributed_id)
        return "other processes add to it";
    if (record->incremental_beta1 || *record->base_id)
        return "it adds to another artifact";
    return *record->manifest->manifest_file_path ? "the list of its files is in a file of its own"
                                                 : "";
}

static void aliases_take(json_t *list, const struct swi_artifact_message *record)
{
    for (size_t i = 0; i < record->n_aliases; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "artifactCollectionName", record->name,
                                              "alias", record->aliases[i]));
}

/* The begin of a run's file is read twice. */
static bool is_taken(const json_t *list, const char *client)
{
    size_t i;
    const json_t *artifact;
    json_array_foreach(list, i, artifact)
    {
        if (strcmp(swi_json_text_at(artifact, "client"), client) == 0)
            return true;
    }
    return false;
}

/* Adds the artifact of a record to the list; skips an incomplete one. */
static void artifact_list_add(json_t *list, const struct swi_artifact_message *record)
{
    if (!record->manifest || json_array_size(list) >= LIST_MAX || is_taken(list, record->client_id))
        return;
    json_t *artifact = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:[], s:[]}", "type", record->type, "name",
        record->name, "digest", record->digest, "client", record->client_id, "sequence",
        record->sequence_client_id, "description", record->description, "metadata",
        record->metadata, "obstacle", obstacle(record), "aliases", "tags", "entries");
    entries_take(json_object_get(artifact, "entries"), record->manifest);
    aliases_take(json_object_get(artifact, "aliases"), record);
    tags_take(json_object_get(artifact, "tags"), record);
    if (artifact)
        json_array_append_new(list, artifact);
}

/* ---- telemetry ------------------------------------------------------------------------------- */

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

/* Takes the numbers of a message's members that are set, if all of them are bools. */
static void members_take(json_t *to, const char *name, const struct swi_bytes *bytes)
{
    const char *at = bytes->data;
    struct swi_wire_field field;
    json_t *list = json_object_get(to, name);
    if (!bytes->size)
        return;
    if (!list) {
        list = json_array();
        json_object_set_new(to, name, list);
    }
    while (swi_wire_read(&at, bytes->data + bytes->size, &field) && field.type == 0)
        if (field.value && field.number < 10000)
            number_add(list, field.number);
}

/* Adds what a telemetry record says to the member t of _wandb. */
static void model_take_telemetry(struct swi_model *model, const struct swi_telemetry_message *said)
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

/* ---- a run ----------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < model->metrics.count; i++)
        free(model->metric[i].step_metric);
    swi_map_free(&model->metrics);
    swi_map_free(&model->paths);
    free(model->pattern);
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

/* ---- the run --------------------------------------------------------------------------------- */

static void run(struct swi_model *model, const struct swi_run_message *run)
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
        model_take_telemetry(model, run->telemetry);
    model->continued |= run->resumed || run->runtime > 0;
    swi_model_take_config(model, run->config);
    swi_model_take_summary(model, run->summary);
    model->known = *model->id != '\0';
}

void swi_model_about(const struct swi_model *model, struct swi_text *json)
{
    json_t *all = json_pack("[s, s, s, s, O]", model->name, model->notes, model->group,
                            model->job_type, model->tags);
    swi_write_json(json, all);
    json_decref(all);
}

static void environment(struct swi_model *model, const struct swi_environment_message *said)
{
    struct swi_text text = {0};
    swi_environment_json(&text, said);
    json_t *json = text.failed ? NULL : swi_json_read(text.data, text.size);
    model->failed |= text.failed;
    swi_text_free(&text);
    json_object_update(model->environment, json);
    json_decref(json);
    if (said->program && *said->program)
        model->failed |= !swi_model_set(&model->program, said->program);
    model->changed = true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void file_add(struct swi_model *model, const char *path, bool at_end)
{
    size_t before = model->paths.count, size = strlen(path);
    if (before == 100000 && swi_map_find(&model->paths, path, size) < 0)
        return;
    struct swi_model_file *file =
        swi_map_item(&model->paths, &model->file, sizeof *file, path, size);
    model->failed |= !file;
    if (!file)
        return;
    if (model->paths.count > before)
        *file = (struct swi_model_file){.path = model->paths.name[before].text, .at_end = at_end};
    /* If the program has written it again, it is sent again if it differs. */
    file->done = false;
}

/* ---- records --------------------------------------------------------------------------------- */

void swi_model_take(struct swi_model *model, const struct swi_record_message *record)
{
    switch (record->what) {
    case SWI_RECORD_HEADER:
        if (record->header->version && record->header->version->producer)
            model->failed |= !swi_model_set(&model->client, record->header->version->producer);
        model->own = strncmp(model->client, "stepwatch ", 10) == 0;
        break;
    case SWI_RECORD_RUN:
        run(model, record->run);
        break;
    case SWI_RECORD_CONFIG:
        swi_model_take_config(model, record->config);
        break;
    case SWI_RECORD_SUMMARY:
        swi_model_take_summary(model, record->summary);
        break;
    case SWI_RECORD_METRIC:
        swi_model_take_metric(model, record->metric);
        break;
    case SWI_RECORD_ENVIRONMENT:
        environment(model, record->environment);
        break;
    case SWI_RECORD_TELEMETRY:
        model_take_telemetry(model, record->telemetry);
        break;
    case SWI_RECORD_FILES:
        for (size_t i = 0; i < record->files->n_files; i++)
            if (record->files->files[i]->path && *record->files->files[i]->path)
                file_add(model, record->files->files[i]->path,
                         record->files->files[i]->policy != 0);
        break;
    case SWI_RECORD_ARTIFACT:
        artifact_list_add(model->artifacts, record->artifact);
        break;
    case SWI_RECORD_EXIT:
        model->ended = true;
        model->goes_on = record->exit->not_complete;
        model->exit_code = record->exit->exit_code;
        break;
    case SWI_RECORD_PREEMPTING:
        model->preempting = true;
        break;
    default:
        break;
    }
}
