/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/ask.h"
#include "net/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- mistakes -------------------------------------------------------------------------------- */

/* An error in the question is answered with status 200 too. */
int swi_answer_check(const char *base_url, const char *name, const json_t *answer,
                     struct sw_error *err)
{
    const json_t *errors = json_object_get(answer, "errors");
    if (!json_array_size(errors) && json_is_object(json_object_get(answer, "data")))
        return 0;
    char message[512];
    bool said = swi_explain_message(message, sizeof message, answer);
    return sw_error_set(err, SW_EIO,
                        "%s: %s was refused: %s; check project, entity and whose API key it is",
                        base_url, name, said ? message : "the answer holds no data");
}

/* ---- the run --------------------------------------------------------------------------------- */

void swi_bucket_free(struct swi_bucket *bucket)
{
    free(bucket->storage_id);
    free(bucket->id);
    free(bucket->name);
    free(bucket->project);
    free(bucket->entity);
    *bucket = (struct swi_bucket){0};
}

int swi_answer_bucket(struct swi_bucket *bucket, const json_t *data, struct sw_error *err)
{
    const json_t *said = swi_json_at(data, "upsertBucket", "bucket");
    const struct {
        char **to;
        const json_t *text;
    } texts[] = {{&bucket->storage_id, json_object_get(said, "id")},
                 {&bucket->id, json_object_get(said, "name")},
                 {&bucket->name, json_object_get(said, "displayName")},
                 {&bucket->project, swi_json_at(said, "project", "name")},
                 {&bucket->entity, swi_json_at(said, "project", "entity", "name")}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!swi_model_set(texts[i].to, swi_json_text(texts[i].text)))
            return sw_error_set(err, SW_ENOMEM, "not enough memory for the run");
    if (!*bucket->id || !*bucket->project || !*bucket->entity)
        return sw_error_set(err, SW_EIO,
                            "the server made the run but does not say where: is base_url the "
                            "address of a Weights & Biases server?");
    bucket->rows = swi_json_count_at(said, "historyLineCount");
    bucket->inserted = json_is_true(swi_json_at(data, "upsertBucket", "inserted"));
    return 0;
}

/* ---- what is there already ------------------------------------------------------------------- */

/* Returns what the JSON text of a value says, or NULL. */
static json_t *said_by(const json_t *value)
{
    const char *text = swi_json_text(value);
    return swi_json_read_tokens(text, strlen(text));
}

/* Returns the last of a list of JSON texts. The list is JSON text itself. */
static json_t *tail_of(const json_t *said)
{
    json_t *list = said_by(said);
    size_t count = json_array_size(list);
    json_t *row = count ? said_by(json_array_get(list, count - 1)) : NULL;
    json_decref(list);
    return row;
}

static bool is_begun(const json_t *bucket)
{
    json_t *config = said_by(json_object_get(bucket, "wandbConfig"));
    bool begun = json_object_get(config, "t") != NULL;
    json_decref(config);
    return begun;
}

int swi_answer_status(struct swi_status *status, const json_t *data, struct sw_error *err)
{
    const json_t *bucket = swi_json_at(data, "model", "bucket");
    status->exists = json_is_object(bucket);
    status->begun = is_begun(bucket);
    status->rows = swi_json_count_at(bucket, "historyLineCount");
    status->events = swi_json_count_at(bucket, "eventsLineCount");
    status->lines = swi_json_count_at(bucket, "logLineCount");
    status->row = tail_of(json_object_get(bucket, "historyTail"));
    status->event = tail_of(json_object_get(bucket, "eventsTail"));
    status->config = said_by(json_object_get(bucket, "config"));
    status->summary = said_by(json_object_get(bucket, "summaryMetrics"));
    if (swi_model_set(&status->storage_id, swi_json_text_at(bucket, "id")) &&
        swi_model_set(&status->project, swi_json_text(swi_json_at(data, "model", "name"))) &&
        swi_model_set(&status->entity, swi_json_text(swi_json_at(data, "model", "entity", "name"))))
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for what the server has of the run");
}

void swi_status_free(struct swi_status *status)
{
    free(status->storage_id);
    free(status->project);
    free(status->entity);
    json_decref(status->config);
    json_decref(status->summary);
    json_decref(status->row);
    json_decref(status->event);
    *status = (struct swi_status){0};
}

void swi_answer_state(struct swi_state *state, const json_t *data)
{
    const json_t *run = swi_json_at(data, "project", "run");
    snprintf(state->name, sizeof state->name, "%s", swi_json_text_at(run, "state"));
    snprintf(state->heard, sizeof state->heard, "%s", swi_json_text_at(run, "heartbeatAt"));
    state->rows = swi_json_count_at(run, "historyLineCount");
}

/* ---- features -------------------------------------------------------------------------------- */

bool swi_answer_structured(const json_t *data)
{
    const json_t *features = swi_json_at(data, "serverInfo", "features"), *feature;
    bool structured = false;
    size_t i;
    json_array_foreach(features, i, feature) structured |=
        strcmp(swi_json_text_at(feature, "name"), "STRUCTURED_CONSOLE_LOGS") == 0 &&
        json_is_true(json_object_get(feature, "isEnabled"));
    return structured;
}
