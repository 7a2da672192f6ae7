/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/api.h"
#include "sinks/wandb/upload/explain.h"
#include "sinks/wandb/upload/json.h"

#include <stdlib.h>
#include <string.h>

static const double timeout_s = 30;

/* ---- one question -------------------------------------------------------------------------------
 */

/* Whom a service account's runs are shown as made by. */
static void attribution(char lines[2][256], const char *header[3])
{
    static const char *const names[][2] = {{"WANDB_USERNAME", "X-Wandb-Username: "},
                                           {"WANDB_USER_EMAIL", "X-Wandb-User-Email: "}};
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        const char *value = getenv(names[i][0]);
        if (value && *value && strlen(value) < 200) {
            snprintf(lines[count], 256, "%s%s", names[i][1], value);
            header[count] = lines[count];
            count++;
        }
    }
    header[count] = NULL;
}

/* A mistake in the question comes with status 200 too. */
static int errors_check(const struct swi_link *link, const char *name, const json_t *answer,
                        struct sw_error *err)
{
    const json_t *errors = json_object_get(answer, "errors");
    if (!json_array_size(errors) && json_is_object(json_object_get(answer, "data")))
        return 0;
    char message[512];
    char *text = json_dumps(answer, JSON_COMPACT);
    struct swi_text body = {.data = text, .size = text ? strlen(text) : 0};
    bool said = swi_explain_message(message, sizeof message, &body);
    free(text);
    return sw_error_set(err, SW_EIO,
                        "%s: %s was refused: %s; check project, entity and whose API key it is",
                        link->base_url, name, said ? message : "the answer holds no data");
}

int swi_api_ask(struct swi_link *link, enum swi_retry kind, const char *name, const char *document,
                json_t *variables, json_t **data, struct sw_error *err)
{
    char lines[2][256];
    const char *header[3];
    json_t *body = json_pack("{s:s, s:s, s:o}", "operationName", name, "query", document,
                             "variables", variables);
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    json_t *answer = NULL;
    json_decref(body);
    if (!text)
        return sw_error_set(err, SW_ENOMEM, "no memory to ask %s", name);
    attribution(lines, header);
    struct swi_http_request request = {.path = "/graphql",
                                       .header = header,
                                       .body = text,
                                       .size = strlen(text),
                                       .timeout_s = timeout_s};
    int rc = swi_link_send(link, kind, &request, &answer, err);
    free(text);
    if (rc == 0)
        rc = errors_check(link, name, answer, err);
    if (rc == 0)
        *data = json_incref(json_object_get(answer, "data"));
    json_decref(answer);
    return rc;
}

/* ---- the run ------------------------------------------------------------------------------------
 */

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *identity(const char *id, const char *project, const char *entity)
{
    return json_pack("{s:s, s:o, s:o}", "name", id, "project", text_or_null(project), "entity",
                     text_or_null(entity));
}

static json_t *upsert_variables(const struct swi_model *model, bool first, const char *storage_id,
                                const struct swi_bucket *bucket)
{
    static const char *const unset[] = {"description", "debug", "state", "summaryMetrics"};
    struct swi_text config = {0};
    swi_model_config(model, &config);
    json_t *v = identity(model->id, first ? model->project : bucket->project,
                         first ? model->entity : bucket->entity);
    const struct {
        const char *name, *text;
    } texts[] = {{"id", storage_id},           {"groupName", model->group},
                 {"displayName", model->name}, {"notes", model->notes},
                 {"commit", model->commit},    {"host", model->host},
                 {"program", model->program},  {"repo", model->repo},
                 {"jobType", model->job_type}, {"sweep", model->sweep}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(v, texts[i].name, first ? text_or_null(texts[i].text) : json_null());
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        json_object_set_new(v, unset[i], json_null());
    json_object_set_new(v, "config", text_or_null(config.failed ? NULL : config.data));
    json_object_set_new(
        v, "tags", first && json_array_size(model->tags) ? json_incref(model->tags) : json_null());
    swi_text_free(&config);
    return v;
}

static const char upsert[] =
    "mutation UpsertBucket($id: String, $name: String, $project: String, $entity: String, "
    "$groupName: String, $description: String, $displayName: String, $notes: String, "
    "$commit: String, $config: JSONString, $host: String, $debug: Boolean, $program: String, "
    "$repo: String, $jobType: String, $state: String, $sweep: String, $tags: [String!], "
    "$summaryMetrics: JSONString) { upsertBucket(input: {id: $id, name: $name, "
    "modelName: $project, entityName: $entity, groupName: $groupName, description: $description, "
    "displayName: $displayName, notes: $notes, commit: $commit, config: $config, host: $host, "
    "debug: $debug, jobProgram: $program, jobRepo: $repo, jobType: $jobType, state: $state, "
    "sweep: $sweep, tags: $tags, summaryMetrics: $summaryMetrics}) { inserted bucket { id name "
    "displayName description config sweepName historyLineCount project { id name entity { id name "
    "} } } } }";

void swi_bucket_free(struct swi_bucket *bucket)
{
    free(bucket->storage_id);
    free(bucket->id);
    free(bucket->name);
    free(bucket->project);
    free(bucket->entity);
    *bucket = (struct swi_bucket){0};
}

static int bucket_take(struct swi_bucket *bucket, const json_t *data, struct sw_error *err)
{
    const json_t *said = swi_json_at(data, "upsertBucket", "bucket", NULL);
    const struct {
        char **to;
        const json_t *text;
    } texts[] = {{&bucket->storage_id, json_object_get(said, "id")},
                 {&bucket->id, json_object_get(said, "name")},
                 {&bucket->name, json_object_get(said, "displayName")},
                 {&bucket->project, swi_json_at(said, "project", "name", NULL)},
                 {&bucket->entity, swi_json_at(said, "project", "entity", "name", NULL)}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!swi_model_set(texts[i].to, swi_json_text(texts[i].text)))
            return sw_error_set(err, SW_ENOMEM, "no memory for the run");
    if (!*bucket->id || !*bucket->project || !*bucket->entity)
        return sw_error_set(err, SW_EIO,
                            "the server made the run and does not say where: is base_url that of "
                            "a Weights & Biases server?");
    bucket->rows = json_integer_value(json_object_get(said, "historyLineCount"));
    bucket->inserted = json_is_true(swi_json_at(data, "upsertBucket", "inserted", NULL));
    return 0;
}

int swi_api_upsert(struct swi_link *link, const struct swi_model *model, bool first,
                   const char *storage_id, struct swi_bucket *bucket, struct sw_error *err)
{
    json_t *data = NULL;
    int rc = swi_api_ask(link, SWI_RETRY_UPSERT, "UpsertBucket", upsert,
                         upsert_variables(model, first, storage_id, bucket), &data, err);
    if (rc == 0 && first)
        rc = bucket_take(bucket, data, err);
    json_decref(data);
    return rc;
}

/* ---- what is there already ----------------------------------------------------------------------
 */

/* The last of a list of JSON texts, which is a JSON text itself. */
static json_t *tail_of(const json_t *said)
{
    const char *text = swi_json_text(said);
    json_t *list = swi_json_read(text, strlen(text));
    size_t count = json_array_size(list);
    const char *last = swi_json_text(count ? json_array_get(list, count - 1) : NULL);
    json_t *row = swi_json_read_tokens(last, strlen(last));
    json_decref(list);
    return row;
}

static bool is_begun(const json_t *bucket)
{
    const char *text = swi_json_text(json_object_get(bucket, "wandbConfig"));
    json_t *config = swi_json_read_tokens(text, strlen(text));
    bool begun = json_object_get(config, "t") != NULL;
    json_decref(config);
    return begun;
}

static int status_take(struct swi_status *status, const json_t *bucket, struct sw_error *err)
{
    status->exists = json_is_object(bucket);
    status->begun = is_begun(bucket);
    status->rows = json_integer_value(json_object_get(bucket, "historyLineCount"));
    status->events = json_integer_value(json_object_get(bucket, "eventsLineCount"));
    status->lines = json_integer_value(json_object_get(bucket, "logLineCount"));
    status->row = tail_of(json_object_get(bucket, "historyTail"));
    status->event = tail_of(json_object_get(bucket, "eventsTail"));
    if (swi_model_set(&status->storage_id, swi_json_text(json_object_get(bucket, "id"))) &&
        swi_model_set(&status->config, swi_json_text(json_object_get(bucket, "config"))) &&
        swi_model_set(&status->summary, swi_json_text(json_object_get(bucket, "summaryMetrics"))))
        return 0;
    return sw_error_set(err, SW_ENOMEM, "no memory for what the server has of the run");
}

int swi_api_status(struct swi_link *link, const struct swi_model *model, struct swi_status *status,
                   struct sw_error *err)
{
    static const char document[] =
        "query RunResumeStatus($project: String, $entity: String, $name: String!) { "
        "model(name: $project, entityName: $entity) { id name entity { id name } "
        "bucket(name: $name, missingOk: true) { id name summaryMetrics displayName logLineCount "
        "historyLineCount eventsLineCount historyTail eventsTail config tags notes "
        "wandbConfig(keys: [\"t\"]) } } }";
    json_t *data = NULL;
    int rc = swi_api_ask(link, SWI_RETRY_GRAPHQL, "RunResumeStatus", document,
                         identity(model->id, model->project, model->entity), &data, err);
    if (rc == 0)
        rc = status_take(status, swi_json_at(data, "model", "bucket", NULL), err);
    json_decref(data);
    return rc;
}

void swi_status_free(struct swi_status *status)
{
    free(status->storage_id);
    free(status->config);
    free(status->summary);
    json_decref(status->row);
    json_decref(status->event);
    *status = (struct swi_status){0};
}

bool swi_api_structured(struct swi_link *link)
{
    static const char document[] =
        "query ServerFeaturesQuery { serverInfo { features { name isEnabled } } }";
    struct sw_error err;
    json_t *data = NULL;
    bool structured = false;
    size_t i;
    const json_t *feature;
    if (swi_api_ask(link, SWI_RETRY_GRAPHQL, "ServerFeaturesQuery", document, json_object(), &data,
                    &err) < 0)
        return false;
    const json_t *features = swi_json_at(data, "serverInfo", "features", NULL);
    json_array_foreach(features, i, feature) structured |=
        strcmp(swi_json_text(json_object_get(feature, "name")), "STRUCTURED_CONSOLE_LOGS") == 0 &&
        json_is_true(json_object_get(feature, "isEnabled"));
    json_decref(data);
    return structured;
}

/* ---- files --------------------------------------------------------------------------------------
 */

int swi_api_urls(struct swi_link *link, const struct swi_bucket *bucket, json_t *names,
                 json_t **answer, struct sw_error *err)
{
    static const char document[] =
        "mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, "
        "$files: [String!]!) { createRunFiles(input: {entityName: $entity, projectName: $project, "
        "runName: $run, files: $files}) { runID uploadHeaders files { name uploadUrl } } }";
    json_t *data = NULL;
    json_t *variables = json_pack("{s:s, s:s, s:s, s:O}", "entity", bucket->entity, "project",
                                  bucket->project, "run", bucket->id, "files", names);
    int rc =
        swi_api_ask(link, SWI_RETRY_GRAPHQL, "CreateRunFiles", document, variables, &data, err);
    if (rc == 0)
        *answer = json_incref(json_object_get(data, "createRunFiles"));
    json_decref(data);
    return rc;
}
