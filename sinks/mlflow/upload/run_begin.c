/* SPDX-License-Identifier: MIT */
/* run_begin.c - finds or creates the run of a journal at the server. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "net/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RUN_NAME_MAX = 250 };
static const double parent_s = 60;

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%.*s", (int)size - 1, from);
}

/* ---- an existing run ------------------------------------------------------------------------- */

static const char *uid_of(const struct swi_run_upload *upload)
{
    const char *uid = swi_journal_text(&upload->described, "uid"),
               *dash = strrchr(upload->options.folder, '-');
    return *uid ? uid : dash ? dash + 1 : upload->options.folder;
}

static int info_take(struct swi_run_upload *upload, const json_t *run, struct sw_error *err)
{
    const json_t *info = json_object_get(run, "info");
    const char *id = swi_json_text_at(info, "run_id");
    const char *stage = swi_json_text_at(info, "lifecycle_stage");
    if (strcmp(stage, "deleted") == 0) {
        upload->deleted = true;
        return sw_error_set(err, SW_EIO,
                            "%s: the run %.100s was deleted there; its journal is kept in %s",
                            upload->options.server->base_url, id, upload->options.folder);
    }
    /* Values that are sent to no run would count as uploaded. */
    if (!*id)
        return sw_error_set(err, SW_EIO, "%s: the answer has no run_id: is it MLflow?",
                            upload->options.server->base_url);
    copy(upload->state.run_id, sizeof upload->state.run_id, id);
    copy(upload->state.artifacts, sizeof upload->state.artifacts,
         swi_json_text_at(info, "artifact_uri"));
    return 0;
}

/* Searches for runs by a tag. Returns 0 with *runs set to an array; a server that cannot search has
 * none. */
static int search(struct swi_run_upload *upload, const char *filter, int most, json_t **runs,
                  struct sw_error *err)
{
    struct swi_text body = {0};
    json_t *answer;
    int status;
    swi_json_format(
        &body,
        "{\"experiment_ids\":[%s],\"filter\":%s,\"run_view_type\":\"ALL\",\"max_results\":%d}",
        upload->state.experiment_id, filter, most);
    int rc = swi_tracking_send(&upload->tracking, "runs/search", &body, &answer, &status, err);
    if (rc == SW_EIO && (status == 404 || status == 405)) {
        sw_error_free(err);
        upload->no_search = true;
        rc = 0;
    }
    *runs = json_incref(json_object_get(answer, "runs"));
    json_decref(answer);
    return rc;
}

static int search_own(struct swi_run_upload *upload, int most, json_t **runs, struct sw_error *err)
{
    char filter[256];
    snprintf(filter, sizeof filter, "tags.`stepwatch.run` = '%.128s'", uid_of(upload));
    return search(upload, filter, most, runs, err);
}

/* Returns 1 if the server has the run. */
static int run_find(struct swi_run_upload *upload, struct sw_error *err)
{
    json_t *runs;
    int rc = search_own(upload, 2, &runs, err);
    if (rc == 0 && json_array_size(runs))
        rc = info_take(upload, json_array_get(runs, 0), err) == 0 ? 1 : SW_EIO;
    json_decref(runs);
    return rc;
}

/* Goes on with the run that MLFLOW_RUN_ID names. */
static int run_continue(struct swi_run_upload *upload, const char *id, struct sw_error *err)
{
    struct swi_text body = {0};
    json_t *answer;
    int rc = swi_tracking_get(&upload->tracking, "runs/get?run_id=", id, &answer, NULL, err);
    if (rc == 0)
        rc = info_take(upload, json_object_get(answer, "run"), err);
    else if (rc == SW_EIO)
        sw_error_prefix(err, "the run MLFLOW_RUN_ID=%.100s", id);
    json_decref(answer);
    if (rc < 0)
        return rc;
    swi_json_format(&body, "{\"run_id\":%s,\"status\":\"RUNNING\"}", upload->state.run_id);
    return swi_tracking_send(&upload->tracking, "runs/update", &body, NULL, NULL, err);
}

/* ---- a new run ------------------------------------------------------------------------------- */

static void tag_add(struct swi_text *body, struct swi_run_upload *upload, const char *key,
                    const char *value)
{
    struct swi_text cut = {0};
    swi_tag_cut(upload, &cut, key, value);
    swi_text_put(body, body->data[body->size - 1] == '[' ? "" : ",");
    swi_json_format(body, "{\"key\":%s,\"value\":%s}", key, cut.data ? cut.data : "");
    swi_text_free(&cut);
}

/* A journal that the sink did not write has no tags: then those of whoever uploads it count. */
static void tags_guess(struct swi_text *body, struct swi_run_upload *upload)
{
    tag_add(body, upload, "mlflow.user", upload->options.server->user);
    tag_add(body, upload, "mlflow.source.name", swi_json_text_at(upload->described.run, "program"));
    tag_add(body, upload, "mlflow.source.type", "LOCAL");
}

static void tags_add(struct swi_text *body, struct swi_run_upload *upload, const char *parent)
{
    const char *name;
    json_t *value;
    tag_add(body, upload, "stepwatch.run", uid_of(upload));
    if (!upload->described.mlflow)
        tags_guess(body, upload);
    json_object_foreach(json_object_get(upload->described.mlflow, "tags"), name, value)
    {
        /* A server that does not take a key must not refuse the run: it gets such tags later. */
        const char *key = swi_tracking_key(&upload->tag_keys, name);
        if (key && swi_tracking_key_is_plain(key))
            tag_add(body, upload, key, swi_json_text(value));
        else if (key)
            json_array_append_new(upload->tags, json_pack("[s,O]", name, value));
    }
    if (*parent)
        tag_add(body, upload, "mlflow.parentRunId", parent);
}

static void create_body(struct swi_text *body, struct swi_run_upload *upload, const char *parent)
{
    struct swi_text name = {0};
    const char *given = swi_journal_text(&upload->described, "run_name");
    if (!*given)
        given = swi_json_text_at(upload->described.run, "name");
    swi_text_add(&name, given, swi_characters_size(given, RUN_NAME_MAX));
    swi_json_format(body,
                    "{\"experiment_id\":%s,\"run_name\":%s,\"start_time\":%" PRId64 ",\"tags\":[",
                    upload->state.experiment_id, name.data ? name.data : "",
                    swi_line_ms(&upload->described, 0));
    if (!body->failed)
        tags_add(body, upload, parent);
    swi_text_put(body, "]}");
    body->failed |= name.failed;
    swi_text_free(&name);
}

/* A server that cannot search does not say whether it has created the run. */
static int unknown(const struct swi_run_upload *upload, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO,
                        "it is not known whether the server has created the run: look there, then "
                        "run stepwatch sync --new %s",
                        upload->options.folder);
}

/* Creating is not repeatable: if the answer is lost, the run is searched for before the next try.
 */
static int create_once(struct swi_run_upload *upload, const struct swi_text *body, int tries,
                       bool *answered, struct sw_error *err)
{
    struct swi_http_answer answer;
    enum swi_asked asked =
        swi_tracking_try(&upload->tracking, "/api/2.0/mlflow/runs/create", body, true, &answer);
    int rc = 0;
    if (asked == SWI_ANSWERED && answer.whole)
        rc = info_take(upload, json_object_get(answer.json, "run"), err);
    else if (asked == SWI_REFUSED)
        rc = swi_tracking_refused(&upload->tracking, &answer, err);
    else if (asked == SWI_OVER || !swi_asker_wait(&upload->tracking.asker, NULL, &answer, tries))
        rc = swi_asker_over(&upload->tracking.asker, err);
    if (asked == SWI_LOST || (asked == SWI_ANSWERED && !*upload->state.run_id))
        upload->state.doubtful = true;
    *answered = answer.outcome.status != 0 || answer.whole;
    swi_asker_free(&answer);
    return rc;
}

/* Looks for a run whose creation was not confirmed. */
static int created_find(struct swi_run_upload *upload, struct sw_error *err)
{
    if (upload->no_search)
        return unknown(upload, err);
    int rc = run_find(upload, err);
    return rc > 0 ? 0 : rc;
}

static int run_create(struct swi_run_upload *upload, const char *parent, struct sw_error *err)
{
    struct swi_text body = {0};
    create_body(&body, upload, parent);
    int rc = body.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for a request") : 0;
    for (int tries = 1; rc == 0 && !*upload->state.run_id; tries++) {
        bool answered;
        rc = create_once(upload, &body, tries, &answered, err);
        /* A server that fails with each second request would fail with each create after a search.
         * A run that was created twice is found later. */
        if (rc == 0 && !*upload->state.run_id && (!answered || tries % 2))
            rc = created_find(upload, err);
    }
    swi_text_free(&body);
    return rc;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The run of rank 0 may begin a little later. A journal that is complete is not waited with. */
static int parent_find(struct swi_run_upload *upload, char parent[128], struct sw_error *err)
{
    char filter[512];
    int64_t until_ns = swi_now_ns() + (int64_t)(parent_s * 1e9);
    int rc = 0;
    bool on = true;
    snprintf(filter, sizeof filter,
             "tags.`stepwatch.group` = '%.200s' and tags.`stepwatch.rank` = '0'",
             swi_journal_text(&upload->described, "group"));
    while (rc == 0 && on && !*parent) {
        json_t *runs;
        rc = search(upload, filter, 1, &runs, err);
        copy(parent, 128, swi_json_text(swi_json_at(json_array_get(runs, 0), "info", "run_id")));
        json_decref(runs);
        on = !*parent && upload->options.growing && !atomic_load(&upload->closing) &&
             swi_now_ns() < until_ns && swi_pace_wait(&upload->tracking.asker.pace, 1);
    }
    if (rc == 0 && !*parent)
        upload->options.say(upload->options.arg, 1,
                            "the run of rank 0 was not found, so the run of this rank is not "
                            "below it");
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int made_find(struct swi_run_upload *upload, struct sw_error *err)
{
    char parent[128] = "";
    int rc = run_find(upload, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (upload->state.doubtful && !upload->options.fresh && upload->no_search)
        return unknown(upload, err);
    if (*swi_journal_text(&upload->described, "group") &&
        json_integer_value(json_object_get(upload->described.mlflow, "rank")))
        rc = parent_find(upload, parent, err);
    return rc < 0 ? rc : run_create(upload, parent, err);
}

int swi_run_begin(struct swi_run_upload *upload, struct sw_error *err)
{
    const char *id = swi_journal_text(&upload->described, "run_id");
    if (*upload->state.run_id)
        return 0;
    if (!*id)
        id = upload->described.mlflow ? "" : upload->options.server->run_id;
    if (*id)
        return run_continue(upload, id, err);
    int rc = swi_experiment_find(upload, err);
    return rc < 0 ? rc : made_find(upload, err);
}

/* Deletes a run of our tag that has no metric. */
static int double_delete(struct swi_run_upload *upload, const json_t *run, struct sw_error *err)
{
    struct swi_text body = {0};
    const char *id = swi_json_text(swi_json_at(run, "info", "run_id"));
    const char *stage = swi_json_text(swi_json_at(run, "info", "lifecycle_stage"));
    bool has = json_array_size(swi_json_at(run, "data", "metrics")) > 0;
    if (strcmp(id, upload->state.run_id) == 0 || has || strcmp(stage, "deleted") == 0)
        return 0;
    swi_json_format(&body, "{\"run_id\":%s}", id);
    return swi_tracking_send(&upload->tracking, "runs/delete", &body, NULL, NULL, err);
}

int swi_run_doubles(struct swi_run_upload *upload, struct sw_error *err)
{
    json_t *runs;
    int rc = search_own(upload, 20, &runs, err);
    for (size_t i = 0; rc == 0 && i < json_array_size(runs); i++)
        rc = double_delete(upload, json_array_get(runs, i), err);
    json_decref(runs);
    upload->state.doubtful &= rc != 0;
    return rc;
}
