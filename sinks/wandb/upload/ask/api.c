/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/ask.h"
#include "net/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one question ---------------------------------------------------------------------------- */

/* Adds the user to whom a service account's run is attributed. */
static void attribution(const struct swi_link *link, char lines[2][256], const char *header[3])
{
    const char *const said[][2] = {{"X-Wandb-Username", link->service->user},
                                   {"X-Wandb-User-Email", link->service->mail}};
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        if (*said[i][1] && snprintf(lines[count], 256, "%s: %s", said[i][0], said[i][1]) < 256) {
            header[count] = lines[count];
            count++;
        }
    header[count] = NULL;
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
        return sw_error_set(err, SW_ENOMEM, "not enough memory to ask %s", name);
    attribution(link, lines, header);
    struct swi_http_request request = {.path = "/graphql",
                                       .header = header,
                                       .wants_object = true,
                                       .body = text,
                                       .size = strlen(text),
                                       .timeout_s = link->answer_s};
    int rc = swi_link_send(link, kind, &request, &answer, err);
    free(text);
    if (rc == 0)
        rc = swi_answer_check(link->asker.base_url, name, answer, err);
    if (rc < 0)
        swi_link_hide_error(link, err);
    if (rc == 0)
        *data = json_incref(json_object_get(answer, "data"));
    json_decref(answer);
    return rc;
}

/* ---- the run --------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *identity(const char *id, const char *project, const char *entity)
{
    return json_pack("{s:s, s:o, s:o}", "name", id, "project", text_or_null(project), "entity",
                     text_or_null(entity));
}

static json_t *upsert_variables(const struct swi_model *model, enum swi_upsert what,
                                const char *storage_id, const struct swi_bucket *bucket)
{
    static const char *const unset[] = {"description", "debug", "state", "summaryMetrics"};
    struct swi_text config = {0};
    bool known = what == SWI_UPSERT_CONFIG || what == SWI_UPSERT_AGAIN;
    bool all = what == SWI_UPSERT_ALL || what == SWI_UPSERT_AGAIN;
    swi_model_config(model, &config);
    json_t *v = identity(model->id, known ? bucket->project : model->project,
                         known ? bucket->entity : model->entity);
    const struct {
        const char *name, *text;
    } texts[] = {{"id", storage_id},           {"groupName", model->group},
                 {"displayName", model->name}, {"notes", model->notes},
                 {"commit", model->commit},    {"host", model->host},
                 {"program", model->program},  {"repo", model->repo},
                 {"jobType", model->job_type}, {"sweep", model->sweep}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(v, texts[i].name, all ? text_or_null(texts[i].text) : json_null());
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        json_object_set_new(v, unset[i], json_null());
    json_object_set_new(v, "config", text_or_null(config.failed ? NULL : config.data));
    json_object_set_new(
        v, "tags", all && json_array_size(model->tags) ? json_incref(model->tags) : json_null());
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

int swi_api_upsert(struct swi_link *link, const struct swi_model *model, enum swi_upsert what,
                   const char *storage_id, struct swi_bucket *bucket, struct sw_error *err)
{
    json_t *data = NULL;
    int rc = swi_api_ask(link, SWI_RETRY_UPSERT, "UpsertBucket", upsert,
                         upsert_variables(model, what, storage_id, bucket), &data, err);
    if (rc == 0 && (what == SWI_UPSERT_ALL || what == SWI_UPSERT_JOIN))
        rc = swi_answer_bucket(bucket, data, err);
    json_decref(data);
    return rc;
}

/* ---- what is there already ------------------------------------------------------------------- */

int swi_api_status(struct swi_link *link, enum swi_retry kind, const struct swi_model *model,
                   struct swi_status *status, struct sw_error *err)
{
    static const char document[] =
        "query RunResumeStatus($project: String, $entity: String, $name: String!) { "
        "model(name: $project, entityName: $entity) { id name entity { id name } "
        "bucket(name: $name, missingOk: true) { id name summaryMetrics displayName logLineCount "
        "historyLineCount eventsLineCount historyTail eventsTail config tags notes "
        "wandbConfig(keys: [\"t\"]) } } }";
    json_t *data = NULL;
    int rc = swi_api_ask(link, kind, "RunResumeStatus", document,
                         identity(model->id, model->project, model->entity), &data, err);
    if (rc == 0)
        rc = swi_answer_status(status, data, err);
    json_decref(data);
    return rc;
}

int swi_api_state(struct swi_link *link, const struct swi_model *model, struct swi_state *state,
                  struct sw_error *err)
{
    static const char document[] =
        "query RunState($project: String, $entity: String, $name: String!) { "
        "project(name: $project, entityName: $entity) { run(name: $name) { "
        "state heartbeatAt historyLineCount } } }";
    json_t *data = NULL;
    int rc = swi_api_ask(link, SWI_RETRY_GRAPHQL, "RunState", document,
                         identity(model->id, model->project, model->entity), &data, err);
    if (rc == 0)
        swi_answer_state(state, data);
    json_decref(data);
    return rc;
}

bool swi_api_structured(struct swi_link *link)
{
    static const char document[] =
        "query ServerFeaturesQuery { serverInfo { features { name isEnabled } } }";
    SW_ERROR_SCOPE(err);
    json_t *data = NULL;
    int rc = swi_api_ask(link, SWI_RETRY_GRAPHQL, "ServerFeaturesQuery", document, json_object(),
                         &data, &err);
    bool structured = rc == 0 && swi_answer_structured(data);
    json_decref(data);
    return structured;
}

/* ---- files ----------------------------------------------------------------------------------- */

int swi_api_urls(struct swi_link *link, enum swi_retry kind, const struct swi_bucket *bucket,
                 json_t *names, json_t **answer, struct sw_error *err)
{
    static const char document[] =
        "mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, "
        "$files: [String!]!) { createRunFiles(input: {entityName: $entity, projectName: $project, "
        "runName: $run, files: $files}) { runID uploadHeaders files { name uploadUrl } } }";
    json_t *data = NULL;
    json_t *variables = json_pack("{s:s, s:s, s:s, s:O}", "entity", bucket->entity, "project",
                                  bucket->project, "run", bucket->id, "files", names);
    int rc = swi_api_ask(link, kind, "CreateRunFiles", document, variables, &data, err);
    if (rc == 0)
        *answer = json_incref(json_object_get(data, "createRunFiles"));
    json_decref(data);
    return rc;
}

/* ---- alerts ---------------------------------------------------------------------------------- */

/* A program that sends more has an error in a loop. */
enum { WAITING_MAX = 1000 };

/* The SDK's default. */
enum { WAIT_MS = 60000 };

static const char *severity_of(const struct swi_alert_message *alert)
{
    bool known = strcmp(alert->level, "WARN") == 0 || strcmp(alert->level, "ERROR") == 0;
    return known ? alert->level : "INFO";
}

void swi_alerts_take(struct swi_alerts *alerts, const struct swi_record_message *record)
{
    if (record->what != SWI_RECORD_ALERT)
        return;
    const struct swi_alert_message *alert = record->alert;
    if (++alerts->read <= alerts->sent || json_array_size(alerts->waiting) >= WAITING_MAX)
        return;
    int64_t wait_ms = alert->wait_duration > 0 ? alert->wait_duration : WAIT_MS;
    json_array_append_new(alerts->waiting,
                          json_pack("{s:I, s:{s:s, s:s, s:s, s:I}}", "number",
                                    (json_int_t)alerts->read, "alert", "title", alert->title,
                                    "text", alert->text, "severity", severity_of(alert),
                                    "waitDuration", (json_int_t)wait_ms));
}

static int send_one(struct swi_link *link, const struct swi_bucket *bucket, const json_t *alert,
                    struct sw_error *err)
{
    static const char document[] =
        "mutation NotifyScriptableRunAlert($entityName: String!, $projectName: String!, "
        "$runName: String!, $title: String!, $text: String!, $severity: AlertSeverity, "
        "$waitDuration: Duration) { notifyScriptableRunAlert(input: {entityName: $entityName, "
        "projectName: $projectName, runName: $runName, title: $title, text: $text, "
        "severity: $severity, waitDuration: $waitDuration}) { success } }";
    json_t *data = NULL, *variables = json_copy((json_t *)(uintptr_t)alert);
    json_object_set_new(variables, "entityName", json_string(bucket->entity));
    json_object_set_new(variables, "projectName", json_string(bucket->project));
    json_object_set_new(variables, "runName", json_string(bucket->id));
    int rc = swi_api_ask(link, SWI_RETRY_GRAPHQL, "NotifyScriptableRunAlert", document, variables,
                         &data, err);
    json_decref(data);
    return rc;
}

static void refuse(struct swi_alerts *alerts, struct swi_link *link, const json_t *alert,
                   const struct sw_error *err)
{
    swi_warn_of(link->asker.say, link->asker.arg, "the alert \"", swi_json_text_at(alert, "title"),
                "\" was not sent, nor were those after it; the next upload tries again: ",
                sw_error_text(err));
    alerts->refused = true;
}

bool swi_alerts_wait(const struct swi_alerts *alerts)
{
    return !alerts->refused && json_array_size(alerts->waiting);
}

int swi_alerts_send(struct swi_alerts *alerts, struct swi_link *link,
                    const struct swi_bucket *bucket, struct sw_error *err)
{
    const json_t *first = json_array_get(alerts->waiting, 0);
    const json_t *alert = json_object_get(first, "alert");
    int rc = send_one(link, bucket, alert, err);
    if (rc == SW_ETIME)
        return rc;
    if (rc < 0) {
        refuse(alerts, link, alert, err);
        return 0;
    }
    alerts->sent = json_integer_value(json_object_get(first, "number"));
    json_array_remove(alerts->waiting, 0);
    return 0;
}
